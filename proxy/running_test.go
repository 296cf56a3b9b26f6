package proxy

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
)

// The steps of the race that the comment of running lists: while a kill is on its way to the victim's connection, that
// connection is not given back, and afterwards it serves nobody else.
func TestPitfall42KillHitsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r running
		victim := &conn{id: 17, until: time.Now().Add(time.Hour), waitTimeout: time.Hour}
		_, end := r.begin(t.Context())
		if !r.enter(victim) {
			t.Fatal("a statement that nobody has killed is not sent")
		}
		delivered, killed := make(chan struct{}), make(chan *conn, 1)
		go r.interrupt(errInterrupted, func(c *conn) error { // 2. found, and on its way
			<-delivered
			killed <- c
			return nil
		})
		synctest.Wait()
		back := false
		go func() { // 3. the statement ends
			r.leave(victim)
			end()
			back = true
		}()
		synctest.Wait()
		if back {
			t.Fatal("the connection goes back while a kill is on its way to it")
		}
		close(delivered) // 4. now the backend reads it
		synctest.Wait()
		if c := <-killed; c != victim || !back || !victim.spent {
			t.Errorf("killed %+v; back: %v; spent: %v", c, back, victim.spent)
		}
		if (&pool{}).keep(victim) {
			t.Error("the pool takes a connection back that a kill was aimed at")
		}
		if victim.spent = false; !(&pool{}).keep(victim) {
			t.Error("the pool takes none back; the test shows nothing")
		}
		if err := r.interrupt(errInterrupted, func(*conn) error { return errors.New("killed") }); err != nil {
			t.Errorf("a kill after the end: %v", err)
		}
	})
}

// A statement is ended where it is: before it has a connection it is not sent any more, and what it waits for ends.
func TestInterruptBeforeTheBackend(t *testing.T) {
	var r running
	unreachable := func(*conn) error { return errors.New("no backend works for it") }
	ctx, end := r.begin(t.Context())
	if err := r.interrupt(errInterrupted, unreachable); err != nil {
		t.Error(err)
	}
	if err := context.Cause(ctx); !errors.Is(err, errInterrupted) {
		t.Errorf("what it waits for ends with %v", err)
	}
	if r.enter(&conn{}) {
		t.Error("it is sent all the same")
	}
	end()
	if _, end := r.begin(t.Context()); !r.enter(&conn{}) {
		t.Error("the next statement is not sent")
	} else {
		end()
	}
}

// Two kills at once are one: the second is answered with the first.
func TestTwoKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r running
		c := &conn{}
		r.enter(c)
		answer := make(chan struct{})
		var kills, answered atomic.Int32
		for range 2 {
			go func() {
				r.interrupt(errInterrupted, func(*conn) error { kills.Add(1); <-answer; return nil })
				answered.Add(1)
			}()
		}
		synctest.Wait()
		if answered.Load() != 0 {
			t.Error("a kill is answered before the backend has answered it")
		}
		close(answer)
		synctest.Wait()
		r.leave(c)
		if kills.Load() != 1 || answered.Load() != 2 {
			t.Errorf("%d kills sent, %d answered; want 1 and 2", kills.Load(), answered.Load())
		}
		if r.since.Load() != 0 {
			t.Error("something is still under way")
		}
	})
}

// A kill that the backend reads before the statement ends nothing. It is said again until the statement has ended, and
// never afterwards, when the connection may work for somebody else.
func TestPitfall42KillThatWasTooEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r running
		c := &conn{}
		r.enter(c)
		var kills atomic.Int32
		r.interrupt(errInterrupted, func(*conn) error {
			if kills.Add(1) == 3 {
				go r.leave(c)
			}
			return nil
		})
		<-time.After(time.Minute) // of the bubble
		synctest.Wait()
		if kills.Load() != 3 || !c.spent {
			t.Errorf("%d kills sent, spent: %v; want 3, and a connection for nobody else", kills.Load(), c.spent)
		}
		r.enter(c)
		<-time.After(time.Minute) // of the bubble
		synctest.Wait()
		if kills.Load() != 3 {
			t.Error("the next statement on the connection is killed")
		}
		r.leave(c)
	})
}

// A read that others wait for goes on without the client that began it.
func TestWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := cache.NewLedger(1 << 10)
		cc := cache.New(cache.DefaultConfig(), ledger, nil)
		flight, _ := cc.Join([]byte("key"), cache.Mark{})
		var r running
		_, end := r.begin(t.Context())
		r.leads(flight)
		if r.wanted() {
			t.Error("wanted, and nobody waits")
		}
		go flight.Wait(t.Context(), cache.Mark{})
		synctest.Wait()
		if !r.wanted() {
			t.Error("not wanted, and somebody waits")
		}
		cc.Land(flight, nil)
		synctest.Wait()
		if r.wanted() {
			t.Error("wanted, and nobody waits any more")
		}
		end()
	})
}
