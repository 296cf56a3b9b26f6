package proxy

import (
	"context"
	"math/rand/v2"
	"time"

	"weir/cache"
)

// auditBatch is how many of the results that are asked for most take part at one time.
const auditBatch = 256

// A look for them is at all that is in memory: after it, auditPause times as long goes by until the next one, and auditLook
// at least.
const (
	auditPause = 50
	auditLook  = 200 * time.Millisecond
)

// hot are results that are asked for often, and not audited yet.
type hot struct {
	left   []cache.Hot
	looked time.Time     // when the last look began
	took   time.Duration // how long it took
}

// refresh looks for them once a minute, and if there are none left.
func (h *hot) refresh(c *cache.Cache) {
	age := time.Since(h.looked)
	if age < time.Minute && (len(h.left) > 0 || age < max(auditLook, auditPause*h.took)) {
		return
	}
	h.looked = time.Now()
	h.left = c.Warmest(auditBatch)
	h.took = time.Since(h.looked)
}

// draw takes one of them; nil if there is none.
func (h *hot) draw() *cache.Entry {
	n := len(h.left)
	if n == 0 {
		return nil
	}
	i := rand.IntN(n) //nolint:gosec // a draw, not a secret
	e := h.left[i].Entry
	h.left[i] = h.left[n-1]
	h.left = h.left[:n-1]
	return e
}

// auditNowAndThen audits as many results in a minute as is configured, until ctx ends. They are drawn from those that are
// asked for most, which are looked for once a minute.
func (s *Server) auditNowAndThen(ctx context.Context) {
	if s.cfg.Audits == 0 {
		return
	}
	every := time.NewTicker(time.Minute / time.Duration(s.cfg.Audits))
	defer every.Stop()
	var h hot
	for {
		select {
		case <-every.C:
			if s.settings.Serving() {
				h.refresh(s.cache)
				s.auditOne(ctx, &h)
			}
		case <-ctx.Done():
			return
		}
	}
}

// auditOne audits the first that it draws which may be served.
func (s *Server) auditOne(ctx context.Context, h *hot) {
	ledger := s.cache.Ledger()
	for e := h.draw(); e != nil; e = h.draw() {
		if ledger.Fresh(e, ledger.Now(), s.cfg.MaxStaleness) {
			s.Audit(ctx, e)
			return
		}
	}
}
