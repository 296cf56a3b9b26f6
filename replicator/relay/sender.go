package relay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// errSuperseded: another relay publishes, and has begun after this one.
var errSuperseded = errors.New("another relay has begun to publish the same stream")

const (
	// maxGroup is how many bytes are sent at once.
	maxGroup = 4 << 20
	// sendTimeout is how long Redis may take for them.
	sendTimeout = 5 * time.Second
)

// answer is what a consumer waits for.
type answer struct{ id, nonce string }

// sender is the state of [Publisher.Send].
type sender struct {
	incarnation uint64 // of which base is the first half of the ids
	base        uint64
	sent        []sentEntry // what is in Redis, oldest first
	bytes       int         // of all of them
}

type sentEntry struct {
	n     uint64
	bytes int
	at    time.Time
}

// group is what is sent at once, all or nothing.
type group struct {
	incarnation uint64
	entries     []entry
	answers     []answer
}

// Send publishes until ctx ends, through every error of Redis. It returns errSuperseded if another relay has begun to
// publish, and nil otherwise. While one group is on its way what comes next gathers, so that the rate does not depend on
// round trips, and what comes alone goes at once.
//
// The ids of entries are the relay's own: the moment at which the incarnation began, or later, so that it is after
// everything that is in the stream, and the number of the entry. Redis takes no id that is not after the last one. So
//
//   - an entry that was sent twice, because the answer was lost, is in the stream once;
//   - of two relays that publish at one time, the one that has begun last goes on, and the other one is told:
//     the lease that keeps them apart may fail, and only costs the consumers an epoch.
func (p *Publisher) Send(ctx context.Context) error {
	var wait pause
	for ctx.Err() == nil {
		g := p.take()
		if len(g.entries) == 0 {
			select {
			case <-p.wake:
			case <-ctx.Done():
			}
			continue
		}
		if err := p.deliver(ctx, g, &wait); err != nil {
			return err
		}
	}
	return nil
}

// take returns what is to be sent next. Answers go with the last entry that there is: they speak of all of them.
func (p *Publisher) take() group {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close()
	g := group{incarnation: p.incarnation}
	size := 0
	for _, e := range p.closed {
		if size += len(e.bytes); size > maxGroup && len(g.entries) > 0 {
			return g
		}
		g.entries = append(g.entries, e)
	}
	g.answers = p.answers
	return g
}

// done takes out what was sent.
func (p *Publisher) done(g group) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.incarnation != g.incarnation {
		return
	}
	for _, e := range g.entries {
		p.bytes -= len(e.bytes)
		p.metrics.sent(e)
	}
	p.closed = append(p.closed[:0:0], p.closed[len(g.entries):]...)
	p.answers = append(p.answers[:0:0], p.answers[len(g.answers):]...)
}

// deliver sends a group until it is there, or not wanted any more.
func (p *Publisher) deliver(ctx context.Context, g group, wait *pause) error {
	for ctx.Err() == nil && p.Incarnation() == g.incarnation {
		err := p.attempt(ctx, g)
		switch {
		case err == nil:
			wait.succeeded()
			p.done(g)
			return nil
		case errors.Is(err, errSuperseded):
			return err
		}
		p.metrics.failed.Inc()
		wait.failed(ctx, p.log, "the relay's stream cannot be sent to Redis; trying again", err)
	}
	return nil
}

// attempt sends a group once. After an attempt of which the answer was lost, the entries are there, or none of them.
func (p *Publisher) attempt(ctx context.Context, g group) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := p.prepare(ctx, g.incarnation); err != nil {
		return err
	}
	_, err := p.redis.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		p.queue(ctx, pipe, g)
		return nil
	})
	if err != nil && strings.Contains(err.Error(), "equal or smaller than the target stream") {
		err = p.there(ctx, g)
	}
	if err == nil {
		p.sender.note(g)
	}
	return err
}

// prepare finds ids for an incarnation that are after everything in the stream.
func (p *Publisher) prepare(ctx context.Context, incarnation uint64) error {
	if p.sender.incarnation == incarnation {
		return nil
	}
	top, _, err := last(ctx, p.redis, p.cfg.stream())
	if err != nil {
		return err
	}
	p.sender = sender{incarnation: incarnation, base: max(uint64(time.Now().UnixMilli()), top.base+1)}
	return nil
}

func (p *Publisher) queue(ctx context.Context, pipe redis.Pipeliner, g group) {
	if len(g.answers) > 0 {
		n := g.entries[len(g.entries)-1].n
		values := make([]any, 0, 2*len(g.answers))
		for _, a := range g.answers {
			values = append(values, a.id, appendAnswered(nil, a.nonce, g.incarnation, n))
		}
		pipe.HSet(ctx, p.cfg.answers(), values...)
	}
	keep := place{p.sender.base, p.sender.keep(p.cfg)}.String()
	for _, e := range g.entries {
		pipe.XAdd(ctx, &redis.XAddArgs{
			Stream: p.cfg.stream(), ID: place{p.sender.base, e.n}.String(), MinID: keep, Approx: true,
			Values: []any{field, e.bytes},
		})
	}
}

// there decides what it means that Redis has a later entry: that the group is there already, or that another relay is.
func (p *Publisher) there(ctx context.Context, g group) error {
	top, h, err := last(ctx, p.redis, p.cfg.stream())
	switch {
	case err != nil:
		return err
	case h.incarnation != g.incarnation && top.base >= p.sender.base:
		return errSuperseded
	case h.incarnation == g.incarnation && h.n >= g.entries[len(g.entries)-1].n:
		return nil
	}
	return errors.New("the relay's stream in Redis is not what it was a moment ago")
}

// last returns the last entry's place and header; zero if there is none.
func last(ctx context.Context, client redis.UniversalClient, stream string) (place, header, error) {
	messages, err := client.XRevRangeN(ctx, stream, "+", "-", 1).Result()
	if err != nil {
		return place{}, header{}, fmt.Errorf("read the end of the relay's stream: %w", err)
	}
	if len(messages) == 0 {
		return place{}, header{}, nil
	}
	at, err := parsePlace(messages[0].ID)
	if err != nil {
		return place{}, header{}, err
	}
	h, _, _ := decodeEntry(payload(messages[0])) // one that cannot be read is not ours
	return at, h, nil
}

func payload(m redis.XMessage) []byte {
	text, _ := m.Values[field].(string)
	return []byte(text)
}

// note remembers what is in the stream, for keep.
func (s *sender) note(g group) {
	now := time.Now()
	for _, e := range g.entries {
		s.sent = append(s.sent, sentEntry{e.n, len(e.bytes), now})
		s.bytes += len(e.bytes)
	}
}

// keep returns the first entry that is to stay. Ages are the relay's own, as ids say nothing of them.
func (s *sender) keep(cfg Config) uint64 {
	for len(s.sent) > 1 && (len(s.sent) > cfg.Entries || s.bytes > cfg.Bytes || time.Since(s.sent[0].at) > cfg.Window) {
		s.bytes -= s.sent[0].bytes
		s.sent = s.sent[1:]
	}
	if len(s.sent) == 0 {
		return 0
	}
	return s.sent[0].n
}
