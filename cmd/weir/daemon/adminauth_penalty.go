package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"weir/replicator/trouble"
)

// A wrong token or password is answered after penalty. While so many of one address wait for that, nothing more that it
// gives is looked at: whoever was told at once that it is wrong could guess as fast as the network bears, and whoever
// was let in at once if it is right would be told just that. So an address has eight guesses a second, and while very many
// wait, one. Somebody at the same address has to wait, too; other addresses do not.
const (
	penalty     = time.Second
	guesses     = 8
	fewGuesses  = 1
	manyWaiting = 256
)

// verdict is what becomes of a token or password.
type verdict int

const (
	accepted verdict = iota
	wrong            // to be followed by [penalties.serve]
	unheard          // it was not looked at
)

var errWrongSecret = errors.New("wrong token or password")

// penalties slow down who guesses, and tell of it once a minute.
type penalties struct {
	log *slog.Logger

	mu      sync.Mutex
	waiting map[netip.Addr]int
	all     int
	trouble trouble.Trouble
}

func newPenalties(log *slog.Logger) *penalties {
	return &penalties{log: log, waiting: map[netip.Addr]int{}}
}

// try looks at what somebody gives, and counts it if it is wrong, in one step: or many at one time would all be looked at.
func (p *penalties) try(who netip.Addr, right func() bool) verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := guesses
	if p.all >= manyWaiting {
		limit = fewGuesses
	}
	switch {
	case p.waiting[who] >= limit:
		return unheard
	case right():
		return accepted
	}
	p.waiting[who]++
	p.all++
	if untold, tell := p.trouble.Tell(errWrongSecret); tell {
		p.log.Warn("somebody gave a wrong token or password at the admin port", "from", who.String(), "untold", untold)
	}
	return wrong
}

// serve returns when the penalty is over. Who goes away sooner still counts until then, or it would be worth while.
func (p *penalties) serve(ctx context.Context, who netip.Addr) {
	time.AfterFunc(penalty, func() { p.leave(who) })
	over := time.NewTimer(penalty)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
}

func (p *penalties) leave(who netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.waiting[who]--; p.waiting[who] == 0 {
		delete(p.waiting, who)
	}
}
