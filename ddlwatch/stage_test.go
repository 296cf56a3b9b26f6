package ddlwatch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
)

// diary writes down who was told what, in order. It is catalogue and next stage in one.
type diary struct {
	base
	entries  []string
	triggers map[string]bool
	// unknown are names that have been changed and not read again.
	unknown map[string]bool
}

func (d *diary) Changed(seq cache.Seq, names []dep.Name, schemas []string, all, fk bool) {
	d.entries = append(d.entries, fmt.Sprintf("changed %s %v %v all=%t fk=%t", seq, names, schemas, all, fk))
	for _, n := range names {
		d.unknown[n.String()] = true
	}
}

func (d *diary) Moved(seq cache.Seq, names []dep.Name) {
	d.entries = append(d.entries, fmt.Sprintf("moved %s %v", seq, names))
	for _, n := range names {
		d.unknown[n.String()] = true
	}
}

func (d *diary) Reindexed(seq cache.Seq, names []dep.Name) {
	d.entries = append(d.entries, fmt.Sprintf("reindexed %s %v", seq, names))
}

func (d *diary) Triggers(n dep.Name) (has, isKnown bool) {
	return d.triggers[n.String()], d.base[n.String()] && !d.unknown[n.String()]
}

func (d *diary) Apply(_ context.Context, t *change.Transaction) {
	d.entries = append(d.entries, fmt.Sprintf("apply %s %v %v %q", t.Seq, t.Tables, t.Schemas, t.Everything))
	if t.Statements != nil {
		d.entries = append(d.entries, "statements left over")
	}
}

func newDiary() *diary {
	return &diary{base: known, triggers: map[string]bool{"shop.orders": true}, unknown: map[string]bool{}}
}

// transaction has the given statements, run in schema shop.
func transaction(pos uint64, sql ...string) *change.Transaction {
	t := &change.Transaction{Seq: cache.At(7, pos)}
	for _, s := range sql {
		t.Statements = append(t.Statements, change.Statement{Schema: "shop", SQL: s})
	}
	return t
}

func apply(s *Stage, ts ...*change.Transaction) {
	for _, t := range ts {
		s.Apply(context.Background(), t)
	}
}

func checkDiary(t *testing.T, d *diary, want ...string) {
	t.Helper()
	if !slices.Equal(d.entries, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(d.entries, "\n"), strings.Join(want, "\n"))
	}
}

func TestPitfall6CatalogFirst(t *testing.T) {
	d := newDiary()
	apply(NewStage(d, d, nil, nil), transaction(100, "RENAME TABLE a TO b, c TO a"))
	checkDiary(t, d,
		"moved 7/100 [shop.a shop.b shop.c]",
		`apply 7/100 [shop.a shop.b shop.c] [] ""`)
}

// What moves tables of which not all are named, or adds a foreign key besides, may concern any table.
func TestPitfall4MovesAndMore(t *testing.T) {
	many := "RENAME TABLE a TO b"
	for i := range maxTables {
		many += fmt.Sprintf(", t%d TO u%d", i, i)
	}
	for sql, want := range map[string]string{
		"ALTER TABLE t RENAME TO u":                          "moved 7/100 [shop.t shop.u]",
		"ALTER TABLE t DROP CONSTRAINT c":                    "moved 7/100 [shop.t]",
		"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)":       "moved 7/100 [shop.t]",
		"CREATE TABLE n (a INT, CONSTRAINT c CHECK (a > 0))": "moved 7/100 [shop.n]",
		"DROP TABLE t":                     "changed 7/100 [shop.t] [] all=false fk=false",
		"ALTER TABLE t DROP FOREIGN KEY f": "changed 7/100 [shop.t] [] all=false fk=true",
		"ALTER TABLE t RENAME TO u, ADD FOREIGN KEY (a) REFERENCES c (a)": "changed 7/100 [shop.t shop.u] [] all=false fk=true",
		"RENAME TABLE mysql.user TO t":                                    "changed 7/100 [mysql.user shop.t] [] all=true fk=true",
		many:                                                              "all=true fk=true",
	} {
		d := newDiary()
		apply(NewStage(d, d, nil, nil), transaction(100, sql))
		if got := d.entries[0]; got != want && !(sql == many && strings.HasSuffix(got, want)) {
			t.Errorf("%.80s: told %.200s, want %s", sql, got, want)
		}
	}
}

func TestStageKeepsOrder(t *testing.T) {
	d := newDiary()
	rows := transaction(200)
	rows.Touch(dep.Fold("shop", "items"))
	apply(NewStage(d, d, nil, nil),
		transaction(100, "ALTER TABLE t ADD b int"), rows, transaction(300, "DROP DATABASE other"))
	checkDiary(t, d,
		"changed 7/100 [shop.t] [] all=false fk=false",
		`apply 7/100 [shop.t] [] ""`,
		`apply 7/200 [shop.items] [] ""`,
		"changed 7/300 [] [other] all=false fk=false",
		`apply 7/300 [] [other] ""`)
}

// MySQL's atomic CREATE TABLE ... SELECT has the statement and the rows in one group.
func TestPitfall6CreateTableSelectWithRows(t *testing.T) {
	d := newDiary()
	tx := transaction(100, "CREATE TABLE `ctas` (\n  `a` int NOT NULL\n) START TRANSACTION")
	tx.Touch(dep.Fold("shop", "ctas"))
	apply(NewStage(d, d, nil, nil), tx)
	checkDiary(t, d,
		"changed 7/100 [shop.ctas] [] all=false fk=false",
		`apply 7/100 [shop.ctas] [] ""`)
}

func TestPitfall5StatementFormat(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"UPDATE t SET a = 1", `apply 7/100 [shop.t] [] ""`},
		{"INSERT INTO orders VALUES (1)", `apply 7/100 [shop.orders] [] "writes shop.orders, which has triggers"`},
		{"INSERT INTO v VALUES (1)", `apply 7/100 [shop.v] [] "writes shop.v, which may be a view"`},
		{"SELECT `shop`.`f`(1)", `apply 7/100 [] [] "a stored function wrote"`},
		{"TRUNCATE orders", `apply 7/100 [shop.orders] [] ""`},
		{"GRANT ALL ON *.* TO x", `apply 7/100 [mysql.user] [] "account"`},
		{"DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `t`", `apply 7/100 [] [] ""`},
	} {
		d := newDiary()
		apply(NewStage(d, d, nil, nil), transaction(100, c.sql))
		checkDiary(t, d, c.want)
	}
}

// The statement before changed the table: what the catalogue knew of its triggers is of the past.
func TestPitfall16TriggersOfNow(t *testing.T) {
	d := newDiary()
	apply(NewStage(d, d, nil, nil),
		transaction(100, "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW INSERT INTO u VALUES (1)", "INSERT INTO t VALUES (1)"))
	checkDiary(t, d,
		"changed 7/100 [shop.t] [] all=false fk=false",
		`apply 7/100 [shop.t] [] "writes shop.t, whose triggers are not known"`)
}

func TestDropTriggerTouchesNoResult(t *testing.T) {
	d := newDiary()
	apply(NewStage(d, d, nil, nil), transaction(100, "DROP TRIGGER pt_osc_shop_t_del"))
	checkDiary(t, d,
		"changed 7/100 [] [shop] all=false fk=false",
		`apply 7/100 [] [] ""`)
}

func TestPitfall9UnknownStatement(t *testing.T) {
	d := newDiary()
	tx := transaction(100, "CREATE SOMETHING new")
	tx.Everything = "an event of type 200"
	apply(NewStage(d, d, nil, nil), tx)
	checkDiary(t, d,
		"changed 7/100 [] [] all=true fk=true",
		`apply 7/100 [mysql.user] [] "an event of type 200"`)
}

func TestStageWarnsOnce(t *testing.T) {
	var out bytes.Buffer
	d := newDiary()
	s := NewStage(d, d, nil, slog.New(slog.NewTextHandler(&out, nil)))
	apply(s, transaction(100, "CREATE SOMETHING a 'secret'", "create something b", "INSERT INTO t SELECT FROM", "DROP TABLE t"))
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d warnings, want 2:\n%s", n, &out)
	}
	for _, want := range []string{`begins="CREATE SOMETHING"`, "kind=dml", `begins="INSERT INTO"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("the log shows data:\n%s", &out)
	}
}

func TestStageBoundsItsWarnings(t *testing.T) {
	d := newDiary()
	s := NewStage(d, d, nil, nil)
	for i := range maxWarned + 10 {
		apply(s, transaction(100, fmt.Sprintf("UNKNOWN w%d", i)))
	}
	if len(s.warned) != maxWarned {
		t.Errorf("%d warnings are kept, want %d", len(s.warned), maxWarned)
	}
}

func TestStageCounts(t *testing.T) {
	reg := prometheus.NewRegistry()
	d := newDiary()
	apply(NewStage(d, d, reg, nil), transaction(100,
		"DROP TABLE t", "DROP TABLE u", "CREATE INDEX i ON t (a)", "DROP DATABASE x", "GRANT ALL ON *.* TO x", "DROP EVENT e", "DROP TRIGGER g"))
	want := `
# HELP weir_ddl_statements_total Statements that the binlog carries as text, by kind and by how much of the cache they touched.
# TYPE weir_ddl_statements_total counter
weir_ddl_statements_total{kind="account",touched="everything"} 1
weir_ddl_statements_total{kind="create_index",touched="layout"} 1
weir_ddl_statements_total{kind="drop_database",touched="schemas"} 1
weir_ddl_statements_total{kind="drop_table",touched="tables"} 2
weir_ddl_statements_total{kind="drop_trigger",touched="nothing"} 1
weir_ddl_statements_total{kind="event",touched="nothing"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// What is said about a statement before it runs depends on definitions alone.
func TestStageTellsDefinitionsFromRows(t *testing.T) {
	for sql, want := range map[string]string{
		"ALTER TABLE t ADD c INT":             "[shop.t]",
		"RENAME TABLE a TO b":                 "[shop.a shop.b]",
		"CREATE OR REPLACE VIEW v AS TABLE t": "[shop.v]",
		"UPDATE t SET a = 1":                  "[]",
		"INSERT INTO t VALUES (1)":            "[]",
	} {
		d := newDiary()
		tx := transaction(100, sql)
		apply(NewStage(d, d, nil, nil), tx)
		if got := fmt.Sprint(tx.Definitions); got != want {
			t.Errorf("%s redefines %s, want %s", sql, got, want)
		}
	}
}

// staged is what a stage leaves for the recorder.
func staged(t *testing.T, phase change.Phase, sql ...string) (*diary, *change.Transaction) {
	t.Helper()
	d, tx := newDiary(), transaction(100, sql...)
	for i := range tx.Statements {
		tx.Statements[i].Phase = phase
	}
	apply(NewStage(d, d, nil, nil), tx)
	return d, tx
}

// What leaves rows and columns as they are touches no result but those that depend on the layout, and the catalogue goes on
// knowing the table, so that its rows go on being told one by one.
func TestNoneTouchesOnlyTheLayout(t *testing.T) {
	for sql, called := range map[string]string{
		"ALTER TABLE t ADD INDEX (a)": "reindexed 7/100 [shop.t]",
		"DROP INDEX i ON t":           "reindexed 7/100 [shop.t]",
		"OPTIMIZE TABLE t":            "",
	} {
		d, tx := staged(t, change.AtOnce, sql)
		want := []string{called, `apply 7/100 [] [] ""`}
		if called == "" {
			want = want[1:]
		}
		checkDiary(t, d, want...)
		if got := fmt.Sprint(tx.Layouts, tx.Definitions, tx.Tables); got != "[shop.t] [] []" {
			t.Errorf("%s: layouts, definitions and tables are %s", sql, got)
		}
	}
}

// One statement of a transaction does not weaken another.
func TestNoneBesideShape(t *testing.T) {
	_, tx := staged(t, change.AtOnce, "ALTER TABLE t ADD INDEX (a)", "ALTER TABLE t ADD COLUMN b int", "CREATE INDEX i ON u (a)")
	if got := fmt.Sprint(tx.Layouts, tx.Definitions, tx.Tables); got != "[shop.t shop.u] [shop.t] [shop.t]" {
		t.Errorf("layouts, definitions and tables are %s", got)
	}
}

// MariaDB's two-phase ALTER:
//
//  1. START ALTER is written. Nothing has changed.
//  2. A fill reads the old shape.
//  3. COMMIT ALTER is written. The fill's result must not outlive it.
//
// To take effect at 1 alone would lose 3; at both would be needless. ROLLBACK ALTER, in place of 3, changes nothing.
func TestPitfall6AlterInTwoPhases(t *testing.T) {
	const sql = "ALTER TABLE t ADD COLUMN b int"
	for _, phase := range []change.Phase{change.Started, change.RolledBack} {
		d, tx := staged(t, phase, sql)
		checkDiary(t, d, `apply 7/100 [] [] ""`)
		if len(tx.Layouts)+len(tx.Definitions) > 0 {
			t.Errorf("%s touches %v and %v", phase, tx.Layouts, tx.Definitions)
		}
	}
	for _, phase := range []change.Phase{change.Committed, change.AtOnce} {
		d, _ := staged(t, phase, sql)
		checkDiary(t, d, "changed 7/100 [shop.t] [] all=false fk=false", `apply 7/100 [shop.t] [] ""`)
	}
	for _, other := range []string{"DROP TABLE t", "TRUNCATE t"} { // which have no phases, whatever a flag says
		if _, tx := staged(t, change.Started, other); len(tx.Tables) == 0 {
			t.Errorf("%s touches nothing", other)
		}
	}
	if _, tx := staged(t, change.Started, "ALTER TABLE t RENAME CONSTRAINT a TO b"); tx.Everything == "" {
		t.Error("a text that was not understood touches nothing")
	}
}

func TestPhasesAreObserved(t *testing.T) {
	w := &witness{}
	s := NewStage(newDiary(), w, nil, nil)
	s.Observer = w
	for _, phase := range []change.Phase{change.Started, change.Committed} {
		tx := transaction(100, "ALTER TABLE t ADD COLUMN b int")
		tx.Statements[0].Phase = phase
		apply(s, tx)
	}
	if a, b := w.changes[0], w.changes[1]; a.Phase != change.Started || a.Effect.Class != None || len(a.Effect.Tables) != 1 ||
		b.Phase != change.Committed || b.Effect.Class != Shape {
		t.Errorf("told of %+v", w.changes)
	}
}
