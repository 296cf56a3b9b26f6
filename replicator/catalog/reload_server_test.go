package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// counting is a session that counts what it brings.
type counting struct {
	Querier
	queries, rows int
}

func (c *counting) Query(ctx context.Context, sql string) ([][]string, error) {
	rows, err := c.Querier.Query(ctx, sql)
	c.queries++
	c.rows += len(rows)
	return rows, err
}

// reloadStep is some statements and the names that they change, as the binlog tells them.
type reloadStep struct {
	name, statements, changed string
}

// manyTables is how many tables stay as they are.
const manyTables = 50

var reloadSteps = []reloadStep{
	{"a column more", "ALTER TABLE s.t ADD b VARCHAR(9) FIRST", "s.t"},
	{"a column of type TIME", "ALTER TABLE s.t ADD opens TIME", "s.t"},
	{"it is in a view", "ALTER VIEW s.v AS SELECT * FROM s.t", "s.v"},
	{"it is none", "ALTER TABLE s.t MODIFY opens INT", "s.t"},
	{"other columns in the view", "ALTER VIEW s.v AS SELECT id FROM s.t", "s.v"},
	{"a column less", "ALTER TABLE s.t DROP b, DROP opens", "s.t"},
	{"another key", "CREATE UNIQUE INDEX k ON s.t (a)", "s.t"},
	{"a name that was unknown", "CREATE TABLE s.fresh (id INT PRIMARY KEY, a TIME)", "s.fresh"},
	{"gone", "DROP TABLE s.fresh", "s.fresh"},
	{"gone and there again", "DROP TABLE s.t; CREATE TABLE s.t (id INT, a INT) ENGINE = MyISAM", "s.t"},
	{"a MERGE table over it", "CREATE TABLE s.m (id INT, a INT) ENGINE = MERGE UNION = (s.t)", "s.m"},
	{"another engine", "ALTER TABLE s.t ENGINE = InnoDB", "s.t"},
	{"no MERGE table", "DROP TABLE s.m", "s.m"},
	{"a view redefined", "ALTER VIEW s.v AS SELECT a FROM s.t", "s.v"},
	{"a table under views", "ALTER TABLE s.t ADD c INT", "s.t"},
	{"a view in the place of a table", "DROP TABLE s.t; CREATE VIEW s.t AS SELECT 1 AS a", "s.t"},
	{"and back", "DROP VIEW s.t; CREATE TABLE s.t (a INT PRIMARY KEY)", "s.t"},
	{"renamed in a ring", "RENAME TABLE s.t TO s.tmp, s.u TO s.t, s.tmp TO s.u", "s.t s.u s.tmp"},
	{"renamed to a new name", "RENAME TABLE s.t TO s2.t", "s.t s2.t"},
	{"renamed back", "RENAME TABLE s2.t TO s.t", "s.t s2.t"},
	{"a trigger", "CREATE TRIGGER s.r BEFORE INSERT ON s.u FOR EACH ROW SET @x = 1", "s.u"},
	{"no trigger", "DROP TRIGGER s.r", "s.u"},
	{"names that differ by case", "CREATE TABLE s.U (x INT)", "s.u"},
	{"one of them changes", "ALTER TABLE s.U ADD y INT", "s.u"},
	{"in another schema", "CREATE DATABASE S; CREATE TABLE S.u (x INT)", "s.u"},
	{"one of them goes", "DROP TABLE s.U; DROP TABLE S.u", "s.u"},
	{"other letters", "CREATE TABLE s.`ÄRGER` (id INT PRIMARY KEY); CREATE TABLE s.`ärger2` (id INT)", "s.ärger s.ärger2"},
	{"letters that only look like others", "CREATE TABLE s.`\u212Aelvin` (id INT); CREATE TABLE s.arger (id INT)", "s.kelvin s.arger"},
	{"both", "ALTER TABLE s.`ÄRGER` ADD a INT; ALTER TABLE s.arger ADD b INT", "s.ärger s.arger"},
	{"of three one", "ALTER TABLE s.arger ADD c INT", "s.arger s.parent"},
	{"quotes", "CREATE TABLE s.`it's\\` (id INT)", `s.it's\`},
	{"a child", "CREATE TABLE s.child (a INT, FOREIGN KEY (a) REFERENCES s.parent (id) ON DELETE CASCADE)", "s.child"},
	{"a column that a child refers to", "ALTER TABLE s.parent RENAME COLUMN id TO ID2", "s.parent"},
	{"no child", "DROP TABLE s.child", "s.child"},
	{"nothing", "DO 0", ""},
	{"a name that never was", "DO 0", "s.never nowhere.t"},
}

// TestReload: after each step, what was read of the changed names, put into what was known before, is the same as what
// a whole load reads; and it takes little.
func TestReload(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		if err := server.CreateUser(t.Context(), "weir", "secret", grantedToWeir); err != nil {
			t.Fatal(err)
		}
		sandboxtest.Exec(t, server, "CREATE DATABASE s", "CREATE DATABASE s2", "CREATE TABLE s.t (id INT PRIMARY KEY, a INT)",
			"CREATE TABLE s.u (id INT PRIMARY KEY)", "CREATE VIEW s.v AS SELECT id FROM s.t", "CREATE VIEW s.w AS SELECT * FROM s.v",
			"CREATE TABLE s.parent (id INT PRIMARY KEY)", "CREATE DATABASE S3",
			"CREATE TABLE s.Z (z INT)", "CREATE TABLE s.`é` (e INT)", "CREATE TABLE s.e (e INT)", "CREATE TABLE S3.z (z INT)", "CREATE TABLE s2.`_` (z INT)")
		var many []string
		for i := range manyTables {
			many = append(many, fmt.Sprintf("CREATE TABLE s.many%d (id INT PRIMARY KEY, a INT, v VARCHAR(9), KEY (v))", i))
		}
		onOneConnection(t, server, many...)
		q := &counting{Querier: loginAs(t, server, "weir", "secret")}
		known := load(t, q)
		if q.rows < 6*manyTables {
			t.Fatalf("a whole load brought %d rows", q.rows)
		}
		testPortions(t, q, known)
		for _, step := range reloadSteps {
			onOneConnection(t, server, strings.Split(step.statements, "; ")...)
			known = testReload(t, q, known, step)
		}
	})
}

// testPortions: it does not matter in how many queries the columns are read.
func testPortions(t *testing.T, q Querier, want *Snapshot) {
	t.Helper()
	for _, most := range []int{1, 7, manyTables} {
		l := newLoader(q)
		l.portion = most
		if err := l.run(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if d := difference(l.assemble(), want); d != "" {
			t.Errorf("read in portions of %d, the schema differs: %s", most, d)
		}
	}
}

func testReload(t *testing.T, q *counting, known *Snapshot, step reloadStep) *Snapshot {
	t.Helper()
	q.queries, q.rows = 0, 0
	next, whole, err := reload(t.Context(), q, slog.New(slog.DiscardHandler), known, namesOf(step.changed))
	if err != nil {
		t.Fatalf("%s: %v", step.name, err)
	}
	if whole || q.queries > 20 || q.rows > 60 {
		t.Errorf("%s: all was read: %v; %d queries, %d rows", step.name, whole, q.queries, q.rows)
	}
	want := load(t, q)
	if d := difference(next, want); d != "" {
		t.Errorf("%s: what is known differs from a whole load: %s", step.name, d)
	}
	return next
}

func namesOf(text string) []dep.Name {
	var names []dep.Name
	for _, name := range strings.Fields(text) {
		names = append(names, nameOf(name))
	}
	return names
}

// difference tells in what two snapshots differ; empty if they say the same.
func difference(got, want *Snapshot) string {
	g, w := said(got), said(want)
	for n := range maps.Keys(g) {
		if g[n] != w[n] {
			return fmt.Sprintf("%s: %s, want %s", n, g[n], w[n])
		}
		delete(w, n)
	}
	if len(w) > 0 {
		return fmt.Sprintf("nothing is said of %v", w)
	}
	return ""
}

// said is all that a snapshot says, by what it says it of.
func said(s *Snapshot) map[string]string {
	all := map[string]string{"rights": fmt.Sprint(s.rights)}
	for n, r := range s.relations {
		all[n.String()] = fmt.Sprintf("%+v %s", shapeless(r), shapeText(r.Shape))
	}
	note := func(kind string, n dep.Name, v any) { all[kind+" of "+n.String()] = fmt.Sprint(v) }
	for n, v := range s.notes {
		note("note", n, v)
	}
	for n, v := range s.times {
		note("columns of type TIME", n, v)
	}
	for n, v := range s.cascades {
		note("cascades", n, v)
	}
	for n, v := range s.references {
		note("references", n, v)
	}
	for kind, set := range map[string]map[dep.Name]bool{"MyISAM": s.myISAM, "merging": s.merging, "locked": s.locked} {
		for n := range set {
			note(kind, n, true)
		}
	}
	return all
}

// TestReloadOfFoldedNames: on a server that folds names, they are found as it has them.
func TestReloadOfFoldedNames(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, LowerCaseTableNames: 1})
		sandboxtest.Exec(t, server, "CREATE DATABASE Shop", "CREATE TABLE SHOP.Orders (id INT PRIMARY KEY)", "CREATE TABLE shop.`ÄRGER` (id INT)")
		if err := server.CreateUser(t.Context(), "weir", "secret", grantedToWeir); err != nil {
			t.Fatal(err)
		}
		q := &counting{Querier: loginAs(t, server, "weir", "secret")}
		known := load(t, q)
		for _, step := range []reloadStep{
			{"a column more", "ALTER TABLE shop.ORDERS ADD A INT", "shop.orders"},
			{"other letters", "ALTER TABLE shop.`ärger` ADD A INT", "shop.ärger"},
			{"gone", "DROP TABLE shop.ORDERS", "shop.orders"},
		} {
			onOneConnection(t, server, step.statements)
			known = testReload(t, q, known, step)
		}
	})
}
