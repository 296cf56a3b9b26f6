package cache

import (
	"encoding/binary"
	"flag"
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
// stands what the history alone would have left: nothing, since more tags are touched than it has room for.
//
// The share is that of five minutes with 10,000 changes a second on the default history, in the short run, too.
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

	servable, alone := 0, 0
	var key []byte
	for i := range entries {
		key = rowKey(key[:0], i)
		if c.Get(key, benchBound) != nil {
			servable++
		}
		if c.Ledger().Last(rowTag(i)) == 0 {
			alone++
		}
	}
	if servable != entries {
		t.Errorf("%d of %d entries are servable, although nothing they depend on has changed", servable, entries)
	}
	if alone > 0 {
		t.Errorf("by the history alone %d of %d rows look untouched, want none: the test proves nothing", alone, entries)
	}
}
