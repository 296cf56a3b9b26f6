package cache

import (
	"encoding/binary"
	"flag"
	"math"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "play five minutes of changes against a million entries, which takes a gigabyte and a while")

// What a result of one row depends on, and the table that is touched by every change.
const (
	rowEverything = Tag(0x243f6a8885a308d3)
	rowSchema     = Tag(0x13198a2e03707344)
	rowAnchor     = Tag(0xa4093822299f31d0)
	rowTable      = Tag(0x082efa98ec4e6c89)
)

// rowTag is the tag of row i, as good as a hash: splitmix64, which is one to one.
func rowTag(i int) Tag {
	z := uint64(i+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return Tag(z ^ z>>31)
}

// rowCache holds the results of the first n rows of a table, all servable.
func rowCache(tb testing.TB, n, history int) *Cache {
	tb.Helper()
	l := NewLedger(history)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: 4 << 30, Limit: 1 << 20, MaxAge: time.Hour}, l, nil)
	for i := range n {
		tags := []Tag{rowEverything, rowSchema, rowAnchor, rowTag(i)}
		e := NewEntry(rowKey(nil, i), make([]byte, 50), tags, Mark{Epoch: 1})
		e.Anchors = 3
		if why := c.Put(e, benchBound); why != Stored {
			tb.Fatal(why)
		}
	}
	return c
}

func rowKey(to []byte, i int) []byte {
	return binary.BigEndian.AppendUint64(append(to, "SELECT v FROM t WHERE id = "...), uint64(i))
}

// TestFalseInvalidation: changes to rows that nobody cached leave what is cached servable, with live cells. Beside it
// stands what the history alone would have left, counted and computed: after so many touches of n slots, each tag looks
// untouched with a chance of (1-1/n) to the power of the touches, and the tags that all entries share go for all of them
// at once.
//
// The share of slots that are touched, which is what the history depends on, is that of five minutes with 10,000 changes
// a second on the default history, in the short run, too.
func TestFalseInvalidation(t *testing.T) {
	entries, history, changes := 20000, DefaultHistory/64, 3000000/64
	if *long {
		entries, history, changes = 1000000, DefaultHistory, 3000000
	}
	c := rowCache(t, entries, history)
	began := time.Now()
	for i := range changes {
		row := entries + i*2
		c.Ledger().Record(Seq(i+1), []Tag{rowTable, rowTag(row), rowTag(row + 1)})
	}
	t.Logf("%d changes with 3 tags each took %v, of which a change %v", changes, time.Since(began), time.Since(began)/time.Duration(changes))

	servable, alone, rows := 0, 0, 0
	var key []byte
	for i := range entries {
		key = rowKey(key[:0], i)
		if c.Get(key, benchBound) != nil {
			servable++
		}
		tags := []Tag{rowEverything, rowSchema, rowAnchor, rowTag(i)}
		if c.Ledger().LastOf(tags) == 0 {
			alone++
		}
		if c.Ledger().Last(rowTag(i)) == 0 {
			rows++
		}
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(entries) }
	computed := math.Pow(1-1/float64(history), float64(2*changes+1))
	t.Logf("servable: %.2f %% of %d entries; by the history alone: %.2f %%", percent(servable), entries, percent(alone))
	t.Logf("a row's tag alone, in the history: untouched %.2f %%, computed %.2f %%", percent(rows), 100*computed)
	if servable != entries {
		t.Errorf("%d of %d entries are servable, although nothing they depend on has changed", servable, entries)
	}
	if percent(rows) > 2*100*computed+1 || rows == entries {
		t.Error("in the history more is left than can be: the test proves nothing")
	}
}
