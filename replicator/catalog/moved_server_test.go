package catalog

import (
	"context"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// testMoved shows what "Tables that move" says of servers: a key is listed under the name of its parent whether or not that
// exists, follows both tables under their new names, and is not copied with a definition; the UNION of a MERGE table is.
func testMoved(t *testing.T, server *sandbox.Server) {
	q := loginAs(t, server, "weir", "secret")
	reaches := func(when, parent, want string) {
		t.Helper()
		s := load(t, q)
		if got := namesText(s.Cascades(nameOf(parent))); got != want {
			t.Errorf("%s, changes of %s reach %q, want %q", when, parent, got, want)
		}
		if want != "" && !s.related(nameOf(parent)) {
			t.Errorf("%s, %s does not take part", when, parent)
		}
	}
	const checksOff, checksOn = "SET foreign_key_checks = 0", "SET foreign_key_checks = 1"
	sandboxtest.Exec(t, server, "CREATE DATABASE m", checksOff,
		"CREATE TABLE m.orphan (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES m.missing (id) ON DELETE CASCADE)",
		"CREATE TABLE m.x (id INT PRIMARY KEY)", "INSERT INTO m.x VALUES (1)", "INSERT INTO m.orphan VALUES (1, 1)")
	reaches("without its parent", "m.missing", "m.orphan")
	sandboxtest.Exec(t, server, "RENAME TABLE m.x TO m.missing", checksOn, "DELETE FROM m.missing")
	if n := count(t, q, "m.orphan"); n != "0" {
		t.Errorf("a table that got the name of the missing parent has not become it: there are %s rows of the child", n)
	}
	sandboxtest.Exec(t, server, checksOff, "DROP TABLE m.missing", checksOn)
	reaches("with the parent dropped", "m.missing", "m.orphan")
	sandboxtest.Exec(t, server, "CREATE TABLE m.alike LIKE m.orphan")
	reaches("after CREATE TABLE ... LIKE the child", "m.missing", "m.orphan")
	sandboxtest.Exec(t, server, "RENAME TABLE m.orphan TO m.a, m.a TO m.kid", checksOff, "CREATE TABLE m.missing (id INT PRIMARY KEY)", checksOn)
	reaches("with the child renamed", "m.missing", "m.kid")
	sandboxtest.Exec(t, server, "RENAME TABLE m.missing TO m.parent")
	reaches("with the parent renamed", "m.parent", "m.kid")
	reaches("with the parent renamed", "m.missing", "")
	sandboxtest.Exec(t, server, "CREATE TABLE m.part (id INT) ENGINE = MyISAM", "CREATE TABLE m.all_parts (id INT) ENGINE = MERGE UNION = (m.part) INSERT_METHOD = LAST",
		"CREATE TABLE m.more LIKE m.all_parts", "INSERT INTO m.more VALUES (1)")
	if n := count(t, q, "m.part"); n != "1" {
		t.Errorf("LIKE has not copied the UNION of a MERGE table: %s rows", n)
	}
	sandboxtest.Exec(t, server, "DROP DATABASE m")
}

func count(t *testing.T, q Querier, table string) string {
	t.Helper()
	rows, err := q.Query(context.Background(), "SELECT COUNT(*) FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	return rows[0][0]
}
