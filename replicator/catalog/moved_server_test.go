package catalog

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

func testMoved(t *testing.T, server *sandbox.Server) {
	conn, _ := sandboxtest.RootDB(t, server, "").Conn(t.Context())
	t.Cleanup(func() { conn.Close() })
	q := login{conn}
	show := func(sql string) {
		rows, err := q.Query(t.Context(), sql)
		t.Log(sql, rows, err)
	}
	keys := func() {
		rows, err := q.Query(t.Context(), "SELECT ID, FOR_NAME, REF_NAME, TYPE FROM information_schema.INNODB_FOREIGN WHERE FOR_NAME LIKE 'm/%'")
		if err != nil {
			rows, err = q.Query(t.Context(), "SELECT ID, FOR_NAME, REF_NAME, TYPE FROM information_schema.INNODB_SYS_FOREIGN WHERE FOR_NAME LIKE 'm/%'")
		}
		t.Log(rows, err)
	}
	sandboxtest.Exec(t, server, "CREATE DATABASE m", "SET foreign_key_checks = 0",
		"CREATE TABLE m.orphan (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES m.missing (id) ON DELETE CASCADE)",
		"CREATE TABLE m.x (id INT PRIMARY KEY)", "INSERT INTO m.x VALUES (1)", "INSERT INTO m.orphan VALUES (1, 1)")
	keys()
	sandboxtest.Exec(t, server, "RENAME TABLE m.x TO m.missing", "SET foreign_key_checks = 1", "DELETE FROM m.missing WHERE id = 1")
	keys()
	show("SELECT COUNT(*) FROM m.orphan")
	sandboxtest.Exec(t, server, "SET foreign_key_checks = 0", "DROP TABLE m.missing")
	keys()
	sandboxtest.Exec(t, server, "CREATE TABLE m.alike LIKE m.orphan")
	keys()
	sandboxtest.Exec(t, server, "CREATE TABLE m.mi (id INT) ENGINE=MyISAM", "CREATE TABLE m.mg (id INT) ENGINE=MERGE UNION=(m.mi) INSERT_METHOD=LAST", "CREATE TABLE m.mglike LIKE m.mg")
	show("SHOW CREATE TABLE m.mglike")
	show("INSERT INTO m.mglike VALUES (1)")
	sandboxtest.Exec(t, server, "RENAME TABLE m.orphan TO m.kid, m.kid TO m.kid2")
	keys()
	for _, s := range []string{"CREATE TABLE m.par (id INT PRIMARY KEY)", "CREATE TABLE m.kid3 (id INT PRIMARY KEY, p INT REFERENCES m.par (id) ON DELETE CASCADE)",
		"CREATE TABLE m.kl LIKE m.kid3", "CREATE TABLE m.kc SELECT * FROM m.kid3", "RENAME TABLE m.par TO m.par2"} {
		t.Log(s, server.Exec(t.Context(), s))
	}
	keys()
}
