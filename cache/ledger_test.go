package cache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLedgerNeed(t *testing.T) {
	l := ruleLedger()
	tests := []struct {
		name string
		tags []Tag
		last Seq
		need Seq
	}{
		{"no tags", nil, 0, At(3, 100)},
		{"untouched", []Tag{tagB, tagC}, 0, At(3, 100)},
		{"touched", []Tag{tagA}, At(3, 500), At(3, 500)},
		{"one of them touched", []Tag{tagB, tagA, tagC}, At(3, 500), At(3, 500)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := l.LastOf(tt.tags); got != tt.last {
				t.Errorf("LastOf = %s, want %s", got, tt.last)
			}
			if got := l.Need(tt.tags); got != (Mark{l.Epoch(), tt.need}) {
				t.Errorf("Need = %v, want %s", got, tt.need)
			}
			at := NewEntry(nil, nil, tt.tags, Mark{l.Epoch(), tt.need})
			before := NewEntry(nil, nil, tt.tags, Mark{l.Epoch(), tt.need - 1})
			if now := 10 * time.Second; !l.Fresh(at, now, 0) || l.Fresh(before, now, 0) {
				t.Error("Need is not the least AsOf that may be served")
			}
		})
	}
}

func TestLedgerHeadOnlyMovesForward(t *testing.T) {
	l := NewLedger(4)
	epoch := l.Restart(At(1, 4))
	if got := l.Mark(); got != (Mark{epoch, 0}) {
		t.Errorf("after Restart the mark is %v, want the start of epoch %d", got, epoch)
	}
	l.Record(At(1, 900), []Tag{tagA})
	l.Advance(At(1, 500))
	l.Record(At(1, 700), []Tag{tagA, tagB})
	if got := l.Head(); got != At(1, 900) {
		t.Errorf("head is %s, want 1/900", got)
	}
	if a, b := l.Last(tagA), l.Last(tagB); a != At(1, 900) || b != At(1, 700) {
		t.Errorf("A was touched at %s, B at %s, want 1/900, 1/700", a, b)
	}
	if next := l.Restart(At(1, 4)); next != epoch+1 || l.Head() != 0 || l.Last(tagA) != 0 || l.Floor() != At(1, 4) {
		t.Errorf("after Restart: epoch %d, head %s, A %s, floor %s", next, l.Head(), l.Last(tagA), l.Floor())
	}
}

func TestSetComplete(t *testing.T) {
	const second = time.Second
	tests := []struct {
		name string
		do   func(l *Ledger, epoch uint64)
		want time.Duration
		ok   bool
	}{
		{"never", func(*Ledger, uint64) {}, 0, false},
		{"at the start of the clock", func(l *Ledger, e uint64) { l.SetComplete(e, 0) }, 0, true},
		{"once", func(l *Ledger, e uint64) { l.SetComplete(e, 2*second) }, 2 * second, true},
		{"an older answer comes later", func(l *Ledger, e uint64) { l.SetComplete(e, 2*second); l.SetComplete(e, second) }, 2 * second, true},
		{"a newer one", func(l *Ledger, e uint64) { l.SetComplete(e, 2*second); l.SetComplete(e, 3*second) }, 3 * second, true},
		{"asked in the epoch before", func(l *Ledger, e uint64) { l.SetComplete(e-1, 2*second) }, 0, false},
		{"asked before the restart", func(l *Ledger, e uint64) { l.Restart(0); l.SetComplete(e, 2*second) }, 0, false},
		{"answered before the restart", func(l *Ledger, e uint64) { l.SetComplete(e, 2*second); l.Restart(0) }, 0, false},
		{"an older moment in a newer epoch", func(l *Ledger, e uint64) { l.SetComplete(e, 2*second); l.SetComplete(l.Restart(0), second) }, second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := NewLedger(4)
			l.Restart(0)
			tt.do(l, l.Restart(0))
			got, ok := l.CompleteAsOf()
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("CompleteAsOf = %v, %v, want %v, %v", got, ok, tt.want, tt.ok)
			}
			if current := l.Current(tt.want, 0); current != tt.ok {
				t.Errorf("Current = %v, want %v", current, tt.ok)
			}
			if l.Current(time.Duration(1<<62), time.Duration(1<<61)) {
				t.Error("Current after a hundred years")
			}
		})
	}
}

func TestLedgerNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		time.Sleep(3 * time.Second) // of the bubble's clock
		if got := l.Now(); got != 3*time.Second {
			t.Errorf("Now = %v, want 3s", got)
		}
	})
}

func TestWaitHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters = 100
		l := NewLedger(4)
		l.Restart(0)
		var mu sync.Mutex
		back := map[int]error{}
		for i := 1; i <= waiters; i++ {
			go func() {
				err := l.WaitHead(t.Context(), Seq(i))
				mu.Lock()
				defer mu.Unlock()
				back[i] = err
			}()
		}
		for _, head := range []Seq{0, 1, 1, 2, 50, 99, 100} {
			l.Advance(head)
			synctest.Wait()
			if len(back) != int(head) {
				t.Fatalf("head is %d: %d waiters are back", head, len(back))
			}
			for i, err := range back {
				if err != nil || i > int(head) {
					t.Fatalf("head is %d: the waiter for %d is back with %v", head, i, err)
				}
			}
		}
	})
}

func TestWaitHeadIsWokenByRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		l.Restart(0)
		last := make(chan Seq, 1)
		go func() {
			if err := l.WaitHead(t.Context(), 10); err != nil {
				t.Error(err)
			}
			last <- l.Last(tagB)
		}()
		synctest.Wait()
		l.Record(10, []Tag{tagA, tagB})
		if got := <-last; got != 10 {
			t.Errorf("whoever waited for 10 finds B touched at %d", got)
		}
	})
}

func TestWaitHeadEnds(t *testing.T) {
	hungUp := errors.New("the client hung up")
	synctest.Test(t, func(t *testing.T) {
		l := NewLedger(4)
		l.Restart(0)
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error)
		go func() { got <- l.WaitHead(ctx, 10) }()
		synctest.Wait()
		l.Advance(9)
		synctest.Wait()
		cancel(hungUp)
		if err := <-got; !errors.Is(err, hungUp) {
			t.Errorf("WaitHead returned %v, want the cause", err)
		}
		l.Advance(10)
		if err := l.WaitHead(ctx, 10); err != nil {
			t.Errorf("what is recorded needs no waiting, got %v", err)
		}
	})
}

// TestWaitHeadLosesNoWake: the waiters go to sleep while the head is being moved, a little earlier or later each time.
// If a wake were lost, all would be asleep, and the bubble reports a deadlock.
func TestWaitHeadLosesNoWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters, heads = 3, 8000
		l := NewLedger(4)
		l.Restart(0)
		arrived := make(chan struct{})
		for i := range waiters {
			go func() {
				for seq := Seq(1); seq <= heads; seq++ {
					dawdle(l, int(seq)*(7+i)%200)
					if err := l.WaitHead(t.Context(), seq); err != nil {
						t.Error(err)
					}
					arrived <- struct{}{}
				}
			}()
		}
		for seq := Seq(1); seq <= heads; seq++ {
			dawdle(l, int(seq)*5%200)
			l.Advance(seq)
			for range waiters {
				<-arrived
			}
		}
	})
}

func dawdle(l *Ledger, loads int) {
	for range loads {
		l.Head()
	}
}
