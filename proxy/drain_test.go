package proxy

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/proxy/wire"
)

// stopped ends serving, and returns a channel that is closed when it has ended.
func stopped(stop func()) <-chan struct{} {
	done := make(chan struct{})
	go func() { defer close(done); stop() }()
	return done
}

// gatedUntil is gated with a drain timeout, and with what ends it.
func gatedUntil(t *testing.T, only *fakeServer, drain time.Duration) (*Server, *turnstile, string, func()) {
	t.Helper()
	g := &turnstile{}
	srv, addr, stop := serveUntil(t, Reject, func(c *Config, p *Parts) {
		ledger := p.Cache.Ledger()
		c.DrainTimeout, p.Positions = drain, neverReached{}
		p.Gate, p.Sampler = g, func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	return srv, g, addr, stop
}

// neverReached knows of no position whether it has been reached.
type neverReached struct{}

func (neverReached) Reached(ctx context.Context, _ string) (cache.Mark, error) {
	<-ctx.Done()
	return cache.Mark{}, context.Cause(ctx)
}

// askAll sends statements, each on a connection of its own, and returns where their outcomes come, and then what follows.
func askAll(t *testing.T, addr string, texts []string) <-chan string {
	t.Helper()
	outcomes := make(chan string, len(texts))
	for _, text := range texts {
		c := dialFake(t, addr)
		go func() {
			got := outcomeOf(c, text)
			c.reader.Expect(0)
			if _, err := c.reader.ReadPacket(1 << 10); err == nil {
				got += ", and something else"
			}
			outcomes <- got
		}()
	}
	return outcomes
}

// Who waits at the gate when serving ends is told so at once, and nothing else, whatever it came for; so is who joined one
// that waits. What need not wait goes on.
func TestPitfall54WaitersAreRefusedWhenServingEnds(t *testing.T) {
	only := newFakeServer(t, "only", fakeAnswers)
	srv, g, addr, stop := gatedUntil(t, only, time.Hour)
	g.close()
	texts := []string{"SELECT v FROM t", "SELECT v FROM t", "SELECT NOW() FROM t", "SELECT v FROM t WHERE v = 1"}
	outcomes := askAll(t, addr, texts)
	eventually(t, "three wait, and one for one of them", func() bool {
		return g.waits(3)() && len(srv.busySince(time.Now())) == len(texts)
	})
	done := stopped(stop)
	for range texts {
		if got := <-outcomes; got != "1053" {
			t.Errorf("a client gets %s", got)
		}
	}
	<-done
	g.mu.Lock()
	defer g.mu.Unlock()
	if !errors.Is(g.left, errShutdown) || len(only.statements()) != 0 {
		t.Errorf("the gate was told %v; the server was asked %q", g.left, only.statements())
	}
}

// Nobody begins to wait at the gate while serving ends; who need not wait may go on.
func TestPitfall54NobodyQueuesWhileServingEnds(t *testing.T) {
	srv, g, _, addr := gated(t, fakeAnswers)
	srv.stopping.begin()
	if got := outcomeOf(dialFake(t, addr), "SELECT v FROM t WHERE v = 1"); got != "1" {
		t.Errorf("at an open gate the client gets %s", got)
	}
	g.close()
	if got := outcomeOf(dialFake(t, addr), "SELECT v FROM t WHERE v = 2"); got != "1053" {
		t.Errorf("at a gate that is shut the client gets %s", got)
	}
	g.open()
}

// stuck is a server on which statements wait for a lock until killed is closed.
func stuck(t *testing.T, kill func(killed chan struct{}) script) *fakeServer {
	killed, over := make(chan struct{}), make(chan struct{})
	s := newFakeServer(t, "only", func(c net.Conn) bool {
		select {
		case <-killed:
			return write(c, wire.Errorf(wire.CodeQueryInterrupted, "Query execution was interrupted"))
		case <-over:
			return false
		}
	})
	s.kill = kill(killed)
	t.Cleanup(func() { close(over) })
	return s
}

// What is left when the time is over ends at its server, and its client is told why. Who waits for something else is told
// the same.
func TestPitfall54CutEndsStatementsAtTheirServer(t *testing.T) {
	var mu sync.Mutex
	kills := 0
	only := stuck(t, func(killed chan struct{}) script {
		return func(c net.Conn) bool {
			mu.Lock()
			defer mu.Unlock()
			if kills++; kills == 2 { // the fake does not know which is which
				close(killed)
			}
			return write(c, wire.OK{Status: wire.StatusAutocommit})
		}
	})
	srv, _, addr, stop := gatedUntil(t, only, 50*time.Millisecond)
	texts := []string{"SELECT v FROM t", "SELECT v FROM t", "SELECT NOW() FROM t", "SET weir_wait_for = 'far'"}
	outcomes := askAll(t, addr, texts)
	eventually(t, "two are at the server, and all wait", func() bool {
		return len(only.statements()) == 2 && len(srv.busySince(time.Now())) == len(texts)
	})
	stop()
	told := map[string]int{}
	for range texts {
		told[strings.TrimSuffix(<-outcomes, ", and something else")]++
	}
	if told["1053"] != len(texts) || kills != 2 {
		t.Errorf("the clients get %v; %d statements were ended at the server", told, kills)
	}
}

// A server that does not answer delays the end by no more than it may, and the client is told the same.
func TestCutDoesNotWaitForAServerThatHangs(t *testing.T) {
	only := stuck(t, func(chan struct{}) script {
		return func(c net.Conn) bool { _, _ = c.Read(make([]byte, 1)); return false }
	})
	_, _, addr, stop := gatedUntil(t, only, 50*time.Millisecond)
	outcomes := askAll(t, addr, []string{"SELECT v FROM t"})
	eventually(t, "it is at the server", func() bool { return len(only.statements()) == 1 })
	done := stopped(stop)
	select {
	case <-done:
	case <-time.After(endTime + lastWords + 10*time.Second):
		t.Fatal("serving does not end")
	}
	if got := <-outcomes; got != "1053" {
		t.Errorf("the client gets %s", got)
	}
}

// waitsAgain reports whether the only session has answered one command and waits for the second.
func (s *Server) waitsAgain() (waits bool) {
	s.eachSession(func(sess *session) { waits = sess.silence.turns.Load() == 3 })
	return waits
}

// The steps of D1: what begins while all is being ended is not sent.
func TestNothingIsSentAfterTheCut(t *testing.T) {
	srv, _, only, addr := gated(t, fakeAnswers)
	c := dialFake(t, addr)
	outcomeOf(c, "SELECT NOW()")
	eventually(t, "the session waits for the next", srv.waitsAgain)                           // 1.
	srv.stopping.cut.Store(true)                                                              // 2., but for the client, which is not closed
	if got := outcomeOf(c, "SELECT v FROM t"); got != "1053" || len(only.statements()) != 1 { // 3.
		t.Errorf("the client gets %s; the server was asked %q", got, only.statements())
	}
}

// A transaction whose command is answered after the cut gets no other one.
func TestTransactionEndsAfterTheCut(t *testing.T) {
	srv, _, _, addr := gated(t, inTransaction)
	c := dialFake(t, addr)
	outcomeOf(c, "BEGIN")
	eventually(t, "the session waits for the next", srv.waitsAgain)
	srv.stopping.cut.Store(true)
	r := response{hold: maxOwn}
	if err := c.roundTrip(wire.ComPing, nil, &r); err != nil || r.err() != nil {
		t.Fatal(err, r.err())
	}
	c.reader.Expect(0)
	c.net.SetReadDeadline(time.Now().Add(10 * time.Second))
	p, err := c.reader.ReadPacket(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := wire.DecodeError(p); err != nil || said.Code != wire.CodeServerShutdown {
		t.Errorf("the client is told %v, %v", said, err)
	}
}

// A client that does not take its answer does not keep serving from ending.
func TestCutClosesWhoDoesNotRead(t *testing.T) {
	only := newFakeServer(t, "only", func(c net.Conn) bool { return rows(c, strings.Repeat("x", 12<<20), strings.Repeat("y", 12<<20)) })
	only.kill = func(c net.Conn) bool { return write(c, wire.OK{Status: wire.StatusAutocommit}) }
	_, _, addr, stop := gatedUntil(t, only, 50*time.Millisecond)
	c := dialFake(t, addr)
	if err := c.send(wire.ComQuery, []byte("SELECT NOW() FROM t")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server answers", func() bool { return len(only.statements()) == 1 })
	select {
	case <-stopped(stop):
	case <-time.After(endTime + lastWords + 10*time.Second):
		t.Fatal("serving does not end")
	}
}

// A server that hangs when a connection of a pool is made to fit keeps nobody waiting who is to end.
func TestFittingEndsWithItsContext(t *testing.T) {
	mine, theirs := net.Pipe()
	defer theirs.Close()
	c := &conn{net: mine, reader: wire.NewReader(mine), backend: newBackend("hangs", nil)}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errShutdown)
	if err := c.useWithin(ctx, "shop"); !errors.Is(err, errShutdown) || !c.broken {
		t.Errorf("got %v; broken: %v", err, c.broken)
	}
}
