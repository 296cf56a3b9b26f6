package catalog

import (
	"context"
	"database/sql"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// login is a session on a real server.
type login struct{ conn *sql.Conn }

func loginAs(t *testing.T, s *sandbox.Server, user, password string) login {
	t.Helper()
	db, err := s.DB(user, password, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return login{conn}
}

func (l login) Query(ctx context.Context, query string) ([][]string, error) {
	rows, err := l.conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all [][]string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// schemaStatements make one of each kind of thing. Both flavours take them.
var schemaStatements = []string{
	"CREATE DATABASE s1", "CREATE DATABASE s2", "CREATE DATABASE `we-ird.db é`",
	"CREATE TABLE s1.parent (id INT PRIMARY KEY, k INT, UNIQUE (k), opens TIME, seen TIMESTAMP NULL)",
	"CREATE TABLE s1.child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES s1.parent (id) ON DELETE CASCADE)",
	"CREATE TABLE s2.grandchild (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES s1.child (id) ON DELETE SET NULL)",
	"CREATE TABLE s2.updated (id INT PRIMARY KEY, k INT, FOREIGN KEY (k) REFERENCES s1.parent (k) ON UPDATE CASCADE)",
	"CREATE TABLE s2.guarded (id INT PRIMARY KEY, k INT, FOREIGN KEY (k) REFERENCES s1.parent (k))",
	"CREATE TABLE s1.tree (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES s1.tree (id) ON DELETE CASCADE)",
	"SET foreign_key_checks = 0",
	"CREATE TABLE s1.orphan (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES nowhere.missing (id) ON DELETE CASCADE)",
	"CREATE TABLE `we-ird.db é`.`o'dd-t$ é日本` (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES s1.parent (id) ON UPDATE SET NULL)",
	"SET foreign_key_checks = 1",
	"CREATE TABLE s1.myisam (id INT) ENGINE = MyISAM",
	"CREATE TABLE s1.other (id INT) ENGINE = MyISAM",
	"CREATE TABLE s1.merged (id INT) ENGINE = MERGE UNION = (s1.myisam, s1.other)",
	"CREATE TABLE s1.memory (id INT) ENGINE = MEMORY",
	"CREATE TABLE s1.parts (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3",
	"CREATE TRIGGER s1.fires BEFORE INSERT ON s1.child FOR EACH ROW SET NEW.p = NEW.p",
	"CREATE VIEW s1.v AS SELECT id, 'x' AS letter FROM s1.parent",
	"CREATE TABLE s1.doomed (id INT)", "CREATE VIEW s1.broken AS SELECT id FROM s1.doomed", "DROP TABLE s1.doomed",
}

const grantedToWeir = "SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"

// sourceServer starts a server with the schema. Semi-synchronous replication is there but off.
func sourceServer(t *testing.T, flavor sandbox.Flavor) *sandbox.Server {
	t.Helper()
	s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: time.Minute})
	if err := s.SetSemiSync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Exec(t, s, schemaStatements...)
	if flavor == sandbox.MariaDB {
		sandboxtest.Exec(t, s,
			"CREATE SEQUENCE s1.counter", "CREATE TABLE s1.versioned (id INT) WITH SYSTEM VERSIONING",
			"CREATE TABLE s1.moody (id INT, seen DATETIME AS (NOW()) VIRTUAL)", "CREATE TABLE s1.aria (id INT) ENGINE = Aria",
			"CREATE TABLE s1.calm (a VARCHAR(9), b VARCHAR(19) AS (CONCAT(LOWER(a), '-', a)) VIRTUAL)")
	}
	if err := s.CreateUser(t.Context(), "weir", "secret", grantedToWeir); err != nil {
		t.Fatal(err)
	}
	return s
}

func load(t *testing.T, q Querier) *Snapshot {
	t.Helper()
	s, err := Load(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sourceServer(t, flavor)
		t.Run("Relations", func(t *testing.T) { testRelations(t, flavor, load(t, loginAs(t, server, "weir", "secret"))) })
		t.Run("Pitfall4Cascades", func(t *testing.T) { testCascades(t, load(t, loginAs(t, server, "weir", "secret"))) })
		t.Run("Pitfall4SetDefault", func(t *testing.T) { testSetDefault(t, server) })
		t.Run("Moved", func(t *testing.T) { testMoved(t, server) })
		t.Run("Privileges", func(t *testing.T) { testPrivileges(t, server) })
		t.Run("Pitfall1DefinitionBehindItsEvent", func(t *testing.T) { testDefinitionBehindItsEvent(t, flavor, server) })
	})
}

func testRelations(t *testing.T, flavor sandbox.Flavor, s *Snapshot) {
	table := dep.Relation{Kind: dep.BaseTable, Versioned: true}
	want := map[string]dep.Relation{
		"s1.parent": table, "s1.child": {Kind: dep.BaseTable, Triggers: true, Versioned: true}, "s2.grandchild": table, "s1.myisam": {Kind: dep.BaseTable},
		"s1.parts": table, "we-ird.db é.o'dd-t$ é日本": table,
		"s1.merged": {}, "s1.memory": {}, "s1.nosuch": {}, "mysql.user": {}, "sys.version": {}, "information_schema.tables": {},
		"s1.v":      {Kind: dep.View, Definition: "select `s1`.`parent`.`id` AS `id`,'x' AS `letter` from `s1`.`parent`"},
		"s1.broken": {Kind: dep.View, Definition: "select `s1`.`doomed`.`id` AS `id` from `s1`.`doomed`"},
	}
	if flavor == sandbox.MariaDB {
		want["s1.counter"] = dep.Relation{Kind: dep.Sequence}
		want["s1.versioned"] = dep.Relation{Kind: dep.SystemVersioned, Versioned: true}
		want["s1.moody"] = dep.Relation{}
		want["s1.aria"], want["s1.calm"] = dep.Relation{Kind: dep.BaseTable}, table
	}
	for name, r := range want {
		schema, tableName, _ := cutLast(name)
		if got := shapeless(s.Relation(dep.Fold(schema, tableName))); got != r {
			t.Errorf("%s is %+v, want %+v (%s)", name, got, r, s.Note(dep.Fold(schema, tableName)))
		}
	}
	if got := s.TimeColumns(nameOf("s1.parent")); !slices.Equal(got, []string{"opens"}) {
		t.Errorf("TIME columns are %q", got)
	}
	if len(s.Warnings()) > 0 || s.Locked() != 0 {
		t.Errorf("warnings %q, locked %d", s.Warnings(), s.Locked())
	}
}

// cutLast cuts at the last dot.
func cutLast(name string) (schema, table string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:i], name[i+1:], true
}

func testCascades(t *testing.T, s *Snapshot) {
	for parent, want := range map[string]string{
		"s1.parent":       "s1.child s2.grandchild s2.updated we-ird.db é.o'dd-t$ é日本",
		"s1.child":        "s2.grandchild",
		"s2.grandchild":   "",
		"s1.tree":         "s1.tree",
		"nowhere.missing": "s1.orphan",
		"s1.merged":       "s1.myisam s1.other",
	} {
		if got := namesText(s.Cascades(nameOf(parent))); got != want {
			t.Errorf("changes of %s reach %q, want %q", parent, got, want)
		}
	}
}

// InnoDB's list does not tell SET DEFAULT from RESTRICT. It need not: it does not change the child.
func testSetDefault(t *testing.T, s *sandbox.Server) {
	sandboxtest.Exec(t, s, "CREATE DATABASE d", "CREATE TABLE d.p (id INT PRIMARY KEY)",
		"CREATE TABLE d.c (p INT DEFAULT 7, FOREIGN KEY (p) REFERENCES d.p (id) ON DELETE SET DEFAULT)",
		"INSERT INTO d.p VALUES (1), (7)", "INSERT INTO d.c VALUES (1)")
	err := s.Exec(t.Context(), "DELETE FROM d.p WHERE id = 1")
	if err == nil || !strings.Contains(err.Error(), "1451") {
		t.Errorf("deleting the parent gives %v, want error 1451", err)
	}
}

// testPrivileges takes one privilege after the other away. Nothing may then look as if it did not exist.
func testPrivileges(t *testing.T, server *sandbox.Server) {
	for _, tt := range []struct {
		user   string
		grants []string
		check  func(t *testing.T, s *Snapshot, err error)
	}{
		{"no_trigger", []string{"SELECT, SHOW VIEW, PROCESS ON *.*"}, wantSnapshot(func(t *testing.T, s *Snapshot) {
			has, known := s.Triggers(nameOf("s1.child"))
			if !has || known || !s.Relation(nameOf("s1.parent")).Triggers || !warns(s, "TRIGGER") {
				t.Errorf("triggers: %v, known: %v, warnings: %q", has, known, s.Warnings())
			}
		})},
		{"some_triggers", []string{"SELECT, SHOW VIEW, PROCESS ON *.*", "TRIGGER ON s1.*"}, wantSnapshot(func(t *testing.T, s *Snapshot) {
			if _, known := s.Triggers(nameOf("s2.updated")); known {
				t.Error("the triggers of a schema without the privilege are believed to be known")
			}
		})},
		{"no_show_view", []string{"SELECT, TRIGGER, PROCESS ON *.*"}, wantSnapshot(func(t *testing.T, s *Snapshot) {
			if v := nameOf("s1.v"); s.Relation(v).Kind != dep.Unknown || !strings.Contains(s.Note(v), "SHOW VIEW") || !warns(s, "SHOW VIEW") {
				t.Errorf("the view is %+v, note %q, warnings %q", s.Relation(v), s.Note(v), s.Warnings())
			}
		})},
		{"no_process", []string{"SELECT, SHOW VIEW, TRIGGER ON *.*"}, wantErrRights},
		{"no_select", []string{"PROCESS, SHOW VIEW, TRIGGER ON *.*"}, wantErrRights},
		{"one_schema", []string{"PROCESS ON *.*", "SELECT, SHOW VIEW, TRIGGER ON s1.*"}, wantErrRights},
		{"all", []string{"ALL PRIVILEGES ON *.*"}, wantAll},
	} {
		t.Run(tt.user, func(t *testing.T) {
			if err := server.CreateUser(t.Context(), tt.user, "secret", tt.grants...); err != nil {
				t.Fatal(err)
			}
			s, err := Load(t.Context(), loginAs(t, server, tt.user, "secret"), nil)
			tt.check(t, s, err)
		})
	}
	t.Run("role", func(t *testing.T) { testRole(t, server) })
}

func warns(s *Snapshot, of string) bool {
	return strings.Contains(strings.Join(s.Warnings(), "\n"), "no "+of)
}

// wantSnapshot checks a load that must succeed.
func wantSnapshot(check func(*testing.T, *Snapshot)) func(*testing.T, *Snapshot, error) {
	return func(t *testing.T, s *Snapshot, err error) {
		if err != nil {
			t.Fatal(err)
		}
		check(t, s)
	}
}

func wantErrRights(t *testing.T, _ *Snapshot, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "needs GRANT SELECT, PROCESS ON *.*") {
		t.Errorf("got error %v", err)
	}
}

func wantAll(t *testing.T, s *Snapshot, err error) {
	t.Helper()
	if err != nil || len(s.Warnings()) > 0 || s.Relation(nameOf("s1.v")).Kind != dep.View {
		t.Errorf("got %+v, error %v", s, err)
	}
}

// testRole gives the privileges through a role, which counts only while it is active.
func testRole(t *testing.T, server *sandbox.Server) {
	const user = "by_role"
	if err := server.CreateUser(t.Context(), user, "secret"); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Exec(t, server, "CREATE ROLE reader", "GRANT "+grantedToWeir+" TO reader", "GRANT reader TO by_role@'%'")
	q := loginAs(t, server, user, "secret")
	if _, err := Load(t.Context(), q, nil); err == nil {
		t.Error("a role counts that is not active")
	}
	if _, err := q.Query(t.Context(), "SET ROLE reader"); err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), q, nil)
	wantAll(t, s, err)
}

// testDefinitionBehindItsEvent stops a server between binlog and commit. MySQL still shows the old definition then,
// which is why a load waits until the source covers the change. MariaDB shows none: the load goes without the view,
// and has nothing that is not in the binlog.
func testDefinitionBehindItsEvent(t *testing.T, flavor sandbox.Flavor, server *sandbox.Server) {
	q, v := loginAs(t, server, "weir", "secret"), nameOf("s1.v")
	known := load(t, q)
	old := known.Relation(v)
	before := position(t, server)
	if err := server.SetSemiSync(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Exec(t.Context(), "ALTER VIEW s1.v AS SELECT k FROM s1.parent") }()
	for position(t, server) == before { // the event is not yet out
		select {
		case err := <-done:
			t.Fatalf("ALTER VIEW ended early: %v", err)
		default:
		}
	}
	some, _, err := reload(t.Context(), q, slog.New(slog.DiscardHandler), known, []dep.Name{v, nameOf("s1.parent")})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Snapshot{load(t, q), some} {
		if got := s.Relation(v); flavor == sandbox.MySQL && got != old {
			t.Errorf("before the commit the view is %+v, want %+v", got, old)
		} else if flavor == sandbox.MariaDB && (got.Kind != dep.Unknown || s.Locked() != 1) {
			t.Errorf("before the statement ends the view is %+v, locked %d", got, s.Locked())
		}
		if s.Relation(nameOf("s1.parent")).Shape == nil {
			t.Error("a table that nothing holds is not known")
		}
	}
	if err := server.SetSemiSync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want := dep.Relation{Kind: dep.View, Definition: "select `s1`.`parent`.`k` AS `k` from `s1`.`parent`"}
	if got := load(t, q).Relation(v); got != want {
		t.Errorf("after the commit the view is %+v, want %+v", got, want)
	}
}

func position(t *testing.T, server *sandbox.Server) uint64 {
	t.Helper()
	p, err := server.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p.Pos
}
