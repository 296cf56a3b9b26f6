package cache

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// forgetting is a full bucket in which a writer touches tags while a reader looks for X, one step at a time. X is in the
// last way, touched at 10, and is the next to go; W is in the first, and goes after it.
type forgetting struct {
	broken string // the guard that is cut out
	bucket bucket
	truth  Seq // X's last touch

	way  int // that the writer has chosen
	gone Seq // what that way's Seq was

	least Seq // what the reader must not fall below: the truth when it began
	at    int // the way in which it found X, or -1
	got   Seq
}

const forgotX, forgotW, forgotY = 1, 2, 3

func newForgetting(broken string) *forgetting {
	w := &forgetting{broken: broken, truth: 10, at: -1}
	w.bucket.touch(forgotW, 20)
	for i := range uint64(ways - 2) {
		w.bucket.touch(100+i, 1000)
	}
	w.bucket.touch(forgotX, 10)
	return w
}

type forgettingStep func(*forgetting)

// touching are the steps of touch, for a tag that has no way.
func (w *forgetting) touching(word uint64, seq Seq) []forgettingStep {
	steps := []forgettingStep{
		func(w *forgetting) { w.way, w.gone = w.bucket.oldest() },
		func(w *forgetting) {
			if w.gone = min(w.gone, seq); w.broken != "no floor" {
				touch(&w.bucket.floor, w.gone)
			}
		},
		func(w *forgetting) {
			if w.gone < seq || w.broken == "who comes was touched after who goes" {
				w.bucket.seqs[w.way].Store(uint64(seq))
			}
		},
		func(w *forgetting) {
			if w.gone < seq || w.broken == "who comes was touched after who goes" {
				w.bucket.tags[w.way].Store(word)
			}
			if word == forgotX {
				w.truth = seq
			}
		},
	}
	if w.broken == "the floor is raised before a tag goes" {
		steps[1], steps[2], steps[3] = steps[2], steps[3], steps[1]
	}
	return steps
}

// looking are the steps of last: the ways in turn, those in between in one, and the floor.
func (w *forgetting) looking() []forgettingStep {
	look := func(way int) forgettingStep {
		return func(w *forgetting) {
			if w.at < 0 && w.bucket.tags[way].Load() == forgotX {
				w.at = way
			}
		}
	}
	first := func(w *forgetting) { w.least = w.truth; look(0)(w) }
	floor := func(w *forgetting) {
		if w.at < 0 {
			w.got = max(w.got, Seq(w.bucket.floor.Load()))
		}
	}
	seq := func(w *forgetting) {
		if w.at >= 0 {
			w.got = Seq(w.bucket.seqs[w.at].Load())
		}
	}
	if w.broken == "the floor is looked at last" {
		return []forgettingStep{func(w *forgetting) { w.least = w.truth; floor(w) }, look(0), look(ways - 1), seq}
	}
	return []forgettingStep{first, look(ways - 1), seq, floor}
}

// TestReplayForgetting runs the steps in every order that can happen, H1 to H4 among them: with all guards, where the
// reader may never get less than what X was touched at when it began, and without each, where it must.
func TestReplayForgetting(t *testing.T) {
	for _, broken := range []string{
		"",
		"no floor",
		"the floor is raised before a tag goes",
		"the floor is looked at last",
		"who comes was touched after who goes",
	} {
		t.Run(broken, func(t *testing.T) {
			orders, wrong := 0, 0
			for _, y := range []Seq{30, 5} { // Y pushes X out, or is recorded late
				w := newForgetting(broken)
				writer := slices.Concat(w.touching(forgotY, y), w.touching(forgotX, 40))
				if y == 5 {
					writer = w.touching(forgotY, y)
				}
				eachMerge(nil, [][]forgettingStep{writer, w.looking()}, func(steps []forgettingStep) {
					orders++
					w := newForgetting(broken)
					for _, s := range steps {
						s(w)
					}
					if w.got < w.least {
						wrong++
					}
				})
			}
			if orders != 495+70 {
				t.Errorf("%d orders, want 565", orders)
			}
			if broken == "" && wrong != 0 {
				t.Errorf("in %d orders the reader gets less than the truth", wrong)
			}
			if broken != "" && wrong == 0 {
				t.Error("without the guard nothing goes wrong: the replay proves nothing")
			}
		})
	}
}

// TestStressHistory has many readers while a writer touches more tags than there is room for, some of them late, and the
// ledger starts anew now and then. Nobody may get less than what was touched in the epoch before it asked, nor more than
// what was ever touched.
func TestStressHistory(t *testing.T) {
	const tags, readers, epochs, highest = 40, 3, 40, 40000
	rounds := Seq(highest)
	if raceEnabled {
		rounds = highest / 20
	}
	l := NewLedger(ways)
	l.Restart(0)
	var truth [tags]atomic.Uint64 // the epoch in the upper half, the Seq in the lower
	var done atomic.Bool
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			for n := i; !done.Load(); n += 7 {
				tag := n % tags
				epoch, want := split(truth[tag].Load())
				got := l.Last(Tag(tag))
				if got > highest || got < want && l.Epoch() == epoch {
					t.Errorf("tag %d was touched at %d in epoch %d, the ledger says %d", tag, want, epoch, got)
					return
				}
			}
		})
	}
	for range epochs {
		epoch := l.Epoch()
		for seq := Seq(1); seq <= rounds; seq++ {
			tag, at := int(seq*seq/3+seq)%tags, seq-min(seq, seq%5/4*20)
			l.Record(at, []Tag{Tag(tag)})
			if e, known := split(truth[tag].Load()); e < epoch || known < at {
				truth[tag].Store(epoch<<32 | uint64(at))
			}
		}
		l.Restart(0)
	}
	done.Store(true)
	wg.Wait()
}

func split(truth uint64) (epoch uint64, seq Seq) { return truth >> 32, Seq(truth & (1<<32 - 1)) }
