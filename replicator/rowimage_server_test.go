package replicator

import (
	"fmt"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall7RowImages: what is not logged is not NULL. The key is watched by value and the rest by change, or the rest
// by value too.
func TestPitfall7RowImages(t *testing.T) {
	byChange := []dep.Want{
		{Column: "id", Interest: dep.InValue},
		{Column: "a", Interest: dep.InChange}, {Column: "b", Interest: dep.InChange}, {Column: "s", Interest: dep.InChange}, {Column: "g", Interest: dep.InChange},
		{Column: "", Interest: dep.InChange},
	}
	byValue := append([]dep.Want{{Column: "a", Interest: dep.InValue}}, byChange...)
	const table = "CREATE TABLE t (id INT PRIMARY KEY, a INT DEFAULT 5, b INT, s TEXT, g INT AS (b + 1) STORED) ENGINE=InnoDB"
	cases := []struct {
		image   string
		wants   []dep.Want
		change  string
		want    string
		mariaDB string // where MariaDB differs: what it leaves out of the image after the update may have changed
	}{
		{"FULL", byValue, "UPDATE t SET b = 3 WHERE id = 1", "t: a=10 b~ g~ id=1", ""},
		{"MINIMAL", byChange, "INSERT INTO t (id) VALUES (3)", "t: +- id=3", ""},
		{"MINIMAL", byChange, "UPDATE t SET a = 11 WHERE id = 1", "t: a~ id=1", "t WHOLE"},
		{"MINIMAL", byChange, "UPDATE t SET a = NULL WHERE id = 1", "t: a~ id=1", "t WHOLE"},
		{"MINIMAL", byChange, "UPDATE t SET b = 3 WHERE id = 1", "t: b~ g~ id=1", "t WHOLE"},
		{"MINIMAL", byChange, "UPDATE t SET s = 'new' WHERE id = 1", "t: id=1 s~", "t WHOLE"},
		{"MINIMAL", byChange, "UPDATE t SET id = 9 WHERE id = 1", "t: id=1 id=9", "t: a~ b~ g~ id=1 id=9 s~"},
		{"MINIMAL", byChange, "DELETE FROM t WHERE id = 1", "t: +- id=1", ""},
		{"MINIMAL", byChange, "REPLACE INTO t (id, a) VALUES (1, 7)", "t: a~ b~ g~ id=1 s~", ""},
		{"MINIMAL", byChange, "INSERT INTO t (id, a) VALUES (1, 7) ON DUPLICATE KEY UPDATE a = 8", "t: a~ b~ g~ id=1 s~", ""},
		{"MINIMAL", byChange, "UPDATE t JOIN (SELECT 3 AS n) x SET b = n, s = 'new' WHERE id = 1", "t: b~ g~ id=1 s~", "t WHOLE"},
		{"MINIMAL", byChange, "REPLACE INTO t (id, a) SELECT 1, 7", "t: a~ b~ g~ id=1 s~", ""},
		{"MINIMAL", byValue, "INSERT INTO t (id) VALUES (3)", "t WHOLE", ""},
		{"MINIMAL", byValue, "INSERT INTO t (id, a) VALUES (3, 30)", "t: +- a=30 id=3", ""},
		{"MINIMAL", byValue, "UPDATE t SET a = 11 WHERE id = 1", "t WHOLE", ""},
		{"MINIMAL", byValue, "UPDATE t SET b = 3 WHERE id = 1", "t WHOLE", ""},
		{"MINIMAL", byValue, "DELETE FROM t WHERE id = 1", "t WHOLE", ""},
		{"NOBLOB", byValue, "UPDATE t SET b = 3 WHERE id = 1", "t: a=10 b~ g~ id=1", "t: a=10 b~ g~ id=1 s~"},
		{"NOBLOB", byValue, "UPDATE t SET s = 'new' WHERE id = 1", "t: a=10 id=1 s~", ""},
		{"NOBLOB", byValue, "REPLACE INTO t (id, a) VALUES (1, 7)", "t: a=10 a=7 a~ b~ g~ id=1 s~", ""},
		{"NOBLOB", byValue, "DELETE FROM t WHERE id = 1", "t: +- a=10 id=1", ""},
		{"NOBLOB", byValue, "INSERT INTO t (id) VALUES (3)", "t: +- a=5 id=3", ""},
	}
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor})
		for i, c := range cases {
			t.Run(fmt.Sprint(c.image, i, c.change), func(t *testing.T) {
				w.t = t
				name := fmt.Sprint("t", i)
				on := strings.NewReplacer("TABLE t ", "TABLE "+name+" ", "INTO t ", "INTO "+name+" ", "UPDATE t ", "UPDATE "+name+" ", "FROM t ", "FROM "+name+" ")
				w.prepare(on.Replace(table), on.Replace("INSERT INTO t (id, a, b, s) VALUES (1, 10, 1, 'old'), (2, 20, 2, 'old')"))
				w.follow(name, c.wants...)
				got := w.tell("SET SESSION binlog_row_image = '"+c.image+"'", on.Replace(c.change))
				want := c.want
				if flavor == sandbox.MariaDB && c.mariaDB != "" {
					want = c.mariaDB
				}
				if got = strings.Replace(got, name, "t", 1); got != want {
					t.Errorf("touched %s\nwant    %s", got, want)
				}
			})
		}
	})
}

// columnTypes are all that a server has, with two values each.
var columnTypes = []struct {
	kind, one, two string
	only           sandbox.Flavor
}{
	{kind: "TINYINT", one: "-1", two: "127"},
	{kind: "SMALLINT UNSIGNED", one: "0", two: "65535"},
	{kind: "MEDIUMINT", one: "-1", two: "8388607"},
	{kind: "INT", one: "-1", two: "5"},
	{kind: "BIGINT", one: "-1", two: "5"},
	{kind: "DECIMAL(1,0)", one: "1", two: "-9"}, {kind: "DECIMAL(9,9)", one: "0.1", two: "-0.123456789"},
	{kind: "DECIMAL(10,3)", one: "1.5", two: "-1234567.891"}, {kind: "DECIMAL(65,30)", one: "1.5", two: "-99999999999999999999999999999999999.1"},
	{kind: "FLOAT", one: "1.5", two: "-2"}, {kind: "DOUBLE", one: "1.5", two: "-2"},
	{kind: "BIT(1)", one: "b'1'", two: "b'0'"}, {kind: "BIT(13)", one: "b'1011'", two: "b'0'"}, {kind: "BIT(64)", one: "b'1011'", two: "b'0'"},
	{kind: "YEAR", one: "1999", two: "0"},
	{kind: "DATE", one: "'2026-01-02'", two: "'1000-01-01'"},
	{kind: "TIME", one: "'10:11:12'", two: "'-838:59:59'"}, {kind: "TIME(1)", one: "'10:11:12.1'", two: "'00:00:00'"}, {kind: "TIME(4)", one: "'10:11:12.1234'", two: "'00:00:00'"}, {kind: "TIME(6)", one: "'10:11:12.123456'", two: "'00:00:00'"},
	{kind: "DATETIME", one: "'2026-01-02 03:04:05'", two: "'1000-01-01'"}, {kind: "DATETIME(3)", one: "'2026-01-02 03:04:05.123'", two: "'1000-01-01'"}, {kind: "DATETIME(6)", one: "'2026-01-02 03:04:05.123456'", two: "'1000-01-01'"},
	{kind: "TIMESTAMP NULL", one: "'2026-01-02 03:04:05'", two: "'1999-01-01'"}, {kind: "TIMESTAMP(2) NULL", one: "'2026-01-02 03:04:05.12'", two: "'1999-01-01'"}, {kind: "TIMESTAMP(6) NULL", one: "'2026-01-02 03:04:05.123456'", two: "'1999-01-01'"},
	{kind: "CHAR(1)", one: "'a'", two: "''"}, {kind: "CHAR(60) CHARACTER SET utf8mb4", one: "'äöü'", two: "''"}, {kind: "CHAR(255) CHARACTER SET utf8mb4", one: "REPEAT('ä', 255)", two: "''"}, {kind: "CHAR(200) CHARACTER SET latin1", one: "'a'", two: "REPEAT('b', 200)"},
	{kind: "BINARY(1)", one: "'a'", two: "'b'"}, {kind: "BINARY(255)", one: "'a'", two: "'b'"},
	{kind: "VARCHAR(10)", one: "'a'", two: "''"}, {kind: "VARCHAR(255) CHARACTER SET latin1", one: "REPEAT('a', 255)", two: "''"}, {kind: "VARCHAR(256) CHARACTER SET latin1", one: "'a'", two: "''"}, {kind: "VARCHAR(2000)", one: "REPEAT('ä', 2000)", two: "''"},
	{kind: "VARBINARY(255)", one: "'a'", two: "''"}, {kind: "VARBINARY(256)", one: "REPEAT('a', 256)", two: "''"},
	{kind: "TINYBLOB", one: "REPEAT('a', 255)", two: "''"}, {kind: "BLOB", one: "REPEAT('a', 256)", two: "''"}, {kind: "MEDIUMBLOB", one: "REPEAT('a', 70000)", two: "''"}, {kind: "LONGBLOB", one: "REPEAT('a', 70000)", two: "''"},
	{kind: "TINYTEXT", one: "'a'", two: "''"}, {kind: "TEXT", one: "'a'", two: "''"}, {kind: "MEDIUMTEXT", one: "'a'", two: "''"}, {kind: "LONGTEXT", one: "'a'", two: "''"},
	{kind: "ENUM('a','b')", one: "'a'", two: "'b'"}, {kind: "ENUM(" + members("e", 300) + ")", one: "'e1'", two: "'e300'"},
	{kind: "SET('a','b')", one: "'a,b'", two: "''"}, {kind: "SET(" + members("s", 9) + ")", one: "'s9'", two: "''"}, {kind: "SET(" + members("s", 20) + ")", one: "'s20'", two: "''"}, {kind: "SET(" + members("s", 64) + ")", one: "'s64'", two: "''"},
	{kind: "JSON", one: `'{"a": [1, 2]}'`, two: "'null'"},
	{kind: "GEOMETRY", one: "ST_GeomFromText('POINT(1 1)')", two: "ST_GeomFromText('LINESTRING(0 0, 1 1, 2 2)')"}, {kind: "POINT", one: "ST_GeomFromText('POINT(1 1)')", two: "ST_GeomFromText('POINT(2 1)')"},
	{kind: "VECTOR(3)", one: "STRING_TO_VECTOR('[1,2,3]')", two: "STRING_TO_VECTOR('[1,2]')", only: sandbox.MySQL},
	{kind: "INET6", one: "'::1'", two: "'2001:db8::1'", only: sandbox.MariaDB}, {kind: "INET4", one: "'127.0.0.1'", two: "'1.2.3.4'", only: sandbox.MariaDB}, {kind: "UUID", one: "UUID()", two: "UUID()", only: sandbox.MariaDB},
	{kind: "VARCHAR(200) COMPRESSED", one: "REPEAT('a', 200)", two: "'a'", only: sandbox.MariaDB}, {kind: "VARCHAR(2000) COMPRESSED", one: "REPEAT('a', 2000)", two: "'a'", only: sandbox.MariaDB}, {kind: "VARBINARY(300) COMPRESSED", one: "REPEAT('a', 300)", two: "'a'", only: sandbox.MariaDB},
	{kind: "TEXT COMPRESSED", one: "REPEAT('a', 2000)", two: "'a'", only: sandbox.MariaDB}, {kind: "LONGBLOB COMPRESSED", one: "REPEAT('a', 2000)", two: "'a'", only: sandbox.MariaDB},
}

func members(prefix string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("'%s%d'", prefix, i+1))
	}
	return strings.Join(all, ",")
}

// TestEveryTypeIsSteppedOver: a column behind each type, and one behind all of them, is found where it is.
func TestEveryTypeIsSteppedOver(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor})
		var all, ones, twos, nulls []string
		for i, c := range columnTypes {
			if c.only != "" && c.only != flavor {
				continue
			}
			all, ones, twos, nulls = append(all, fmt.Sprintf("c%d %s", i, c.kind)), append(ones, c.one), append(twos, c.two), append(nulls, "NULL")
			t.Run(c.kind[:min(len(c.kind), 30)], func(t *testing.T) {
				w.t = t
				w.step(fmt.Sprint("t", i), "c "+c.kind, c.one, c.two, "NULL")
			})
		}
		w.t = t
		list := func(values []string) string { return strings.Join(values, ", ") }
		w.step("t", list(all), list(ones), list(twos), list(nulls))
	})
}

// step inserts, changes and deletes rows in a table of the columns, with one behind them that is watched.
func (w *rowWorld) step(table, columns, one, two, nulls string) {
	w.t.Helper()
	w.prepare("CREATE TABLE " + table + " (" + columns + ", z INT NOT NULL) ENGINE=InnoDB")
	w.follow(table, dep.Want{Column: "z", Interest: dep.InValue}, dep.Want{Column: "z", Interest: dep.InChange})
	for _, c := range []struct{ change, want string }{
		{"INSERT INTO " + table + " VALUES (" + one + ", 1), (" + nulls + ", 2), (" + two + ", 3)", table + ": z=1 z=2 z=3"},
		{"UPDATE " + table + " SET z = z + 10 ORDER BY z", table + ": z=1 z=11 z=12 z=13 z=2 z=3 z~"},
		{"DELETE FROM " + table, table + ": z=11 z=12 z=13"},
	} {
		if got := w.tell(c.change); got != c.want {
			w.t.Errorf("%.80s touched %s, want %s", c.change, got, c.want)
		}
	}
}
