package ddlwatch

import (
	"fmt"
	"strings"
	"testing"

	"weir/cache/dep"
)

// row is one statement, run with the default schema shop unless the text begins with "-- schema: other\n", and what
// it changes, as brief writes it.
type row struct{ sql, want string }

// brief writes an effect in one line: its kind, class, tables, schemas with .*, the reason for everything in brackets or
// "unsure", and flags.
func brief(e Effect) string {
	words := []string{e.Kind, "(" + string(e.Class) + ")"}
	for _, n := range e.Tables {
		words = append(words, n.String())
	}
	for _, s := range e.Schemas {
		words = append(words, s+".*")
	}
	switch {
	case e.Unsure:
		words = append(words, "unsure")
	case e.Everything != "":
		words = append(words, "["+e.Everything+"]")
	}
	flags := []struct {
		set  bool
		name string
	}{{e.Schema, "+schema"}, {e.ForeignKeys, "+fk"}, {e.Moves && !e.ForeignKeys, "+moves"}, {e.Rows, "+rows"}, {e.CatalogOnly, "+catalogonly"}}
	for _, f := range flags {
		if f.set {
			words = append(words, f.name)
		}
	}
	return strings.Join(words, " ")
}

// base knows the base tables of the tests; any other name may be a view.
type base map[string]bool

func (b base) IsView(n dep.Name) bool { return !b[n.String()] }

var known = base{
	"shop.t": true, "shop.u": true, "shop.c": true, "shop.orders": true, "shop.items": true, "other.t": true,
	"other.log": true, "shop.keyless": true, "mysql.user": true, "mysql.time_zone": true,
}

func (b base) IsInnoDB(n dep.Name) bool { return b[n.String()] }

// HasPrimaryKey: of the base tables all but one have one.
func (b base) HasPrimaryKey(n dep.Name) bool { return b[n.String()] && n.Table != "keyless" }

func read(sql string) Effect {
	schema := "shop"
	if rest, ok := strings.CutPrefix(sql, "-- schema: "); ok {
		schema, sql, _ = strings.Cut(rest, "\n")
	}
	return Read(schema, sql, known)
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := brief(read(r.sql)); got != r.want {
			t.Errorf("%s\n got %s\nwant %s", r.sql, got, r.want)
		}
	}
}

// every returns all rows of all tables.
func every() []row {
	var all []row
	for _, rows := range [][]row{
		tableRows, dropRows, renameRows, swapRows, partitionRows, definitionRows, viewRows, triggerRows, routineRows,
		databaseRows, accountRows, storageRows, maintenanceRows, temporaryRows, sequenceRows, dataRows, queryRows,
		functionRows, mixedRows, loadRows, commentRows, quoteRows, charsetRows, doubtRows, queryTableRows,
		indexRows, keylessRows, alikeRows, rebuildRows, optionRows, partitionLayoutRows, mixedClassRows, notNoneRows,
	} {
		all = append(all, rows...)
	}
	return all
}

func TestEnoughStatements(t *testing.T) {
	if n := len(every()); n < 250 {
		t.Errorf("the tables have %d statements, want at least 250", n)
	}
}

func TestReadWithoutKnowledge(t *testing.T) {
	got := brief(Read("shop", "UPDATE t SET a = 1", nil))
	want := "dml (data) shop.t [writes shop.t, which may be a view] +rows"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNoServerAcceptsIt(t *testing.T) {
	e := Read("shop", "INSERT INTO t VALUES ('open", known)
	if want := "text not understood: no server would accept it"; e.Everything != want {
		t.Errorf("got %q, want %q", e.Everything, want)
	}
}

func TestManyTables(t *testing.T) {
	var names []string
	for i := range maxTables + 1 {
		names = append(names, fmt.Sprintf("t%d", i))
	}
	if e := read("DROP TABLE " + strings.Join(names[1:], ",")); len(e.Tables) != maxTables || e.Everything != "" {
		t.Errorf("%d tables, %q; want %d and no reason", len(e.Tables), e.Everything, maxTables)
	}
	if e := read("DROP TABLE " + strings.Join(names, ",")); e.Everything != "more tables than are worth naming" {
		t.Errorf("one more: %q", e.Everything)
	}
}
