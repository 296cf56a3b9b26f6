package replicator

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/recent"
)

// recording is a recorder with a log of the last transactions.
func recording(schema Schema) (*Recorder, *cache.Ledger) {
	l := cache.NewLedger(1 << 10)
	j := NewJournal()
	j.Restart(l.Restart(1), gtid.New(gtid.MariaDB))
	r := NewRecorder(l, j, schema, slog.New(slog.DiscardHandler), nil)
	r.Recent = recent.New()
	return r, l
}

// TestLoggedBeforeRecorded replays the race of package recent: when the ledger has a transaction, the log has it already.
func TestLoggedBeforeRecorded(t *testing.T) {
	r, l := recording(family{})
	table := dep.Fold("shop", "t")
	asked := 0
	r.now = func() time.Time {
		if asked++; asked == 1 && l.Last(table.Tag()) != 0 {
			t.Error("the ledger has the transaction, and the log has not")
		}
		return time.Now()
	}
	r.Apply(t.Context(), &change.Transaction{Seq: 20, Tables: []dep.Name{table}})
	if _, ok := r.Recent.At(20); !ok || asked == 0 {
		t.Error("the log has not got the transaction")
	}
}

// TestLogged: what the recorder is told of a transaction, as in words.
func TestLogged(t *testing.T) {
	parent, other := dep.Fold("shop", "parent"), dep.Fold("shop", "other")
	for _, c := range []struct {
		name   string
		schema family
		change change.Transaction
		want   string
	}{
		{"rows that were told of", family{}, change.Transaction{Rows: []dep.Name{other}, Deeds: []change.Deed{{Name: other, Verb: change.Insert, Rows: 3}}}, "shop.other insert 3"},
		{"rows, through a relay", family{}, change.Transaction{Rows: []dep.Name{other}}, "shop.other rows 0"},
		{"a table, through a relay", family{}, change.Transaction{Tables: []dep.Name{other}}, "shop.other rows 0"},
		{"a definition", family{}, change.Transaction{Tables: []dep.Name{other}, Definitions: []dep.Name{other}}, "shop.other ddl 0"},
		{"a layout", family{}, change.Transaction{Layouts: []dep.Name{other}}, "shop.other ddl 0"},
		{"what foreign keys pass on", family{}, change.Transaction{Rows: []dep.Name{parent}, Parents: []dep.Name{parent}}, "shop.child cascade 0; shop.parent rows 0"},
		{"everything", family{}, change.Transaction{Everything: "no idea"}, "everything: no idea"},
		{"foreign keys that nobody knows", family{uncertain: true}, change.Transaction{Rows: []dep.Name{other}}, "shop.other rows 0; everything: the foreign keys are being read, or changed"},
		{"nothing", family{}, change.Transaction{GTID: gtid.OfMariaDB(0, 1, 7)}, "not there"},
		{"progress", family{}, change.Transaction{}, "not there"},
	} {
		r, _ := recording(c.schema)
		c.change.Seq = 20
		r.Apply(t.Context(), &c.change)
		if got := inWords(r.Recent, 20); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func inWords(l *recent.Log, seq cache.Seq) string {
	c, ok := l.At(seq)
	if !ok {
		return "not there"
	}
	var words []string
	for _, t := range c.Tables {
		words = append(words, fmt.Sprint(t.Name, " ", t.Kind, " ", t.Rows))
	}
	if c.Everything != "" {
		words = append(words, "everything: "+c.Everything)
	}
	return strings.Join(words, "; ")
}

// TestWhatEnded: who finds that a tag has changed finds what has changed it.
func TestWhatEnded(t *testing.T) {
	cases := []struct {
		change []string
		kinds  string // with rows; of the table alone if nobody reads its rows
		whole  string
	}{
		{[]string{"INSERT INTO parent VALUES (5, 50), (6, 60)"}, "insert 2", "insert 0"},
		{[]string{"UPDATE parent SET a = 11 WHERE id < 3"}, "update 2", "update 0"},
		{[]string{"BEGIN", "INSERT INTO parent VALUES (9, 1)", "DELETE FROM parent WHERE id > 4", "COMMIT"}, "insert+delete 4", "insert+delete 0"},
		{[]string{"XA START 'x'", "DELETE FROM parent WHERE id = 4", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"}, "delete 1", "delete 0"},
		{[]string{"XA START 'y'", "DELETE FROM parent WHERE id = 3", "XA END 'y'", "XA COMMIT 'y' ONE PHASE"}, "delete 1", "delete 0"},
	}
	parent := dep.Fold("shop", "parent")
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor})
		log := recent.New()
		for _, watched := range []bool{false, true} {
			w.prepare("DROP TABLE IF EXISTS parent", "CREATE TABLE parent (id INT PRIMARY KEY, a INT) ENGINE=InnoDB", "INSERT INTO parent VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
			w.learn("parent")
			w.remember(log)
			if watched {
				w.want("parent", dep.Want{Column: "id", Interest: dep.InValue})
			}
			for _, c := range cases {
				before := w.ledger.Head()
				w.tell(c.change...)
				want := c.whole
				if watched {
					want = c.kinds
				}
				last := w.ledger.Last(parent.Tag())
				found, ok := log.At(last)
				if last <= before || !ok || inWords(log, last) != "shop.parent "+want {
					t.Errorf("%s, watched: %v: at %s %s, want %s", c.change, watched, last, inWords(log, last), want)
				}
				if found.GTID == "" || found.Committed.IsZero() || !strings.HasSuffix(found.Position, fmt.Sprint(":", last.Pos())) {
					t.Errorf("%+v lacks something", found)
				}
			}
		}
	})
}

// remember has the recorder keep a log, from the next transaction on.
func (w *rowWorld) remember(log *recent.Log) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r, ok := w.next.(*Recorder); ok {
		w.next = withLog{r, log}
	}
}

// withLog gives the recorder its log on the goroutine that it belongs to.
type withLog struct {
	*Recorder
	log *recent.Log
}

func (r withLog) Apply(ctx context.Context, t *change.Transaction) {
	r.Recent = r.log
	r.Recorder.Apply(ctx, t)
}
