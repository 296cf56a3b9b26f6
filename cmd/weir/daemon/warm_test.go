package daemon

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
)

// memoryNotes are notes that forget nothing.
type memoryNotes struct {
	mu    sync.Mutex
	notes map[string]map[string][]byte
}

func (m *memoryNotes) Leave(_ context.Context, name, field string, value []byte, _ time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes == nil {
		m.notes = map[string]map[string][]byte{}
	}
	if m.notes[name] == nil {
		m.notes[name] = map[string][]byte{}
	}
	m.notes[name][field] = value
	return nil
}

func (m *memoryNotes) Left(_ context.Context, name string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.notes[name]), nil
}

func (m *memoryNotes) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = nil
}

// warmWorld is a source and one Weir after the other, which find what the one before has left.
type warmWorld struct {
	*world
	notes *memoryNotes
	d     *client
	kept  map[string]keptResult // by query
}

// keptResult is what a second tier has of a result.
type keptResult struct {
	tags  []cache.Tag
	place cache.Place
}

func newWarmWorld(t *testing.T, o sandbox.Options) *warmWorld {
	w := &warmWorld{world: newSource(t, o), notes: &memoryNotes{}}
	w.seams.notes = w.notes
	w.d = w.direct("app", "")
	warmTables(w.d)
	return w
}

// warmTables makes the tables that the results of warmQueries are read from.
func warmTables(d *client) {
	d.run("CREATE DATABASE shop")
	d.run("CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB")
	d.run("CREATE TABLE shop.parent (id INT PRIMARY KEY, n INT) ENGINE=InnoDB")
	d.run("CREATE TABLE shop.child (id INT PRIMARY KEY, p INT, CONSTRAINT key_p FOREIGN KEY (p) REFERENCES shop.parent (id) ON DELETE CASCADE) ENGINE=InnoDB")
	d.run("CREATE TABLE shop.grand (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES shop.child (id) ON DELETE CASCADE) ENGINE=InnoDB")
	d.run("CREATE TABLE shop.other (id INT PRIMARY KEY) ENGINE=InnoDB")
	d.run("INSERT INTO shop.t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
	d.run("INSERT INTO shop.parent VALUES (1, 10), (2, 20)")
	d.run("INSERT INTO shop.child VALUES (1, 1), (2, 2)")
	d.run("INSERT INTO shop.grand VALUES (1, 1), (2, 2)")
}

const (
	rowOne, rowTwo = "SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2"
	children       = "SELECT COUNT(*) FROM child"
	grands         = "SELECT COUNT(*) FROM grand"
	others         = "SELECT COUNT(*) FROM other"
)

var warmQueries = []string{rowOne, rowTwo, children, grands, others}

// live runs a Weir for a while: it leaves a position, then stores results, and stops.
func (w *warmWorld) live() {
	w.t.Helper()
	w.notes.forget()
	w.start(nil)
	w.d = w.direct("app", "")
	w.eventually("a position is left", func() bool {
		w.weir.warmth.leavePosition(w.t.Context())
		left, _ := w.notes.Left(w.t.Context(), notePositions)
		return len(left) > 0
	})
	w.notes.freeze(notePositions)
	w.d.run("UPDATE shop.t SET v = CONCAT('x', v) WHERE id = 3")
	w.caughtUp()
	p := w.proxy("app", "shop")
	for _, q := range warmQueries {
		p.warm(q)
	}
	w.kept = map[string]keptResult{}
	w.eventually("every result has a place", func() bool { return w.keep() == len(warmQueries) })
	w.weir.warmth.leaveInterests(w.t.Context())
	w.stop()
}

// freeze keeps later positions from being left, so that the only one is from before the results.
func (m *memoryNotes) freeze(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes[name] = maps.Clone(m.notes[name])
	for field, value := range m.notes[name] {
		m.notes["kept "+name] = map[string][]byte{field: value}
	}
}

// thaw puts the first positions back.
func (m *memoryNotes) thaw(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes[name] = m.notes["kept "+name]
}

func (w *warmWorld) keep() int {
	w.weir.cache.Each(func(e *cache.Entry) {
		for _, q := range warmQueries {
			if place, ok := w.weir.reader.History().Place(e.At); ok && strings.Contains(string(e.Key()), q) {
				w.kept[q] = keptResult{tags: e.Tags, place: place}
			}
		}
	})
	return len(w.kept)
}

// again starts another Weir, while somebody writes, and says which of the kept results it may serve, and whether it went
// on where the one before was.
func (w *warmWorld) again(quiet bool) (fresh string, warm bool) {
	w.t.Helper()
	w.notes.thaw(notePositions)
	stop := func() {}
	if !quiet {
		stop = w.writes()
	}
	w.start(nil)
	stop()
	w.caughtUp()
	w.eventually("the binlog's files are settled", func() bool {
		_, ok := w.weir.reader.History().Place(w.weir.ledger.Mark())
		return ok
	})
	var names []string
	for _, q := range warmQueries {
		if w.servable(w.kept[q]) {
			names = append(names, q)
		}
	}
	_, warm = w.weir.reader.History().Mark(w.kept[rowOne].place)
	return strings.Join(names, "; "), warm
}

// writes changes a row again and again, of which no result is kept.
func (w *warmWorld) writes() (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var writer sync.WaitGroup
	c := w.direct("app", "")
	writer.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			c.ask(fmt.Sprintf("UPDATE shop.t SET v = '%d' WHERE id = 3", i))
		}
	})
	return func() { cancel(); writer.Wait() }
}

// servable judges a result from a second tier as it was stored.
func (w *world) servable(k keptResult) bool {
	mark, ok := w.weir.changes.History().Mark(k.place)
	l := w.weir.ledger
	return ok && l.Fresh(cache.NewEntry(nil, nil, k.tags, mark), l.Now(), time.Minute)
}

// chapter is what happens to the source between two Weirs.
type chapter struct {
	name string
	do   func(w *warmWorld)
	// fresh are the results that may be served afterwards; none of the others must be.
	fresh string
	cold  bool // the start must not have gone back
	quiet bool // nobody writes meanwhile
}

func (w *warmWorld) chapter(c chapter) {
	w.live()
	c.do(w)
	fresh, warm := w.again(c.quiet)
	if fresh != c.fresh || warm == c.cold {
		w.t.Errorf("%s: fresh are %q, want %q; went back: %v, want %v", c.name, fresh, c.fresh, warm, !c.cold)
	}
	p := w.proxy("app", "shop")
	w.works(w.direct("app", "shop"), p, "after all")
	w.stop()
}

func sqls(statements ...string) func(*warmWorld) {
	return func(w *warmWorld) {
		d := w.direct("app", "shop")
		for _, s := range statements {
			d.run(s)
		}
	}
}

func all(queries ...string) string { return strings.Join(queries, "; ") }

// TestWarmRestart: a Weir that starts knows what has changed since another one was there, row by row.
func TestWarmRestart(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWarmWorld(t, sandbox.Options{Flavor: flavor})
		for _, c := range []chapter{
			{name: "a row, and new files", do: sqls("FLUSH BINARY LOGS", "UPDATE t SET v = 'new' WHERE id = 2", "FLUSH BINARY LOGS"), fresh: all(rowOne, children, grands, others)},
			{name: "a cascade", do: sqls("DELETE FROM parent WHERE id = 1"), fresh: all(rowOne, rowTwo, others)},
			// The schema of now does not tell that the first statement reaches the third table.
			{name: "a cascade of then", do: sqls("DELETE FROM parent WHERE id = 2", "ALTER TABLE child DROP FOREIGN KEY key_p"), quiet: true},
			{name: "a statement in text", do: sqls("SET SESSION binlog_format = 'STATEMENT'", "INSERT INTO other VALUES (100)")},
			{name: "columns that move", do: sqls("UPDATE t SET v = 'a' WHERE id = 2", "ALTER TABLE t DROP COLUMN v, ADD COLUMN v VARCHAR(20) DEFAULT 'd' FIRST")},
			{name: "an XA transaction", do: sqls("XA START 'x'", "UPDATE t SET v = 'xa' WHERE id = 2", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"), fresh: all(rowOne, children, grands, others)},
			{name: "a restart of the server", do: (*warmWorld).restartSource, fresh: all(warmQueries...)},
			{name: "older places that are none", do: (*warmWorld).misplace, fresh: all(warmQueries...)},
			{name: "a crash", do: (*warmWorld).crashSource, cold: true},
			{name: "a purge", do: (*warmWorld).purge, cold: true},
			{name: "a reset", do: (*warmWorld).reset, cold: true},
		} {
			w.chapter(c)
		}
	})
}

func (w *warmWorld) restartSource() {
	w.must(w.source.Restart(w.t.Context()))
}

func (w *warmWorld) crashSource() {
	w.source.Kill()
	w.must(w.source.Restart(w.t.Context()))
}

// misplace leaves two places beside the one that is right: one in a file that is not there, and one in a file that was
// begun at another time, as the stream tells.
func (w *warmWorld) misplace() {
	for _, value := range w.notes.notes["kept "+notePositions] {
		c, err := replicator.DecodeCheckpoint(value)
		w.must(err)
		c.Begun, c.Taken = c.Begun+1, c.Taken.Add(-time.Minute)
		w.notes.notes["kept "+notePositions]["begun"] = c.Encode()
		c.File, c.Taken = "binlog.100000", c.Taken.Add(-time.Minute)
		w.notes.notes["kept "+notePositions]["file"] = c.Encode()
		return
	}
}

func (w *warmWorld) purge() {
	d := w.direct("app", "shop")
	d.run("FLUSH BINARY LOGS")
	d.run("FLUSH BINARY LOGS")
	w.eventually("all but the last binlog are purged", func() bool {
		p, err := w.source.Position(w.t.Context())
		w.must(err)
		d.run("PURGE BINARY LOGS TO '" + p.File + "'")
		return strings.Count(string(d.ask("SHOW BINARY LOGS")), "binlog.") == 1
	})
}

func (w *warmWorld) reset() {
	w.direct("app", "shop").run(w.say("RESET BINARY LOGS AND GTIDS", "RESET MASTER"))
}

// A server that writes through to the disk loses nothing when it dies.
func TestWarmRestartAfterACrashThatLosesNothing(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWarmWorld(t, sandbox.Options{Flavor: flavor, SyncBinlog: 1, Extra: []string{"--innodb-flush-log-at-trx-commit=1"}})
		w.chapter(chapter{name: "a crash", do: (*warmWorld).crashSource, fresh: all(warmQueries...)})
	})
}

// The steps of the comment on conduct, in package replicator: a source is a replica for a while, and does not log it.
func TestPitfall15AHoleInTheBinlog(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		off := map[sandbox.Flavor]string{sandbox.MariaDB: "--log-slave-updates=0", sandbox.MySQL: "--log-replica-updates=OFF"}
		w := newWarmWorld(t, sandbox.Options{Flavor: flavor, Extra: []string{off[flavor]}})
		other := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.chapter(chapter{name: "a hole", cold: true, do: func(w *warmWorld) { w.hole(other) }})
	})
}

// As before, but nobody writes when Weir starts: the place at which it begins is the one at which results were kept.
func TestPitfall15AHoleAtTheFloor(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		off := map[sandbox.Flavor]string{sandbox.MariaDB: "--log-slave-updates=0", sandbox.MySQL: "--log-replica-updates=OFF"}
		w := newWarmWorld(t, sandbox.Options{Flavor: flavor, Extra: []string{off[flavor]}})
		other := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.chapter(chapter{name: "a hole", cold: true, quiet: true, do: func(w *warmWorld) { w.hole(other) }})
	})
}

// As before, while Weir follows the source all the time.
func TestPitfall15AHoleUnderTheReadersEyes(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		off := map[sandbox.Flavor]string{sandbox.MariaDB: "--log-slave-updates=0", sandbox.MySQL: "--log-replica-updates=OFF"}
		w := newWarmWorld(t, sandbox.Options{Flavor: flavor, Extra: []string{off[flavor]}})
		other := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.start(nil)
		w.caughtUp()
		p := w.proxy("app", "shop")
		p.warm(rowOne)
		w.hole(other)
		w.eventually("the hidden change is served", func() bool { return p.ask(rowOne) == "v\nhidden\n" })
	})
}

// hole makes the source a replica of another server, which changes a row, and then the source again.
func (w *warmWorld) hole(other *sandbox.Server) {
	w.must(other.CatchUp(w.t.Context()))
	w.must(other.StopReplica(w.t.Context(), ""))
	sandboxtest.Exec(w.t, other, "UPDATE shop.t SET v = 'hidden' WHERE id = 1")
	w.follows(other)
	w.eventually("the row has changed", func() bool { return w.direct("app", "shop").ask(rowOne) == "v\nhidden\n" })
	w.must(w.source.StopReplica(w.t.Context(), ""))
}

// follows makes the source a replica.
func (w *warmWorld) follows(other *sandbox.Server) {
	w.must(other.CreateUser(w.t.Context(), "follower", "follower-secret", "REPLICATION SLAVE ON *.*"))
	const whom = "HOST='127.0.0.1', %[1]s_PORT=%[2]d, %[1]s_USER='follower', %[1]s_PASSWORD='follower-secret', "
	if w.flavor == sandbox.MariaDB {
		sandboxtest.Exec(w.t, w.source, fmt.Sprintf("CHANGE MASTER TO MASTER_"+whom+"MASTER_USE_GTID=current_pos", "MASTER", other.Port), "START SLAVE")
		return
	}
	sandboxtest.Exec(w.t, w.source, fmt.Sprintf("CHANGE REPLICATION SOURCE TO SOURCE_"+whom+"SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1", "SOURCE", other.Port), "START REPLICA")
}

func TestPositionsCoverTheWindow(t *testing.T) {
	fields := map[string]bool{}
	at := time.UnixMilli(1_700_000_000_000)
	for range 900 {
		fields[positionField(at, 15*time.Minute)] = true
		at = at.Add(time.Second)
	}
	if n := len(fields); n < positionsKept || n > positionsKept+1 {
		t.Errorf("positions of a window go to %d fields", n)
	}
}

func TestInterestsOfOthersAreBounded(t *testing.T) {
	many := interestNote{}
	for i := range 30 {
		table := interestTable{Schema: "s", Table: fmt.Sprint("t", i), Columns: map[string]dep.Interest{}}
		for c := range 1000 {
			table.Columns[fmt.Sprint("c", c)] = dep.InValue
		}
		many.Tables = append(many.Tables, table)
	}
	for range maxInterests {
		many.Tables = append(many.Tables, interestTable{Schema: "s", Table: "empty"})
	}
	taken := bounded([]interestNote{many}, func(n dep.Name) bool { return n != dep.Fold("s", "t3") })
	if len(taken) != maxInterests/1000-1 {
		t.Errorf("%d tables with a thousand columns are taken up", len(taken))
	}
}

// Notes that nobody has written, or of long ago, are as good as none.
func TestNotesThatAreNone(t *testing.T) {
	l := cache.NewLedger(1 << 4)
	w := &warmth{notes: &memoryNotes{}, window: time.Minute, watch: dep.NewWatch(l)}
	for field, value := range map[string]string{"1": "", "2": "nonsense", "3": `1 00000000 {"file": "binlog.000001"}`} {
		w.must(t, w.notes.Leave(t.Context(), notePositions, field, []byte(value), time.Hour))
		w.must(t, w.notes.Leave(t.Context(), noteInterests, field, []byte(value), time.Hour))
	}
	w.must(t, w.notes.Leave(t.Context(), noteInterests, "4", []byte(`{"at_ms": 1, "tables": [{"schema": "s", "table": "t", "columns": {"a": 1}}]}`), time.Hour))
	if all := w.places(t.Context()); len(all) != 0 {
		t.Errorf("places are %v", all)
	}
	if w.watch.Decoding(dep.Fold("s", "t")) != nil {
		t.Error("an interest of long ago is taken up")
	}
}

func (w *warmth) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
