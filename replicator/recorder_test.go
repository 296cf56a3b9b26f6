package replicator

import (
	"log/slog"
	"testing"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

// family is a schema in which rows of child change with those of parent.
type family struct{ uncertain bool }

func (family) Cascades(n dep.Name) []dep.Name {
	if n == dep.Fold("shop", "parent") {
		return []dep.Name{dep.Fold("shop", "child")}
	}
	return nil
}

func (f family) Uncertain() bool { return f.uncertain }

func TestRecorderTouches(t *testing.T) {
	all := map[string]cache.Tag{
		"everything": dep.Everything(), "accounts": dep.Accounts().Tag(), "schema": dep.Schema("shop"),
		"parent": dep.Fold("shop", "parent").Tag(), "child": dep.Fold("shop", "child").Tag(),
		"definition": dep.Fold("shop", "parent").Definition(),
	}
	cases := []struct {
		name   string
		schema family
		change change.Transaction
		want   []string
	}{
		{"rows, and those that a foreign key changes with them", family{}, change.Transaction{Tables: []dep.Name{dep.Fold("shop", "parent")}}, []string{"parent", "child"}},
		{"rows, while foreign keys are being changed", family{uncertain: true}, change.Transaction{Tables: []dep.Name{dep.Fold("shop", "child")}}, []string{"child", "everything"}},
		{"a definition, whose rows count as changed by those who say so", family{}, change.Transaction{Definitions: []dep.Name{dep.Fold("shop", "parent")}}, []string{"definition"}},
		{"a schema", family{}, change.Transaction{Schemas: []string{"shop"}}, []string{"schema"}},
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
