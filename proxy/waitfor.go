package proxy

import (
	"context"
	"errors"
	"strings"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

// Positions tells where in the change stream a position of GTIDs stands.
type Positions interface {
	// Reached waits until every transaction of the position is recorded in the ledger, and returns a mark that contains
	// them. It returns ctx's cause if ctx ends before; any other error says what is wrong with the position, at once.
	// It is called from many goroutines.
	Reached(ctx context.Context, position string) (cache.Mark, error)
}

var errNotReached = errors.New("the position has not been reached in time")

// setWaitFor makes the session's later reads reflect a position: a GTID set of MySQL (uuid:1-5, with tags), or a list of
// MariaDB's (0-1-100,1-2-5), as the client got it from the source with a write. It waits until the ledger has recorded
// all of the position, and the source shows it; then the rule keeps hits right, and misses go to a backend that is known
// to contain it, or else to the source: see [owed].
//
// The empty position, which DEFAULT stands for, takes it back; so does a reset of the connection. An error changes
// nothing: 1231 for what is no position of the source's, at once, and 1105 if it has not been reached within
// [Config.WaitFor].
func (s *session) setWaitFor(ctx context.Context, value string) *wire.Error {
	position := strings.TrimSpace(value)
	if position == "" {
		s.owed.asked = cache.Mark{}
		return nil
	}
	if s.server.positions == nil {
		return wire.Errorf(wire.CodeNotSupportedYet, "Weir: weir_wait_for is not supported here")
	}
	bounded, cancel := context.WithTimeoutCause(ctx, s.server.cfg.WaitFor, errNotReached)
	defer cancel()
	at, err := s.server.positions.Reached(bounded, position)
	if err == nil {
		err = s.server.source().shows(bounded, at)
	}
	var ended *wire.Error
	switch {
	case err == nil:
		s.owed.asked = at
		return nil
	case ctx.Err() != nil && errors.As(context.Cause(ctx), &ended):
		return ended
	case bounded.Err() != nil:
		return wire.Errorf(wire.CodeUnknown, "Weir: weir_wait_for: %q has not been reached within %s; nothing has changed for this session", position, s.server.cfg.WaitFor)
	}
	return wire.Errorf(wire.CodeWrongValue, "Variable 'weir_wait_for' can't be set to the value of '%s': %s", position, err)
}

// shows returns when the source is known to show every change up to the mark: a transaction is in the binlog, and so in
// the ledger, before other sessions see it. After an epoch has begun anew the source has shown it long ago.
func (b *backend) shows(ctx context.Context, at cache.Mark) error {
	for {
		sampled, _, err := b.sampler.Sample(ctx, at, time.Time{})
		if err == nil && (sampled.Epoch != at.Epoch || sampled.Seq >= at.Seq) {
			return nil
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
