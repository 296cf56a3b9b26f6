package proxy

import (
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// silence is what is known of how long a client has been silent. A command costs it two counts and no look at a clock:
// that is left to the watch, which comes by once a second and compares. So a client is closed up to two seconds late,
// and never early.
type silence struct {
	// turns is odd while the session waits for a command, and even while it answers one.
	turns atomic.Uint32
	// limit is the session's wait_timeout, in nanoseconds.
	limit atomic.Int64
	// expired is the turn in which the client was silent for too long; 0: none.
	expired atomic.Uint32

	// The watch's own: a turn, and since when it has been that one.
	seen  uint32
	since time.Time
}

// look is called by the watch, under the server's lock. It wakes the session's goroutine if that has waited for a
// command for too long, and closes the client if it has not taken an answer for as long as clients may take:
// what comes from a backend has deadlines of its own, see [session.writeSlowly].
func (s *silence) look(sess *session, now time.Time) {
	turn := s.turns.Load()
	if turn != s.seen || s.since.IsZero() {
		s.seen, s.since = turn, now
		return
	}
	silent := now.Sub(s.since)
	switch {
	case turn%2 == 1 && silent >= time.Duration(s.limit.Load()):
		s.expired.Store(turn)
		sess.net.SetReadDeadline(time.Unix(1, 0))
	case turn%2 == 0 && sess.running.since.Load() == 0 && silent >= sess.server.cfg.WriteTimeout:
		sess.net.Close()
	}
}

var errIdle = errors.New("the client was idle for longer than wait_timeout")

// receive waits for a command. The watch may wake it for a turn that is over, if the command came just then: then it
// goes on waiting.
func (s *session) receive() ([]byte, error) {
	turn := s.silence.turns.Add(1)
	defer s.silence.turns.Add(1)
	for {
		payload, err := s.reader.ReadPacket(s.server.maxPacket())
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || s.server.stopping.begun.Load() {
			return payload, err
		}
		if s.silence.expired.Load() == turn {
			return nil, errIdle
		}
		s.net.SetReadDeadline(time.Time{})
	}
}

// idleFarewell is what servers tell a client that was idle for too long: MySQL says so since 8.0.24, MariaDB says nothing.
func (s *session) idleFarewell() *wire.Error {
	if s.server.facts.Flavor == statement.MariaDB {
		return nil
	}
	return wire.Errorf(wire.CodeIdleDisconnect, "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.")
}

// limitSilence takes over the session's wait_timeout. SET interactive_timeout changes nothing, as on servers: that is
// for what logs in later.
func (s *session) limitSilence() {
	limit := s.server.cfg.WaitTimeout
	if set, ok := s.state.settings.waitTimeout(); ok {
		limit = set
	}
	s.silence.limit.Store(int64(limit))
}

// waitTimeout is what the client has set wait_timeout to; not ok if it has not, or not to a number. Servers take what is
// less than a second for a second.
func (s settings) waitTimeout() (time.Duration, bool) {
	v, ok := s.value("wait_timeout")
	if !ok {
		return 0, false
	}
	seconds, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, false
	}
	return time.Duration(max(seconds, 1)) * time.Second, true
}

// maxPacket is the largest command, in bytes. Servers refuse what is as large as their max_allowed_packet, or larger.
func (s *Server) maxPacket() int { return s.packetLimit - 1 }
