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

// The steps of [Ledger.MarkAsOf], with a Restart in each place.
func TestMarkAsOfAcrossARestart(t *testing.T) {
	halfway := func(l *Ledger) { l.complete.Store(never); l.head.Store(0) }
	whole := func(l *Ledger) { l.Restart(10) }
	anew := func(l *Ledger) { l.SetComplete(l.Restart(10), time.Minute) }
	for name, restart := range map[string]func(*Ledger){"has begun": halfway, "is over": whole, "is over, and the ledger complete": anew} {
		l := NewLedger(2)
		epoch := l.Restart(10)
		l.Record(20, nil)
		l.SetComplete(epoch, time.Second)
		if !l.completeAsOf(time.Second) {
			t.Fatal("the ledger is not complete")
		}
		restart(l)
		if m := l.Mark(); m.Seq != 0 || l.stillAsOf(time.Second, epoch) {
			t.Errorf("the restart %s: the mark %v counts", name, m)
		}
	}
}
