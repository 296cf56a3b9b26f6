package cache

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// slots is a history as simple as can be, to compare with: an array in which tags share slots.
type slots []Seq

func (s slots) slot(t Tag) *Seq {
	i, _ := bits.Mul64(uint64(t), uint64(len(s)))
	return &s[i]
}
func (s slots) touch(t Tag, seq Seq) { *s.slot(t) = seq }
func (s slots) last(t Tag) Seq       { return *s.slot(t) }

// traffic is what a source does: 10,000 changes a second, each of which touches a table, the row, and the rows that have
// the same value in another column. It makes 30,000 tags a second; only those that were not touched a while before take
// room in the history.
type traffic struct {
	r *rand.Rand
	// scale is how many times smaller all is: the history, the changes, and what is there to be changed.
	scale int
	// again is the share of changes to rows that are changed again and again.
	again float64
	rows  int // that were changed for the first time
}

const (
	changesASecond = 10000
	hotTables      = 20
	hotRows        = 50000
	owners         = 100000
)

func (tr *traffic) change() [3]Tag {
	row := owners + hotRows + tr.r.IntN(hotRows/tr.scale)
	if tr.r.Float64() >= tr.again {
		tr.rows++
		row = 1<<40 + tr.rows
	}
	return [3]Tag{rowTag(1<<50 + tr.r.IntN(hotTables)), rowTag(row), rowTag(tr.r.IntN(owners / tr.scale))}
}

// forgot plays seconds of traffic and returns for how long results with four tags that nothing has touched, each of its
// own, look untouched, in seconds: the ages of the youngest that do not, from many of them, in order.
func (tr *traffic) forgot(touch func(Tag, Seq), last func(Tag) Seq, seconds int) (ages []float64) {
	n := seconds * changesASecond / tr.scale
	for seq := range Seq(n) {
		for _, t := range tr.change() {
			touch(t, seq+1)
		}
	}
	for i := range 20000 {
		var l Seq
		for k := range 4 {
			l = max(l, last(rowTag(1<<45+4*i+k)))
		}
		ages = append(ages, float64(Seq(n)-l)*float64(tr.scale)/changesASecond)
	}
	slices.Sort(ages)
	return ages
}

// after returns which share of results looks touched that are so old.
func after(ages []float64, age float64) float64 {
	i, _ := slices.BinarySearch(ages, age)
	return float64(i) / float64(len(ages))
}

// TestHistoryForgetsLess is the arithmetic of doc.go: how many results look touched that are so and so old, with the default
// history, or with all of it made smaller; and how many with slots in the same memory. Up to an age there are none or
// next to none, and that is where slots have lost a good deal.
func TestHistoryForgetsLess(t *testing.T) {
	scale := 16
	switch {
	case *long:
		scale = 1
	case raceEnabled:
		scale = 256 // the race detector remembers more of each atomic variable than it holds
	}
	for _, tt := range []struct {
		again      float64 // of the changes to rows
		kept       float64 // seconds
		percentOld float64 // that slots have lost by then, at least
	}{{0, 35, 50}, {0.5, 60, 50}, {0.9, 250, 45}} {
		t.Run(fmt.Sprintf("%v of the rows again", tt.again), func(t *testing.T) {
			h := newHistory(DefaultHistory / scale)
			s := make(slots, len(h.buckets)*int(unsafe.Sizeof(bucket{})/unsafe.Sizeof(Seq(0))))
			source := func() *traffic { return &traffic{r: rand.New(rand.NewPCG(1, 2)), scale: scale, again: tt.again} }
			exact, shared := source().forgot(h.touch, h.last, 400), source().forgot(s.touch, s.last, 400)
			for _, age := range []float64{10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 250, 300, 350} {
				t.Logf("%3v s old: %6.2f %% look touched, in slots %6.2f %%", age, 100*after(exact, age), 100*after(shared, age))
			}
			if got := 100 * after(exact, tt.kept); got > 1 {
				t.Errorf("%.2f %% look touched after %v s, want next to none", got, tt.kept)
			}
			if got := 100 * after(shared, tt.kept); got < tt.percentOld {
				t.Errorf("in slots %.2f %% look touched after %v s: the comparison proves nothing", got, tt.kept)
			}
		})
	}
}
