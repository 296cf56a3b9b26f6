package daemon

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/virtual"
)

// tablesWorld has a table with a value of each kind beside Weir's own, and an account app2 that may read one schema.
func tablesWorld(t *testing.T, flavor sandbox.Flavor) *world {
	w := newSource(t, sandbox.Options{Flavor: flavor})
	w.seams.tables = []virtual.Table{kindsTable()}
	sandboxtest.Exec(t, w.source, "CREATE DATABASE shop", "CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(20))", "INSERT INTO shop.items VALUES (1, 'chair')")
	w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON shop.*"))
	w.start(nil)
	w.caughtUp()
	return w
}

// kindsTable has what is hard to write: large numbers, quotes, other letters, NULL of each kind.
func kindsTable() virtual.Table {
	at := time.Date(2026, 12, 1, 12, 30, 5, 123456000, time.UTC)
	rows := [][]any{
		{"Größe", true, "it's \"quoted\" \\ and\na line \u2028 😀", uint64(1<<64 - 1), int64(-1 << 63), .1, at},
		{"", false, "", uint64(0), int64(0), 0., time.Time{}},
		{"small", nil, "?", uint64(7), int64(1<<63 - 1), 1.5e-7, at.Add(time.Second)},
		{"large", nil, strings.Repeat("x", 70000), uint64(8), int64(1), 123456789012345680., at},
		{"wrong \xff bytes", nil, nil, nil, nil, nil, nil},
	}
	return virtual.Table{
		Schema: virtual.Schema, Name: "kinds", Columns: []virtual.Column{
			column("t", virtual.Text, ""), column("f", virtual.Flag, ""), column("l", virtual.Long, ""), column("u", virtual.Unsigned, ""),
			column("s", virtual.Signed, ""), column("d", virtual.Double, ""), column("at", virtual.Time, ""),
		},
		Rows: func(virtual.Viewer) [][]any { return rows },
	}
}

// shapeOf is an answer with the names and types of its columns.
func shapeOf(t *testing.T, c *client, query string) (columns, values string) {
	t.Helper()
	rows, err := c.query(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var b, v strings.Builder
	for _, c := range types {
		precision, scale, _ := c.DecimalSize()
		nullable, _ := c.Nullable()
		fmt.Fprintln(&b, c.Name(), c.DatabaseTypeName(), precision, scale, nullable)
	}
	if err := writeResult(&v, rows); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return b.String(), v.String()
}

// what is said to a server in place of the plain form: the same, and more than Weir reads.
const byServer = " WHERE 1 = 1"

func TestTables(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := tablesWorld(t, flavor)
		for name, test := range map[string]func(*testing.T, *world){
			"agree": tablesAgree, "sql": tablesSQL, "privileges": tablesPrivileges, "use": tablesUse, "never cached": tablesNeverCached, "api": tablesAPITest,
			"sessions": tablesSessions, "latin1": tablesLatin1, "cached": tablesShowTheCache,
		} {
			t.Run(name, func(t *testing.T) { test(t, w) })
		}
		t.Run("theirs", func(t *testing.T) { tablesTheirs(t, w) })
		t.Run("no server", func(t *testing.T) { tablesWithoutServer(t, w) })
	})
}

// tablesAgree: whoever answers, Weir or a server, and in whichever protocol, names, types and values are the same.
func tablesAgree(t *testing.T, w *world) {
	for _, prepares := range []bool{false, true} {
		app := w.proxy("app", "shop")
		app.prepares = prepares
		for _, table := range append(Tables(), kindsTable()) {
			name := table.Schema + "." + table.Name
			var unquoted []string // no name is a word that has to be quoted
			for _, c := range table.Columns {
				if c.Name != "LIMIT" && c.Name != "COLLATION" { // MariaDB's own choice
					unquoted = append(unquoted, c.Name)
				}
			}
			list := "SELECT " + strings.Join(unquoted, ", ") + " FROM " + name
			plain, plainRows := shapeOf(t, app, list)
			derived, derivedRows := shapeOf(t, app, list+byServer)
			if plain != derived {
				t.Errorf("%s, prepared %v: Weir says\n%s\na server says\n%s", name, prepares, plain, derived)
			}
			if (table.Name == "kinds" || table.Name == "ddl") && plainRows != derivedRows {
				t.Errorf("%s, prepared %v: Weir says\n%.2000s\na server says\n%.2000s", name, prepares, plainRows, derivedRows)
			}
		}
	}
}

// tablesSQL: all that SQL can do, a server does.
func tablesSQL(t *testing.T, w *world) {
	app := w.proxy("app", "shop")
	for query, want := range map[string]answer{
		"SELECT u, COUNT(*) AS n FROM weir.kinds GROUP BY u HAVING u > 5 ORDER BY u DESC LIMIT 2":    "u|n\n18446744073709551615|1\n8|1\n",
		"SELECT i.name, k.t FROM items i JOIN weir.kinds k ON k.u = i.id + 6":                        "name|t\nchair|small\n",
		"SELECT a.t FROM weir.kinds a, weir.kinds AS b WHERE a.u = b.u AND b.t = 'SMALL'":            "t\nsmall\n",
		"SELECT name FROM items WHERE id IN (SELECT s FROM weir.kinds WHERE u = 8)":                  "name\nchair\n",
		"WITH k AS (SELECT t, u FROM weir.kinds WHERE u < 8) SELECT MAX(u) AS m FROM k":              "m\n7\n",
		"SELECT weir.kinds.t FROM weir.kinds WHERE weir.kinds.u = 7 UNION SELECT 'chair' ORDER BY 1": "t\nchair\nsmall\n",
		"SELECT SECOND(MAX(at)) AS s FROM weir.kinds":                                                "s\n6\n",
		"SELECT 'FROM weir.kinds' AS t":                                                              "t\nFROM weir.kinds\n",
		"SELECT nothing FROM weir.kinds":                                                             "error 1054", "SELECT t FROM weir.kinds WHERE": "error 1064", "DELETE FROM weir.kinds": "error 1290",
	} {
		if got := app.ask(query); got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	var name string
	w.must(app.conn.QueryRowContext(t.Context(), "SELECT t FROM weir.kinds WHERE u = ? AND f IS NULL", 7).Scan(&name))
	if name != "small" {
		t.Errorf("a prepared statement with a parameter finds %q", name)
	}
	app.run("START TRANSACTION READ ONLY")
	if got := app.ask("SELECT t FROM weir.kinds WHERE u = 7"); got != "t\nsmall\n" {
		t.Errorf("in a transaction: %s", got)
	}
	app.run("COMMIT")
	app.ask("SELECT 1/0, t FROM weir.kinds WHERE u = 7")
	if got := app.ask("SHOW WARNINGS"); !strings.Contains(string(got), "1365") {
		t.Errorf("the warning of a statement that a server evaluated: %s", got)
	}
	app.ask("SELECT t FROM weir.kinds LIMIT 1")
	if got := app.ask("SHOW WARNINGS"); strings.Contains(string(got), "1365") {
		t.Errorf("a warning from before a statement that Weir answered: %s", got)
	}
}

// tablesPrivileges, pitfall 31: what needs PROCESS is refused without it, whoever answers; a GRANT counts on open connections.
func tablesPrivileges(t *testing.T, w *world) {
	app2 := w.proxy("app2", "shop")
	for _, table := range []string{"statements", "tables", "ddl", "settings"} {
		for _, end := range []string{"", byServer} {
			if got := app2.ask("SELECT * FROM weir." + table + end); got != "error 1227" {
				t.Errorf("%s%s without PROCESS: %s", table, end, got)
			}
		}
		if got := app2.ask("SELECT a.* FROM weir.backends JOIN weir." + table + " a"); got != "error 1227" {
			t.Errorf("%s in a join without PROCESS: %s", table, got)
		}
	}
	w.proxy("app", "")
	if got := app2.ask("SELECT DISTINCT user FROM weir.sessions"); got != "user\napp2\n" {
		t.Errorf("sessions of others: %s", got)
	}
	if got := app2.ask("SELECT COUNT(*) FROM information_schema.QUERY_CACHE_INFO"); got != "COUNT(*)\n0\n" {
		t.Errorf("statements of others: %s", got)
	}
	if got := app2.ask("SELECT COUNT(*) FROM weir.backends"); got != "COUNT(*)\n1\n" {
		t.Errorf("backends: %s", got)
	}
	w.direct("app", "").run("GRANT PROCESS ON *.* TO app2")
	w.caughtUp()
	w.eventually("the GRANT is felt", func() bool {
		return app2.ask("SELECT COUNT(*) FROM weir.settings WHERE name = 'listen'") == "COUNT(*)\n1\n"
	})
	if got := app2.ask("SELECT value FROM weir.settings WHERE name = 'source.password'"); got != "value\n...\n" {
		t.Errorf("the password: %s", got)
	}
	w.direct("app", "").run("REVOKE PROCESS ON *.* FROM app2")
	w.caughtUp()
	w.eventually("the REVOKE is felt", func() bool { return app2.ask("SELECT * FROM weir.settings") == "error 1227" })
}

// tablesUse: the schema can be the default one, also from the login on.
func tablesUse(t *testing.T, w *world) {
	app := w.proxy("app", "weir")
	for _, step := range []struct{ query, want string }{
		{"SELECT COUNT(*) FROM kinds", "COUNT(*)\n5\n"},
		{"SELECT MAX(u) AS m FROM kinds WHERE u < 9", "m\n8\n"},
		{"SHOW TABLES LIKE 'kin%'", "Tables_in_weir\nkinds\n"},
		{"SELECT name FROM shop.items", "name\nchair\n"},
		{"SELECT name FROM items", "error 1046"},
		{"USE shop", "\n"},
		{"SELECT name FROM items", "name\nchair\n"},
		{"SELECT COUNT(*) FROM kinds", "error 1146"},
		{"USE Weir", "\n"},
		{"DESCRIBE kinds", "Field|Type|Null|Key|Default|Extra\nt|varchar(255)|YES||NULL|\nf|varchar(3)|YES||NULL|\nl|longtext|YES||NULL|\nu|bigint unsigned|YES||NULL|\ns|bigint|YES||NULL|\nd|double|YES||NULL|\nat|datetime(6)|YES||NULL|\n"},
	} {
		if got := app.ask(step.query); string(got) != step.want {
			t.Errorf("%s: %s", step.query, got)
		}
	}
}

// tablesNeverCached: neither as it is nor joined with what could be cached. Pitfall 30.
func tablesNeverCached(t *testing.T, w *world) {
	app := w.proxy("app", "shop")
	for _, query := range []string{
		"SELECT * FROM weir.sessions", "SELECT MAX(hits) FROM weir.sessions", "SELECT * FROM weir.sessions s JOIN items i ON i.id = 1", "SELECT * FROM information_schema.QUERY_CACHE_INFO",
	} {
		for range 3 {
			if a, hit := app.asked(query); hit || strings.HasPrefix(string(a), "error") {
				t.Errorf("%s: hit %v, %s", query, hit, a)
			}
		}
	}
	for _, d := range w.weir.proxy.Digests().All() { // not the fills of all, among which are those of results that are read again by themselves
		if text := strings.ToLower(d.Text); d.Misses > 0 && (strings.Contains(text, "weir.sessions") || strings.Contains(text, "query_cache_info")) {
			t.Errorf("%s was read to be stored", d.Text)
		}
	}
}

// tablesSessions: what a session does shows.
func tablesSessions(t *testing.T, w *world) {
	app, root := w.proxy("app", "shop"), w.proxy("app", "")
	app.warm("SELECT name FROM items WHERE id = 1")
	app.run("SET @secret = 'one-two-three'")
	var id int
	w.must(app.conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id))
	row := root.ask(fmt.Sprintf("SELECT user, db, state, pinned, pinned_why FROM weir.sessions WHERE id = %d", id))
	if want := answer("user|db|state|pinned|pinned_why\napp|shop|idle|YES|something was left on it, such as a user variable or a temporary table\n"); row != want {
		t.Errorf("%s", row)
	}
	var hits int
	w.must(root.conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT hits FROM weir.sessions WHERE id = %d", id)).Scan(&hits))
	if hits == 0 {
		t.Error("the session has no hits")
	}
	if all := root.ask("SELECT * FROM weir.sessions"); strings.Contains(string(all), "one-two-three") {
		t.Errorf("a literal shows: %s", all)
	}
	app.run("START TRANSACTION READ ONLY")
	w.eventually("the transaction shows", func() bool {
		return root.ask(fmt.Sprintf("SELECT state, pinned_why FROM weir.sessions WHERE id = %d", id)) == "state|pinned_why\nin a transaction|a transaction\n"
	})
	app.run("COMMIT")
}

// tablesLatin1: texts are sent in the character set that the client has asked for.
func tablesLatin1(t *testing.T, w *world) {
	app := w.proxy("app", "")
	app.run("SET NAMES latin1")
	for _, end := range []string{" WHERE d = 0.1", " WHERE d + 0 = 0.1"} {
		var b sql.RawBytes
		rows, err := app.query(t.Context(), "SELECT t FROM weir.kinds"+end)
		w.must(err)
		for rows.Next() {
			w.must(rows.Scan(&b))
			if string(b) != "Gr\xf6\xdfe" {
				t.Errorf("%s: %q", end, b)
			}
		}
		rows.Close()
	}
	if got := app.ask("SELECT t FROM weir.kinds WHERE u = 7"); got != "t\nsmall\n" {
		t.Errorf("%s", got)
	}
}

// tablesShowTheCache: what is cached shows as the plugin of MariaDB's shows it, and on the admin port without literals.
func tablesShowTheCache(t *testing.T, w *world) {
	app := w.proxy("app", "shop")
	app.warm("SELECT name FROM items WHERE name = 'needle'")
	got := app.ask("SELECT STATEMENT_SCHEMA, RESULT_BLOCKS_COUNT, `LIMIT`, CHARACTER_SET_CLIENT, AUTOCOMMIT FROM information_schema.QUERY_CACHE_INFO WHERE STATEMENT_TEXT = 'SELECT name FROM items WHERE name = ''needle'''")
	if got != "STATEMENT_SCHEMA|RESULT_BLOCKS_COUNT|LIMIT|CHARACTER_SET_CLIENT|AUTOCOMMIT\nshop|1|-1|utf8mb4|1\n" {
		t.Errorf("%s", got)
	}
	for _, path := range []string{"statements", "query_cache", "sessions", "tables"} {
		body, status := get(t, w.weir.AdminAddr(), "/api/v1/"+path+"?limit=1000")
		if status != http.StatusOK || strings.Contains(body, "needle") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// tablesAPITest: the same as JSON.
func tablesAPITest(t *testing.T, w *world) {
	for _, table := range Tables() {
		name, renamed := apiNames[table.Name]
		if !renamed {
			name = table.Name
		}
		if name == "" {
			continue
		}
		body, status := get(t, w.weir.AdminAddr(), "/api/v1/"+name+"?limit=2&order=-"+strings.ToLower(table.Columns[0].Name))
		var got map[string][]map[string]any
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || len(got) != 1 {
			t.Fatalf("%s: %d %s", name, status, body)
		}
		for _, row := range got[name] {
			for _, c := range table.Columns {
				if _, there := row[strings.ToLower(c.Name)]; !there || len(row) != len(table.Columns) {
					t.Errorf("%s has no %s: %v", name, c.Name, row)
				}
			}
		}
	}
	if body, status := get(t, w.weir.AdminAddr(), "/api/v1/backends?order=nothing"); status != http.StatusBadRequest || !strings.Contains(body, "nothing") {
		t.Errorf("%d %s", status, body)
	}
	body, _ := get(t, w.weir.AdminAddr(), "/api/v1/")
	for _, want := range []string{"/api/v1/statements", "/api/v1/overview", "/api/v1/events", "/api/v1/ddl/gates", "/api/v1/query_cache", "p99_seconds"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

// tablesTheirs: a schema weir of the source's own is the source's.
func tablesTheirs(t *testing.T, w *world) {
	direct, app := w.direct("app", ""), w.proxy("app", "")
	direct.run("CREATE DATABASE weir")
	direct.run("CREATE TABLE weir.backends (addr INT)")
	w.caughtUp()
	for _, query := range []string{"SELECT * FROM weir.backends", "SHOW TABLES FROM weir", "USE weir", "DESCRIBE backends", "SELECT * FROM weir.kinds"} {
		if got, want := app.ask(query), direct.ask(query); got != want {
			t.Errorf("%s: %s, and directly %s", query, got, want)
		}
	}
	direct.run("DROP DATABASE weir")
	w.caughtUp()
	if got := w.proxy("app", "weir").ask("SELECT COUNT(*) FROM backends"); got != "COUNT(*)\n1\n" {
		t.Errorf("after it is gone: %s", got)
	}
}

// tablesWithoutServer: when no server answers, that is what one looks at.
func tablesWithoutServer(t *testing.T, w *world) {
	app := w.proxy("app", "")
	w.source.Kill()
	w.eventually("the server is down", func() bool {
		return app.ask("SELECT role, up FROM weir.backends WHERE up = 'NO'") == "role|up\nsource|NO\n"
	})
	w.eventually("the stream is down", func() bool {
		return app.ask("SELECT connected FROM weir.stream ORDER BY source LIMIT 1") == "connected\nNO\n"
	})
	if got := w.proxy("app", "weir").ask("SELECT up FROM backends"); got != "up\nNO\n" {
		t.Errorf("a client that comes now: %s", got)
	}
	_, err := app.query(t.Context(), "SELECT * FROM weir.statements")
	if err == nil || !strings.Contains(err.Error(), "weir.backends") {
		t.Errorf("the error does not say what can be asked: %v", err)
	}
}
