package replicator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// asRows are interests of all kinds in the columns of the table that most cases use.
var asRows = []dep.Want{
	{Column: "id", Interest: dep.InValue},
	{Column: "a", Interest: dep.InValue}, {Column: "a", Interest: dep.InChange},
	{Column: "r", Interest: dep.InRange},
	{Column: "", Interest: dep.InChange},
}

const small = "(id INT PRIMARY KEY, a INT, r INT, s VARCHAR(20))"

// rowCase is a table, what it holds, a change, and what the change touches.
type rowCase struct {
	name    string
	only    sandbox.Flavor // the flavor that has it; empty for both
	table   string         // behind CREATE TABLE t; small if empty
	prepare []string
	change  []string
	want    string
	mysql   string // where MySQL differs
}

// TestRowsThroughTheStream: the tags that ordinary changes touch, as the servers write them.
func TestRowsThroughTheStream(t *testing.T) { playRows(t, rowCases) }

// TestPitfall8RowsWithoutTransactions: the rows of tables without transactions count, also after ROLLBACK.
func TestPitfall8RowsWithoutTransactions(t *testing.T) { playRows(t, myISAMCases) }

func playRows(t *testing.T, cases func(file string) []rowCase) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor, Extra: []string{"--local-infile=1", "--secure-file-priv="}})
		file := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(file, []byte("3,30,300,x\n4,40,400,y\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases(file) {
			if c.only == "" || c.only == flavor {
				t.Run(c.name, func(t *testing.T) { c.play(t, w, flavor) })
			}
		}
	})
}

func (c rowCase) play(t *testing.T, w *rowWorld, flavor sandbox.Flavor) {
	w.t = t
	table := c.table
	if table == "" {
		table = small + " ENGINE=InnoDB"
	}
	w.prepare("DROP TABLE IF EXISTS t", "CREATE TABLE t "+table)
	w.prepare(c.prepare...)
	w.follow("t", asRows...)
	want := c.want
	if flavor == sandbox.MySQL && c.mysql != "" {
		want = c.mysql
	}
	if got := w.tell(c.change...); got != want {
		t.Errorf("%s\ntouched %s\nwant    %s", strings.Join(c.change, "; "), got, want)
	}
}

var two = []string{"INSERT INTO t (id, a, r) VALUES (1, 10, 100), (2, 20, 200)"}

func myISAMCases(string) []rowCase {
	return []rowCase{
		{name: "an update", table: small + " ENGINE=MyISAM", prepare: two, change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "what is rolled back", table: small + " ENGINE=MyISAM", prepare: two, change: []string{"BEGIN", "DELETE FROM t WHERE id = 1", "ROLLBACK"}, want: "t: +- a=10 id=1 r@0/1 r@1/0 r@2/0"},
	}
}

func rowCases(file string) []rowCase {
	return []rowCase{
		{name: "INSERT", change: []string{"INSERT INTO t VALUES (3, 30, 300, 'x')"}, want: "t: +- a=30 id=3 r@0/4 r@1/0 r@2/0"},
		{name: "INSERT of NULL", change: []string{"INSERT INTO t VALUES (3, NULL, NULL, 'x')"}, want: "t: +- id=3"},
		{name: "UPDATE of a watched column", prepare: two, change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "UPDATE of another column", prepare: two, change: []string{"UPDATE t SET s = 'z' WHERE id = 1"}, want: "t: a=10 id=1 r@0/1 r@1/0 r@2/0"},
		{name: "UPDATE to NULL", prepare: two, change: []string{"UPDATE t SET a = NULL WHERE id = 1"}, want: "t: a=10 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "UPDATE of a primary key", prepare: two, change: []string{"UPDATE t SET id = 7 WHERE id = 1"}, want: "t: a=10 id=1 id=7 r@0/1 r@1/0 r@2/0"},
		{name: "UPDATE that changes nothing", prepare: two, change: []string{"UPDATE t SET a = 10 WHERE id = 1"}, want: ""},
		{name: "DELETE", prepare: two, change: []string{"DELETE FROM t WHERE id = 2"}, want: "t: +- a=20 id=2 r@0/3 r@1/0 r@2/0"},
		{name: "REPLACE", prepare: two, change: []string{"REPLACE INTO t VALUES (1, 12, 100, NULL)"}, want: "t: a=10 a=12 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "ON DUPLICATE KEY UPDATE", prepare: two, change: []string{"INSERT INTO t VALUES (1, 0, 0, ''), (3, 30, 300, '') ON DUPLICATE KEY UPDATE a = 13"},
			want: "t: +- a=10 a=13 a=30 a~ id=1 id=3 r@0/1 r@0/4 r@1/0 r@2/0"},
		{name: "multi-table UPDATE", prepare: append(two, "DROP TABLE IF EXISTS u", "CREATE TABLE u (id INT PRIMARY KEY, a INT) ENGINE=InnoDB", "INSERT INTO u VALUES (1, 1)"),
			change: []string{"UPDATE t JOIN u USING (id) SET t.a = 14, u.a = 2"}, want: "u WHOLE t: a=10 a=14 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "multi-table DELETE", prepare: append(two, "DROP TABLE IF EXISTS u", "CREATE TABLE u (id INT PRIMARY KEY, a INT) ENGINE=InnoDB", "INSERT INTO u VALUES (1, 1)"),
			change: []string{"DELETE t, u FROM t JOIN u USING (id)"}, want: "u WHOLE t: +- a=10 id=1 r@0/1 r@1/0 r@2/0"},
		{name: "LOAD DATA", change: []string{"LOAD DATA INFILE '" + file + "' INTO TABLE t FIELDS TERMINATED BY ','"}, want: "t: +- a=30 a=40 id=3 id=4 r@0/4 r@0/6 r@1/0 r@2/0"},
		{name: "a transaction", prepare: two, change: []string{"BEGIN", "UPDATE t SET a = 11 WHERE id = 1", "INSERT INTO t VALUES (3, 30, 300, NULL)", "COMMIT"},
			want: "t: +- a=10 a=11 a=30 a~ id=1 id=3 r@0/1 r@0/4 r@1/0 r@2/0"},
		{name: "a transaction that is rolled back", prepare: two, change: []string{"BEGIN", "UPDATE t SET a = 11", "ROLLBACK"}, want: ""},
		{name: "TRUNCATE is a statement", prepare: two, change: []string{"TRUNCATE TABLE t"}, want: ""},
		{name: "statement format", prepare: two, change: []string{"SET SESSION binlog_format = 'STATEMENT'", "UPDATE t SET a = 11 WHERE id = 1"}, want: ""},

		{name: "Pitfall3 XA", prepare: two, change: []string{"XA START 'x'", "UPDATE t SET a = 11 WHERE id = 1", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"},
			want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "Pitfall3 XA rolled back", prepare: two, change: []string{"XA START 'x'", "UPDATE t SET a = 11 WHERE id = 1", "XA END 'x'", "XA PREPARE 'x'", "XA ROLLBACK 'x'"}, want: ""},
		{name: "Pitfall3 XA in one phase", prepare: two, change: []string{"XA START 'x'", "UPDATE t SET a = 11 WHERE id = 1", "XA END 'x'", "XA COMMIT 'x' ONE PHASE"},
			want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},

		{name: "Pitfall10 compressed transaction", only: sandbox.MySQL, prepare: two,
			change: []string{"SET SESSION binlog_transaction_compression = ON", "UPDATE t SET a = 11, s = 'x' WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "Pitfall10 compressed events", only: sandbox.MariaDB, prepare: append(two, "SET GLOBAL log_bin_compress = ON", "SET GLOBAL log_bin_compress_min_len = 10"),
			change: []string{"UPDATE t SET a = 11, s = REPEAT('x', 20) WHERE id = 1", "DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (3, 30, 300, REPEAT('x', 20))", "SET GLOBAL log_bin_compress = OFF"},
			want:   "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0 | t: +- a=11 id=1 r@0/1 r@1/0 r@2/0 | t: +- a=30 id=3 r@0/4 r@1/0 r@2/0"},

		{name: "partitions", table: small + " ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3", prepare: two,
			change: []string{"UPDATE t SET id = 6, a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 id=6 r@0/1 r@1/0 r@2/0"},
		{name: "an invisible column before the watched ones", table: "(x INT INVISIBLE DEFAULT 5, id INT PRIMARY KEY, a INT, r INT, s VARCHAR(20)) ENGINE=InnoDB", prepare: two,
			change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "a stored column that is watched", table: "(id INT PRIMARY KEY, b INT, a INT AS (b * 2) STORED, r INT) ENGINE=InnoDB", prepare: []string{"INSERT INTO t (id, b, r) VALUES (1, 5, 100)"},
			change: []string{"UPDATE t SET b = 6 WHERE id = 1"}, want: "t: a=10 a=12 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "a virtual column that is watched", table: "(id INT PRIMARY KEY, b INT, a INT AS (b * 2) VIRTUAL, r INT) ENGINE=InnoDB", prepare: []string{"INSERT INTO t (id, b, r) VALUES (1, 5, 100)"},
			change: []string{"UPDATE t SET b = 6 WHERE id = 1"}, want: "t WHOLE"},
		{name: "a virtual column that nobody watches", table: "(id INT PRIMARY KEY, b INT AS (a * 2) VIRTUAL, a INT, r INT) ENGINE=InnoDB", prepare: two,
			change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "functional index", only: sandbox.MySQL, table: "(id INT PRIMARY KEY, a INT, r INT, s VARCHAR(20), INDEX ((a * 2)), INDEX ((LOWER(s)))) ENGINE=InnoDB", prepare: two,
			change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "multi-valued index", only: sandbox.MySQL, table: "(id INT PRIMARY KEY, a INT, r INT, j JSON, INDEX ((CAST(j AS UNSIGNED ARRAY)))) ENGINE=InnoDB",
			prepare: append(two, "UPDATE t SET j = '[1, 2]'"),
			change:  []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
		{name: "a generated invisible primary key", only: sandbox.MySQL, table: "(a INT, r INT) ENGINE=InnoDB",
			prepare: []string{"DROP TABLE t", "SET SESSION sql_generate_invisible_primary_key = ON", "CREATE TABLE t (a INT, r INT) ENGINE=InnoDB", "INSERT INTO t VALUES (10, 100)"},
			change:  []string{"UPDATE t SET a = 11"}, want: "t: a=10 a=11 a~ r@0/1 r@1/0 r@2/0"},
		{name: "unique BLOB, with a hidden column", only: sandbox.MariaDB, table: "(id INT PRIMARY KEY, a INT, r INT, b BLOB UNIQUE) ENGINE=InnoDB", prepare: two,
			change: []string{"UPDATE t SET a = 11 WHERE id = 1"}, want: "t WHOLE"},
		{name: "PARTIAL_JSON", only: sandbox.MySQL, table: "(id INT PRIMARY KEY, a INT, r INT, j JSON) ENGINE=InnoDB",
			prepare: append(two, `UPDATE t SET j = CONCAT('{"k": "', REPEAT('x', 200), '", "n": 1}')`),
			change:  []string{"SET SESSION binlog_row_value_options = PARTIAL_JSON", "UPDATE t SET j = JSON_SET(j, '$.n', 2) WHERE id = 1"}, want: "t WHOLE"},
		{name: "Pitfall11 shadow table", prepare: append(two, "DROP TABLE IF EXISTS _t_gho", "CREATE TABLE _t_gho LIKE t"),
			change: []string{"INSERT INTO _t_gho SELECT * FROM t WHERE id = 1", "UPDATE t SET a = 11 WHERE id = 1"}, want: "_t_gho WHOLE | t: a=10 a=11 a~ id=1 r@0/1 r@1/0 r@2/0"},
	}
}
