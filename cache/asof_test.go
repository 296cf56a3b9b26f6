package cache

import (
	"testing"
	"time"
)

func TestMarkAsOf(t *testing.T) {
	l := NewLedger(2)
	if _, ok := l.MarkAsOf(0); ok {
		t.Error("a ledger that knows nothing gives a mark")
	}
	epoch := l.Restart(10)
	l.Record(20, nil)
	l.SetComplete(epoch, 5*time.Second)
	for _, c := range []struct {
		moment time.Duration
		want   bool
	}{{4 * time.Second, true}, {5 * time.Second, true}, {5*time.Second + 1, false}} {
		m, ok := l.MarkAsOf(c.moment)
		if ok != c.want || ok && m != (Mark{Epoch: epoch, Seq: 20}) {
			t.Errorf("as of %s: got %v, %v, want %v", c.moment, m, ok, c.want)
		}
	}
	l.Restart(20)
	if m, ok := l.MarkAsOf(0); ok {
		t.Errorf("after a restart it gives %v", m)
	}
}

// A ledger that restarts all the time and is complete at once gives no mark from before what it then contains.
func TestMarkAsOfAcrossRestarts(t *testing.T) {
	l := NewLedger(2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20000 {
			epoch := l.Restart(10)
			l.Record(20, nil)
			l.SetComplete(epoch, l.Now())
		}
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		if m, ok := l.MarkAsOf(0); ok && m.Seq != 20 {
			t.Fatalf("got %v", m)
		}
	}
}
