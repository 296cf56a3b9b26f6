package proxy

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"weir/proxy/login"
	"weir/proxy/wire"
)

// silent is a session over loopback whose client says nothing, and a watch whose clock the test sets.
type silent struct {
	*session
	client net.Conn
	now    time.Time
	done   chan struct{}
}

func newSilent(t *testing.T) *silent {
	t.Helper()
	template, _, _ := hitSession(t)
	mine, theirs := pair(t)
	s := newSession(template.server, mine, &login.Session{User: "app", Database: "shop", Reader: wire.NewReader(mine)}, 7)
	ctx, cancel := context.WithCancelCause(t.Context())
	s.cancel = cancel
	out := &silent{session: s, client: theirs, now: time.Now(), done: make(chan struct{})}
	s.server.add(s)
	go func() { s.run(ctx); close(out.done) }()
	t.Cleanup(func() { theirs.Close(); <-out.done; cancel(nil) })
	return out
}

// waits returns when the session waits for a command, the nth.
func (s *silent) waits(n uint32) {
	for s.silence.turns.Load() != 2*n-1 {
		time.Sleep(time.Millisecond) //nolint:forbidigo // polls
	}
}

// passes lets time pass for the watch.
func (s *silent) passes(d time.Duration) {
	s.now = s.now.Add(d)
	s.server.endSilent(s.now)
}

func (s *silent) ping(t *testing.T) {
	t.Helper()
	b, _ := wire.AppendPacket(nil, 0, commandPacket{wire.ComPing, nil})
	if _, err := s.client.Write(b); err != nil {
		t.Fatal(err)
	}
	r := wire.NewReader(s.client)
	r.Expect(1)
	if p, err := r.ReadPacket(100); err != nil || p[0] != wire.HeaderOK {
		t.Fatalf("ping: %q %v", p, err)
	}
}

// A client that is silent for wait_timeout is told so and closed, and not before; a command starts the time again.
func TestIdleClientIsClosed(t *testing.T) {
	s := newSilent(t)
	s.waits(1)
	s.passes(0)
	s.passes(8*time.Hour - time.Second)
	s.ping(t)
	s.waits(2)
	s.passes(time.Second)
	s.passes(8*time.Hour - time.Second)
	s.ping(t)
	s.waits(3)
	s.passes(time.Second)
	s.passes(8 * time.Hour)
	said, err := io.ReadAll(s.client)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := wire.AppendPacket(nil, 0, wire.Errorf(4031, "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior."))
	if string(said) != string(want) {
		t.Errorf("the client is told %q, want %q", said, want)
	}
}

// The race: the watch has found the client silent for too long, and before it says so, the command comes.
func TestCommandComesWithTheTimeout(t *testing.T) {
	s := newSilent(t)
	s.waits(1)
	s.silence.expired.Store(1)
	s.ping(t)
	s.waits(2)
	s.net.SetReadDeadline(time.Unix(1, 0))
	s.ping(t)
	s.waits(3)
}

// A client that takes nothing of an answer from the cache is closed after the write timeout.
func TestClientThatNeverReadsHits(t *testing.T) {
	s := newSilent(t)
	s.waits(1)
	s.silence.turns.Add(1) // as if it were writing
	s.passes(0)
	s.passes(59 * time.Second)
	select {
	case <-s.done:
		t.Fatal("the client is closed too early")
	default:
	}
	s.running.since.Store(1) // a backend works for it
	s.passes(2 * time.Second)
	select {
	case <-s.done:
		t.Fatal("the client is closed while a backend works for it")
	default:
	}
	s.running.since.Store(0)
	s.passes(time.Second)
	<-s.done
}
