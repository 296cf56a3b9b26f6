package replicator

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
)

// at gives an event an end position.
func at(pos uint32, e *replication.BinlogEvent) *replication.BinlogEvent {
	binary.LittleEndian.PutUint32(e.RawData[13:], pos)
	e.Header.LogPos = pos
	return e
}

// prepareXA sends an XA transaction with one row, up to its PREPARE.
func (w *rawWorld) prepareXA(r rawTable, xid string) {
	w.t.Helper()
	w.take(gtidMySQL(100, 1))
	w.take(query(150, "XA START X'"+fmt.Sprintf("%x", xid)+"',X'',1"))
	w.send(at(200, r.mapped()), at(250, r.event(write, r.full(write), image(5))))
	w.record(w.take(xaPrepare(300, xid, 0)))
}

func (w *rawWorld) commitXA(xid string) *change.Transaction {
	w.t.Helper()
	w.take(gtidMySQL(350, 2))
	return w.take(query(400, "XA COMMIT X'"+fmt.Sprintf("%x", xid)+"',X'',1"))[0]
}

// record does what the recorder does.
func (w *rawWorld) record(all []*change.Transaction) {
	for _, t := range all {
		w.ledger.Record(t.Seq, t.Tags)
		w.watch.Recorded(t.Seq)
	}
}

// TestPitfall3RowsAreRecalledAtTheCommit replays the steps of recall: rows that were looked at before an interest was
// taken up lack its tags.
func TestPitfall3RowsAreRecalledAtTheCommit(t *testing.T) {
	r := ints(7, "t", 1)
	n := dep.Fold("shop", "t")
	for _, c := range []struct {
		name    string
		between func(w *rawWorld)
		want    string
	}{
		{"nothing happens between", func(*rawWorld) {}, "t: a=5"},
		{"the same interest again", func(w *rawWorld) { w.watch.Want(n, []dep.Want{valueOfA}) }, "t: a=5"},
		{"another interest", func(w *rawWorld) { w.watch.Want(n, []dep.Want{{Column: "a", Interest: dep.InRange}}) }, "t WHOLE"},
		{"the table is forgotten", func(w *rawWorld) { w.watch.Forget(n) }, "t WHOLE"},
		{"the schema changes", func(w *rawWorld) { w.schema.set(n, shapeOfInts(1)) }, "t WHOLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRawWorld(t, gomysql.MySQLFlavor)
			w.follow(r, valueOfA)
			w.prepareXA(r, "x")
			c.between(w)
			if got := w.tagged.show(w.commitXA("x")); got != c.want {
				t.Errorf("touched %s, want %s", got, c.want)
			}
		})
	}
}

// An interest that comes after the look at the versions and before the record.
func TestPitfall3TheCommitOpensTheWatch(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	r := ints(7, "t", 1)
	n := dep.Fold("shop", "t")
	w.follow(r, valueOfA)
	w.prepareXA(r, "x")
	tx := w.commitXA("x")
	late := []dep.Want{{Column: "a", Interest: dep.InRange}}
	if since := w.watch.Want(n, late); since != math.MaxUint64 {
		t.Errorf("an interest counts since %s, before the commit at %s", since, tx.Seq)
	}
	w.record([]*change.Transaction{tx})
	if since := w.watch.Want(n, late); since != tx.Seq {
		t.Errorf("afterwards it counts since %s, want %s", since, tx.Seq)
	}
}

// What is held of prepared transactions is bounded by its tags too.
func TestPitfall17HeldTags(t *testing.T) {
	var p prepared
	n := dep.Fold("shop", "t")
	large := func() held {
		h := held{Transaction: &change.Transaction{}}
		h.Tell(n)
		h.Tags = make([]cache.Tag, maxHeldTags/2)
		return h
	}
	for _, xid := range []string{"1", "2", "3", "2"} {
		p.hold(xid, large())
	}
	show := func() (text string) {
		for _, xid := range []string{"1", "2", "3"} {
			text += fmt.Sprintf("%s:%d/%d ", xid, len(p.byXID[xid].Tables), len(p.byXID[xid].Tags)/(maxHeldTags/2))
		}
		return text + fmt.Sprint(p.tags)
	}
	if got, want := show(), fmt.Sprintf("1:0/1 2:0/1 3:1/0 %d", maxHeldTags); got != want {
		t.Errorf("held %s, want %s", got, want)
	}
	for _, xid := range []string{"1", "2", "3", "1"} {
		p.take(xid)
	}
	if p.tags != 0 {
		t.Errorf("nothing is held, but %d tags are", p.tags)
	}
}

// A stream breaks in the middle of a transaction, and the next one delivers it again from its first row: whatever was
// wanted meanwhile is told.
func TestABrokenStreamTellsAgain(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	r := ints(7, "t", 2)
	n := dep.Fold("shop", "t")
	w.follow(r, valueOfA)
	b := dep.Want{Column: "b", Interest: dep.InValue}
	group := func() {
		w.take(gtidMySQL(100, 1))
		w.take(query(150, "BEGIN"))
		w.send(at(200, r.mapped()), at(250, r.event(write, r.full(write), image(5, 6))))
	}
	group()
	w.tagged.learn(n, []dep.Want{b})
	if since := w.watch.Want(n, []dep.Want{b}); since != math.MaxUint64 {
		t.Errorf("wanted in the middle, it counts since %s", since)
	}
	w.assembler = &assembler{teller: w.assembler.teller, unknown: w.assembler.unknown} // the stream breaks
	w.record(w.take(rotate("bin.000001", 80)))
	if since := w.watch.Want(n, []dep.Want{b}); since != cache.At(1, 80) {
		t.Errorf("at the start of the next stream it counts since %s, want 1/80", since)
	}
	group()
	if got := w.tagged.show(w.take(xid(300))[0]); got != "t: a=5 b=6" {
		t.Errorf("touched %s, want t: a=5 b=6", got)
	}
}
