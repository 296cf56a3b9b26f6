package recent

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

var noon = time.Unix(1700000000, 0)

// add adds a transaction that inserts a row into each of the tables.
func add(l *Log, epoch uint64, seq cache.Seq, tables ...string) {
	t := &change.Transaction{Seq: seq}
	for _, name := range tables {
		t.Did(dep.Fold("shop", name), change.Insert, 1)
	}
	l.Add(epoch, t, noon.Add(time.Duration(seq)))
}

func TestChange(t *testing.T) {
	l := New()
	l.File("mysql-bin.000007")
	tx := &change.Transaction{
		Seq: cache.At(12, 1543), GTID: gtid.OfMariaDB(0, 1, 77), CommittedAt: noon, Everything: "no idea",
	}
	items, orders := dep.Fold("shop", "items"), dep.Fold("shop", "orders")
	tx.Did(items, change.Insert, 2)
	tx.Did(orders, change.DDL, 0)
	tx.Did(items, change.Delete, 3)
	l.Add(1, tx, noon.Add(time.Second))
	want := Change{
		Seq: tx.Seq, Position: "mysql-bin.000012:1543", GTID: "0-1-77", Committed: noon, Recorded: noon.Add(time.Second), Everything: "no idea",
		Tables: []TableChange{{items, "insert+delete", 5}, {orders, "ddl", 0}},
	}
	tx.Deeds[0].Rows = 1000 // is the caller's again
	if got, ok := l.At(tx.Seq); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := l.Last(10); !reflect.DeepEqual(got, []Change{want}) {
		t.Errorf("the last are %+v", got)
	}
}

func TestPosition(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"", "7:99"}, {"odd", "7:99"}, {"binlog.000001", "binlog.000007:99"}, {"a.b.1", "a.b.7:99"}, {"x.10", "x.07:99"},
	} {
		l := New()
		l.File(tt.file)
		if add(l, 1, cache.At(7, 99)); l.Last(1)[0].Position != tt.want {
			t.Errorf("%q: %s, want %s", tt.file, l.Last(1)[0].Position, tt.want)
		}
	}
}

// TestRingWraps: the newest are remembered, the others are not, and what was of an overwritten one is not another's.
func TestRingWraps(t *testing.T) {
	const many = 2*Size + 10
	l := New()
	for seq := range cache.Seq(many) {
		tables := []string{"t"}
		if seq < Size {
			tables = []string{"t", "u", "v"}
		}
		add(l, 1, seq+1, tables...)
	}
	for seq, want := range map[cache.Seq]bool{0: false, 1: false, many - Size: false, many - Size + 1: true, many: true, many + 1: false} {
		if c, ok := l.At(seq); ok != want || ok && (c.Seq != seq || len(c.Tables) != 1) {
			t.Errorf("at %d: %v, %+v; want %v", seq, ok, c, want)
		}
	}
	last := l.Last(many)
	if len(last) != Size || last[0].Seq != many || last[Size-1].Seq != many-Size+1 {
		t.Errorf("the last are %d from %d to %d", len(last), last[0].Seq, last[len(last)-1].Seq)
	}
	if n := len(l.Last(-1)) + len(New().Last(5)); n != 0 {
		t.Errorf("%d of none", n)
	}
}

// TestOtherEpoch replays the race of the package: a Seq is looked for in the newest epoch alone.
func TestOtherEpoch(t *testing.T) {
	l := New()
	add(l, 1, 95, "old")
	add(l, 2, 60, "new")
	if c, ok := l.At(95); ok {
		t.Errorf("of the epoch before: %+v", c)
	}
	add(l, 2, 95, "new")
	if c, ok := l.At(95); !ok || c.Tables[0].Name.Table != "new" {
		t.Errorf("%v %+v, want the new one", ok, c)
	}
}

// TestTables: each table is counted, up to a bound, beyond which they are counted together.
func TestTables(t *testing.T) {
	l := New()
	for i := range MaxTables + 3 {
		add(l, 1, cache.Seq(i+1), fmt.Sprintf("t%06d", i))
	}
	tx := &change.Transaction{Seq: 1 << 20}
	tx.Did(dep.Fold("shop", "t000000"), change.Update|change.Cascade, 9)
	l.Add(1, tx, noon)
	all := l.Tables()
	if len(all) != MaxTables+1 {
		t.Fatalf("%d tables", len(all))
	}
	if want := (TableTally{dep.Fold("shop", "t000000"), 2, 10, 1, noon}); all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
	if last := all[MaxTables]; last.Name != others || last.Transactions != 3 || last.RowChanges != 3 || !last.Last.Equal(noon.Add(MaxTables+3)) {
		t.Errorf("the others: %+v", last)
	}
}

// TestMemoryIsBounded: with as many tables as a transaction may have.
func TestMemoryIsBounded(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, l := heap(), New()
	tx := &change.Transaction{}
	for i := range change.MaxDeeds + 5 {
		tx.Did(dep.Fold("shop", fmt.Sprint("table ", i)), change.Rows, 0)
	}
	for range 2 * Size {
		tx.Seq++
		l.Add(1, tx, noon)
	}
	if grown := heap() - before; grown > 22<<20 {
		t.Errorf("%d bytes", grown)
	} else {
		t.Logf("%d bytes for %d transactions of %d tables", grown, Size, len(tx.Deeds))
	}
	runtime.KeepAlive(l)
}

// TestAddAllocatesNothing: once the ring is full, for tables that are known.
func TestAddAllocatesNothing(t *testing.T) {
	l, tx := New(), &change.Transaction{}
	tx.Did(dep.Fold("shop", "t"), change.Insert, 1)
	for range Size {
		l.Add(1, tx, noon)
	}
	if n := testing.AllocsPerRun(100, func() { l.Add(1, tx, noon) }); n != 0 {
		t.Errorf("Add allocates %v times", n)
	}
}

// TestStressLog has readers look while it is written to: what they get belongs together.
func TestStressLog(t *testing.T) {
	l := New()
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, c := range l.Last(3) {
					if want := fmt.Sprint("t", c.Seq%100); len(c.Tables) != 1 || c.Tables[0].Name.Table != want {
						t.Errorf("at %d: %+v", c.Seq, c.Tables)
					}
					l.At(c.Seq)
				}
				l.Tables()
			}
		})
	}
	for seq := range cache.Seq(3 * Size) {
		add(l, 1, seq, fmt.Sprint("t", seq%100))
	}
	close(done)
	wg.Wait()
}

func BenchmarkAdd(b *testing.B) {
	l, tx := New(), &change.Transaction{}
	tx.Did(dep.Fold("shop", "orders"), change.Insert, 1)
	for b.Loop() {
		l.Add(1, tx, noon)
	}
}

// BenchmarkAt is for how long the stream waits for somebody who asks for what is not there.
func BenchmarkAt(b *testing.B) {
	l, tx := New(), &change.Transaction{}
	for range Size {
		l.Add(1, tx, noon)
	}
	for b.Loop() {
		l.At(5)
	}
}
