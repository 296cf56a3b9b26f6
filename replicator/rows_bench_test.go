package replicator

import (
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache/dep"
	"weir/replicator/change"
)

// rowBench is a table of eight columns, and an update of many rows of it; watched are its key by value and by cell, a column by value
// and change, and one by range.
func rowBench(b *testing.B, watched bool) (w *rawWorld, e *replication.BinlogEvent, rows int) {
	w = newRawWorld(b, gomysql.MySQLFlavor)
	r := ints(7, "t", 8)
	w.follow(r)
	if watched {
		w.follow(r, dep.Want{Column: "a", Interest: dep.InValue | dep.InCell}, dep.Want{Column: "b", Interest: dep.InValue | dep.InChange}, dep.Want{Column: "h", Interest: dep.InRange})
	}
	rows = 100
	var images [][]byte
	for i := range uint32(rows) {
		images = append(images, image(i, 2, 3, 4, 5, 6, 7, 100*i), image(i, 3, 3, 4, 5, 6, 7, 100*i+1))
	}
	w.send(r.mapped())
	e, err := w.decoder.decode(r.event(update, r.full(update), images...))
	if err != nil {
		b.Fatal(err)
	}
	return w, e, rows
}

// BenchmarkRowChange is what a row change costs beyond go-mysql's reading of the event's header.
func BenchmarkRowChange(b *testing.B) {
	for name, watched := range map[string]bool{"watched": true, "unwatched": false} {
		b.Run(name, func(b *testing.B) {
			w, e, rows := rowBench(b, watched)
			event := e.Event.(*replication.RowsEvent)
			t := &change.Transaction{}
			b.ReportAllocs()
			for b.Loop() {
				t.Tags, t.Rows, t.Tables = t.Tags[:0], t.Rows[:0], t.Tables[:0]
				w.assembler.teller.tell(t, e, event)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			if watched && len(t.Tags) < 2*rows {
				b.Fatalf("only %d tags", len(t.Tags))
			}
		})
	}
}

// BenchmarkRowEvent is a row change alone in its event, from raw bytes on.
func BenchmarkRowEvent(b *testing.B) {
	for name, watched := range map[string]bool{"watched": true, "unwatched": false} {
		b.Run(name, func(b *testing.B) {
			w, _, _ := rowBench(b, watched)
			r := ints(7, "t", 8)
			mapped, event := r.mapped(), r.event(update, r.full(update), image(1, 2, 3, 4, 5, 6, 7, 100), image(1, 3, 3, 4, 5, 6, 7, 100))
			b.ReportAllocs()
			for b.Loop() {
				w.assembler.group = nil
				w.send(mapped, event)
			}
		})
	}
}

// TestRowsAllocateNothing: in the steady state, whatever is watched.
func TestRowsAllocateNothing(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	r := ints(7, "t", 3)
	w.follow(r, valueOfA, dep.Want{Column: "b", Interest: dep.InRange}, dep.Want{Column: "c", Interest: dep.InChange}, dep.Want{Interest: dep.InChange})
	w.send(r.mapped())
	e, err := w.decoder.decode(r.event(write, r.full(write), image(1, 2, 3), image(4, 5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	tx := &change.Transaction{}
	event := e.Event.(*replication.RowsEvent)
	w.assembler.teller.tell(tx, e, event)
	if n := testing.AllocsPerRun(100, func() {
		tx.Tags, tx.Rows = tx.Tags[:0], tx.Rows[:0]
		w.assembler.teller.tell(tx, e, event)
	}); n != 0 {
		t.Errorf("an event with rows allocates %v times", n)
	}
}
