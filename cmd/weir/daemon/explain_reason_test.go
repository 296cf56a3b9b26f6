package daemon

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	explaining "weir/proxy/explain"
	"weir/proxy/statement"
)

// explainedReasons has statements that are never cached. The number of the pitfall stands in front where there is one.
var explainedReasons = []struct {
	pitfall int
	reason  statement.Reason
	text    string
	detail  string // what the detail has
	session string // what the session does before
	only    sandbox.Flavor
}{
	{25, statement.SQLMode, "SELECT id FROM items", "ORACLE", "SET sql_mode = 'ORACLE'", sandbox.MariaDB},
	{25, statement.CharacterSet, "SELECT id FROM items WHERE name = 'é'", "latin1", "SET NAMES latin1", ""},
	{25, statement.SetVarHint, "SELECT /*+ SET_VAR(sort_buffer_size = 16M) */ id FROM items", "", "", ""},
	{25, statement.SetPrefix, "SET STATEMENT max_statement_time = 9 FOR SELECT id FROM items", "", "", sandbox.MariaDB},
	{26, statement.NonDeterministic, "SELECT now (), id FROM items", "NOW", "SET sql_mode = 'IGNORE_SPACE'", ""},
	{26, statement.NonDeterministic, "SELECT {fn now()}, id FROM items", "NOW", "", ""},
	{26, statement.NonDeterministic, "SELECT id FROM today", "shop.today: CURDATE", "", ""},
	{26, statement.NonDeterministic, "SELECT id FROM items ORDER BY RAND()", "RAND", "", ""},
	{26, statement.CurrentDate, "SELECT DATE(at) FROM stock", "DATE", "", ""},
	{26, statement.StoredFunction, "SELECT vat(price) FROM items", "vat", "", ""},
	{27, statement.UserVariable, "SELECT id FROM items WHERE id = @wanted", "@wanted", "", ""},
	{27, statement.SystemVariable, "SELECT @@max_sp_recursion_depth, id FROM items", "@@max_sp_recursion_depth", "", ""},
	{27, statement.SessionFunction, "SELECT LAST_INSERT_ID(), id FROM items", "LAST_INSERT_ID", "", ""},
	{27, statement.SessionFunction, "SELECT FOUND_ROWS(), id FROM items", "FOUND_ROWS", "", ""},
	{27, statement.FoundRows, "SELECT SQL_CALC_FOUND_ROWS id FROM items LIMIT 1", "", "", ""},
	{28, statement.LockingRead, "SELECT id FROM items FOR UPDATE", "", "", ""},
	{28, statement.LockingRead, "SELECT id FROM items LOCK IN SHARE MODE", "", "", ""},
	{28, statement.Into, "SELECT id INTO @found FROM items LIMIT 1", "", "", ""},
	{30, statement.SystemSchema, "SELECT i.id FROM items i, information_schema.TABLES t", "information_schema.tables", "", ""},
	{30, statement.NotSelect, "SHOW TABLES", "", "", ""},
	{30, statement.NotSelect, "EXPLAIN SELECT id FROM items", "", "", ""},
	{32, statement.MultiStatement, "SELECT id FROM items; SELECT id FROM stock", "", "", ""},
	{32, statement.VersionComment, "SELECT /*!50000 id */ FROM items", "", "", ""},
	{32, statement.VersionComment, "SELECT id /*M!100000 , name */ FROM items", "", "", ""},
	{0, statement.Ambiguous, "SELECT /*+ set_var(time_zone='+01:00') */ id FROM items", "quotes in a hint", "", ""},
	{0, statement.Unparsable, "SELECT i.id FROM items i, JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) j", "", "", ""},
	{0, statement.Unsupported, "SELECT DEFAULT(price) FROM items", "DefaultExpr", "", ""},
	{0, statement.TooLong, "SELECT id FROM items WHERE name = '" + strings.Repeat("x", statement.MaxLength) + "'", "", "", ""},
	{0, statement.NoCache, "SELECT SQL_NO_CACHE id FROM items", "", "", ""},
	{0, statement.Directive, "SELECT /* weir: nocache */ id FROM items", "nocache", "", ""},
	{0, statement.NoTable, "SELECT 1", "", "", ""},
	{0, statement.UnknownTable, "SELECT line FROM merged", "shop.merged", "", ""},
	{0, statement.Sequence, "SELECT next_not_cached_value FROM ids", "shop.ids", "", sandbox.MariaDB},
	{0, statement.DeepView, "SELECT id FROM deep18", "shop.deep", "", ""},
	{0, statement.Writes, "DELETE FROM items", "read-only", "", ""},
}

// TestExplainReasons: every reason for which the analysis refuses a statement is the one that EXPLAIN CACHE gives, on both
// flavours; so is every pitfall of "what may be cached" that is one of the statement.
func TestExplainReasons(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.explainSchema()
		w.direct("app", "shop").run("CREATE TABLE merged (line VARCHAR(40)) ENGINE=MERGE UNION=(log)")
		w.deepViews()
		w.caughtUp()
		for _, c := range explainedReasons {
			if c.only != "" && c.only != flavor {
				continue
			}
			client := w.proxy("app", "shop")
			if c.session != "" {
				client.run(c.session)
			}
			e := w.explain(client, c.text)
			want := explaining.NotCacheable
			if c.reason == statement.Writes {
				want = explaining.Refused
			}
			if e.Verdict != want || e.Reason != string(c.reason) || e.Sentence == "" || !strings.Contains(e.Detail, c.detail) {
				t.Errorf("pitfall %d: %.80s: it is %s for %s: %s (%s); want the reason %s", c.pitfall, c.text, e.Verdict, e.Reason, e.Sentence, e.Detail, c.reason)
			}
			client.hangUp()
		}
	})
}

func (w *world) deepViews() {
	d := w.direct("app", "shop")
	d.run("CREATE VIEW deep0 AS SELECT id FROM items")
	for i := range 18 {
		d.run(fmt.Sprintf("CREATE VIEW deep%d AS SELECT id FROM deep%d", i+1, i))
	}
}

// explain asks for JSON.
func (w *world) explain(c *client, text string) (e explaining.Explanation) {
	w.t.Helper()
	_, b, _ := strings.Cut(string(c.ask("EXPLAIN CACHE FORMAT=JSON "+text)), "\n")
	if err := json.Unmarshal([]byte(b), &e); err != nil {
		w.t.Errorf("%.80s: %v: %.200s", text, err, b)
	}
	return e
}

// TestExplainHasAStatementForEachReason: whoever adds a reason adds a statement.
func TestExplainHasAStatementForEachReason(t *testing.T) {
	file := readFile(t, "../../../proxy/statement/reason.go")
	found := regexp.MustCompile(`Reason\s+= "([a-z_]+)"`).FindAllStringSubmatch(file, -1)
	if len(found) < 20 {
		t.Fatalf("reason.go has %d reasons", len(found))
	}
	cases := map[string]bool{}
	for _, c := range explainedReasons {
		cases[string(c.reason)] = true
	}
	for _, m := range found {
		if !cases[m[1]] {
			t.Errorf("there is no statement for the reason %s", m[1])
		}
		if statement.Reason(m[1]).Sentence() == m[1] {
			t.Errorf("there is no sentence for the reason %s", m[1])
		}
	}
}

// Pitfall 31: who may not read the tables, or not know what a view reads, is told what the server says, and nothing of tables or
// changes; whoever else has an entry.
func TestPitfall31ExplainAsksForPrivileges(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.explainSchema()
		w.must(w.source.CreateUser(t.Context(), "app2", "app2-secret", "SELECT ON shop.cheap", "SELECT (id) ON shop.stock"))
		w.caughtUp()
		w.proxy("app", "shop").warm("SELECT name FROM items WHERE id = 5")
		c := w.proxy("app2", "shop")
		for text, want := range map[string]answer{
			"SELECT name FROM items WHERE id = 5": "error 1142",
			"SELECT n FROM stock":                 "error 1143",
			"SELECT name FROM cheap":              "error 1345", // as EXPLAIN: it would tell of items
			"SELECT name FROM nowhere":            "error 1142",
			"SELECT nothing FROM stock":           "error 1143",
			"SELECT (id FROM stock":               "error 1064",
			"SELEC id FROM stock":                 "error 1064",
			"SELECT id FROM stock WHERE id = ?":   "error 1064",
			"FORMAT=TREE SELECT id FROM stock":    "error 1791",
			"FOR CONNECTION 5":                    "error 1064",
		} {
			if got := c.ask("EXPLAIN CACHE " + text); got != want {
				t.Errorf("EXPLAIN CACHE %s gives %.60s, want %s", text, got, want)
			}
		}
		if e := w.explain(c, "SELECT id FROM stock"); e.Verdict != explaining.Storable || e.Key.Account != "app2" {
			t.Errorf("what the account may read is %s for %s", e.Verdict, e.Key.Account)
		}
		if got := w.proxy("app", "shop").prepare("EXPLAIN CACHE SELECT id FROM items"); got != "error 1295" {
			t.Errorf("to prepare it gives %s", got)
		}
	})
}

// EXPLAIN of a table called cache is the server's affair, as ever.
func TestExplainOfATableCalledCache(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.direct("app", "").run("CREATE DATABASE shop")
		w.direct("app", "shop").run("CREATE TABLE cache (format INT, name INT)")
		p, d := w.proxy("app", "shop"), w.direct("app", "shop")
		for _, text := range []string{"EXPLAIN cache", "EXPLAIN cache name", "DESC cache 'f%'", "describe cache format;", "EXPLAIN cache.cache"} {
			if got, want := p.ask(text), d.ask(text); got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	})
}
