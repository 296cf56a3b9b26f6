package replicator

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

// family is a schema in which rows of child change with those of parent.
type family struct{ uncertain, blank bool }

func (family) Cascades(n dep.Name) []dep.Name {
	if n == dep.Fold("shop", "parent") {
		return []dep.Name{dep.Fold("shop", "child")}
	}
	return nil
}

func (f family) Uncertain() bool { return f.uncertain }

func (f family) Blank() bool { return f.blank }

func TestRecorderTouches(t *testing.T) {
	all := map[string]cache.Tag{
		"everything": dep.Everything(), "accounts": dep.Accounts().Tag(), "schema": dep.Schema("shop"),
		"parent": dep.Fold("shop", "parent").Tag(), "child": dep.Fold("shop", "child").Tag(),
		"parent!": dep.Fold("shop", "parent").Anchor(), "child!": dep.Fold("shop", "child").Anchor(),
		"row": 12345 << 40, "definition": dep.Fold("shop", "parent").Definition(), "layout": dep.Fold("shop", "parent").Layout(),
	}
	parent, child := []dep.Name{dep.Fold("shop", "parent")}, []dep.Name{dep.Fold("shop", "child")}
	row := []cache.Tag{all["row"]}
	cases := []struct {
		name   string
		schema family
		change change.Transaction
		want   []string
	}{
		{"a table, and those that a foreign key changes with it", family{}, change.Transaction{Tables: parent}, []string{"parent", "parent!", "child", "child!"}},
		{"a table, while foreign keys are being changed", family{uncertain: true}, change.Transaction{Tables: child}, []string{"child", "child!", "everything"}},
		{"a definition, while foreign keys are being changed", family{uncertain: true}, change.Transaction{Tables: parent, Definitions: parent}, []string{"parent", "parent!", "definition", "child", "child!"}},
		{"a definition, and a table of which rows changed", family{uncertain: true}, change.Transaction{Tables: append(child, parent...), Definitions: parent}, []string{"parent", "parent!", "child", "child!", "definition", "everything"}},
		{"rows", family{}, change.Transaction{Rows: child, Tags: row}, []string{"child", "row"}},
		{"rows of a parent that no foreign key passes on", family{}, change.Transaction{Rows: parent, Tags: row}, []string{"parent", "row"}},
		{"rows of a parent that it does", family{}, change.Transaction{Rows: parent, Parents: parent, Tags: row}, []string{"parent", "row", "child", "child!"}},
		{"rows, while foreign keys are being changed", family{uncertain: true}, change.Transaction{Rows: child, Tags: row}, []string{"child", "row", "everything"}},
		{"rows, and the table as a whole", family{}, change.Transaction{Rows: child, Tables: child, Tags: row}, []string{"child", "child!", "row"}},
		{"a definition, whose rows count as changed by those who say so", family{}, change.Transaction{Definitions: []dep.Name{dep.Fold("shop", "parent")}}, []string{"definition"}},
		{"a layout, while foreign keys are being changed", family{uncertain: true}, change.Transaction{Layouts: parent}, []string{"layout"}},
		{"a layout, and rows of another table", family{}, change.Transaction{Layouts: parent, Rows: child, Tags: row}, []string{"layout", "child", "row"}},
		{"a schema", family{}, change.Transaction{Schemas: []string{"shop"}}, []string{"schema"}},
		{"rows, and a text that was not understood", family{}, change.Transaction{Rows: child, Tags: row, Everything: "no idea"}, []string{"child", "row", "everything"}},
		{"accounts", family{}, change.Transaction{Tables: []dep.Name{dep.Accounts()}, Everything: "account"}, []string{"accounts", "everything"}},
		{"a text that was not understood", family{}, change.Transaction{Everything: "no idea"}, []string{"everything"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := cache.NewLedger(1 << 16)
			epoch := l.Restart(10)
			j := NewJournal()
			j.Restart(epoch, gtid.New(gtid.MySQL))
			c.change.Seq = 20
			NewRecorder(l, j, c.schema, slog.New(slog.DiscardHandler), nil).Apply(t.Context(), &c.change)
			want := map[string]bool{}
			for _, name := range c.want {
				want[name] = true
			}
			for name, tag := range all {
				if got := l.Last(tag) == 20; got != want[name] {
					t.Errorf("%s was touched: %v, want %v", name, got, want[name])
				}
			}
		})
	}
}

// TestRecorderBeforeTheSchemaIsRead: each epoch begins without foreign keys. Everything counts as changed, and as nothing is
// cached yet nobody is told.
func TestRecorderBeforeTheSchemaIsRead(t *testing.T) {
	for _, blank := range []bool{true, false} {
		l := cache.NewLedger(1 << 10)
		epoch := l.Restart(1)
		j := NewJournal()
		j.Restart(epoch, gtid.New(gtid.MariaDB))
		var log bytes.Buffer
		r := NewRecorder(l, j, family{uncertain: true, blank: blank}, slog.New(slog.NewTextHandler(&log, nil)), nil)
		r.Apply(t.Context(), &change.Transaction{Seq: 20, Tables: []dep.Name{dep.Fold("shop", "child")}})
		if l.Last(dep.Everything()) != 20 {
			t.Errorf("blank: %v: everything did not change", blank)
		}
		if n := testutil.ToFloat64(r.metrics.everything); blank != (n == 0) || blank != (log.Len() == 0) {
			t.Errorf("blank: %v: counted %v, told %q", blank, n, log.String())
		}
	}
}

// TestRecorderClosesTheWatch: what was wanted in the middle of a transaction counts once the ledger has the transaction;
// or progress, with which a stream begins after one that broke in the middle.
func TestRecorderClosesTheWatch(t *testing.T) {
	n := dep.Fold("shop", "child")
	for _, tx := range []change.Transaction{
		{Rows: []dep.Name{n}}, {Tables: []dep.Name{n}}, {Layouts: []dep.Name{n}}, {Everything: "no idea"},
		{GTID: gtid.OfMariaDB(0, 1, 7)}, // with nothing that touches
		{},                              // progress
	} {
		l := cache.NewLedger(1 << 10)
		epoch := l.Restart(1)
		j := NewJournal()
		j.Restart(epoch, gtid.New(gtid.MariaDB))
		r := NewRecorder(l, j, family{}, slog.New(slog.DiscardHandler), nil)
		r.Watch = dep.NewWatch(l)
		r.Watch.Decoding(n)
		wants := []dep.Want{{Column: "id", Interest: dep.InValue}}
		if since := r.Watch.Want(n, wants); since <= 20 {
			t.Errorf("wanted in the middle, it counts since %s", since)
		}
		tx.Seq = 20
		r.Apply(t.Context(), &tx)
		if since := r.Watch.Want(n, wants); since != 20 {
			t.Errorf("after %+v it counts since %s, want 0/20", tx, since)
		}
	}
}
