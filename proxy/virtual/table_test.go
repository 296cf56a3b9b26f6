package virtual

import (
	"strings"
	"testing"
	"time"

	"weir/proxy/statement"
)

// shelf has a table with a column of each kind, and one that needs a privilege.
func shelf() *Set {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 1000, time.UTC)
	things := Table{
		Schema: Schema, Name: "things",
		Columns: []Column{{"name", Text, ""}, {"open", Flag, ""}, {"text", Long, ""}, {"calls", Unsigned, ""}, {"delta", Signed, ""}, {"ratio", Double, ""}, {"at", Time, ""}},
		Rows: func(Viewer) [][]any {
			return [][]any{
				{"Chair", true, "SELECT 'x'", uint64(1<<64 - 1), int64(-5), .25, noon},
				{"apple ", false, "\"quoted\" \\ text", uint64(2), int64(7), 1e-7, nil},
				{"bed", false, nil, uint64(3), int64(0), nil, time.Time{}},
			}
		},
	}
	secret := Table{Schema: Schema, Name: "secret", Privilege: Process, Columns: []Column{{"x", Unsigned, ""}}, Rows: func(Viewer) [][]any { return [][]any{{uint64(1)}} }}
	own := Table{Schema: "information_schema", Name: "query_cache_info", Privilege: Process, Partly: true, Columns: []Column{{"HITS", Signed, ""}},
		Rows: func(v Viewer) [][]any {
			if v.Process {
				return [][]any{{int64(1)}}
			}
			return nil
		}}
	return NewSet([]Table{things, secret, own})
}

func reader(t testing.TB, schema, text string) *Reader {
	t.Helper()
	r, ok := NewReader(shelf(), schema, text, statement.Env{Schema: schema, Flavor: statement.MySQL})
	if !ok {
		t.Fatalf("%s is not to be read", text)
	}
	return r
}

// lines are an answer's rows as text.
func lines(a *Answer) string {
	var b strings.Builder
	for i := range a.Rows {
		for j, v := range a.Text(i) {
			if j > 0 {
				b.WriteByte('|')
			}
			if v == nil {
				b.WriteString("NULL")
			}
			b.Write(v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT name FROM weir.things", "Chair\napple \nbed\n"},
		{"select NAME as n, calls c FROM `weir`.Things t", "Chair|18446744073709551615\napple |2\nbed|3\n"},
		{"SELECT t.* FROM weir.things AS t WHERE t.name = 'CHAIR  '", "Chair|YES|SELECT 'x'|18446744073709551615|-5|0.25|2026-12-01 12:00:00.000001\n"},
		{"SELECT things.name FROM weir.things", "Chair\napple \nbed\n"},
		{"SELECT weir.things.name FROM weir.things", "Chair\napple \nbed\n"},
		{"TABLE weir.things LIMIT 1 OFFSET 2;", "bed|NO|NULL|3|0|NULL|NULL\n"},
		{"SELECT COUNT(*) FROM weir.things WHERE open = 'no'", "2\n"},
		{"SELECT name FROM weir.things ORDER BY name", "apple \nbed\nChair\n"},
		{"SELECT name FROM weir.things ORDER BY calls DESC, name LIMIT 2", "Chair\nbed\n"},
		{"SELECT name FROM weir.things ORDER BY ratio", "bed\napple \nChair\n"},
		{"SELECT name FROM weir.things LIMIT 1, 1", "apple \n"},
		{"SELECT name FROM weir.things LIMIT 0", ""},
		{"SELECT name FROM weir.things WHERE ratio IS NULL", "bed\n"},
		{"SELECT name FROM weir.things WHERE at IS NOT NULL", "Chair\n"},
		{"SELECT name FROM weir.things WHERE calls > 2.5 AND delta<=0", "Chair\nbed\n"},
		{"SELECT name FROM weir.things WHERE calls = 18446744073709551615", "Chair\n"},
		{"SELECT name FROM weir.things WHERE delta = -5", "Chair\n"},
		{"SELECT name FROM weir.things WHERE ratio <> 0.25", "apple \n"}, // NULL is not told apart from anything
		{"SELECT name FROM weir.things WHERE ratio = 1e-7", "apple \n"},
		{"SELECT name FROM weir.things WHERE name >= 'b' AND name != 'bed'", "Chair\n"},
		{"SELECT /* a comment */ name FROM weir.things -- and another", "Chair\napple \nbed\n"},
		{"SELECT hits FROM information_schema.QUERY_CACHE_INFO", "1\n"},
	} {
		q := reader(t, "shop", c.text).Parse()
		if q == nil {
			t.Errorf("%s is not plain", c.text)
			continue
		}
		rows, _ := q.Table.Shown(Viewer{Process: true})
		if a, ok := q.Run(rows); !ok || lines(a) != c.want {
			t.Errorf("%s: %v\n%s", c.text, ok, lines(a))
		}
	}
}

// TestNotPlain: what Weir does not understand entirely it leaves to a server.
func TestNotPlain(t *testing.T) {
	for _, text := range []string{
		"SELECT name FROM things", "SELECT name FROM weir.nothing", "SELECT nothing FROM weir.things", "SELECT name FROM shop.things",
		"SELECT DISTINCT name FROM weir.things", "SELECT name, COUNT(*) FROM weir.things", "SELECT SUM(calls) FROM weir.things",
		"SELECT name FROM weir.things WHERE name = 'a' OR name = 'b'", "SELECT name FROM weir.things WHERE name LIKE 'a%'",
		"SELECT name FROM weir.things WHERE calls = '5'", "SELECT name FROM weir.things WHERE name = 5", "SELECT name FROM weir.things WHERE at > '2026-01-01'",
		"SELECT name FROM weir.things WHERE name = 'a\\'b'", "SELECT name FROM weir.things WHERE name = 'é'", "SELECT name FROM weir.things WHERE name = 'a' 'b'",
		"SELECT name FROM weir.things WHERE calls = 0x10", "SELECT name FROM weir.things WHERE calls = ?", "SELECT name FROM weir.things ORDER BY 1",
		"SELECT delta AS calls FROM weir.things ORDER BY calls", "SELECT name FROM weir.things, weir.things t", "SELECT name FROM weir.things FOR UPDATE",
		"SELECT name FROM weir.things UNION SELECT 1", "SELECT name FROM weir.things WHERE name < = 'b'", "SELECT t.name FROM weir.things",
		"SELECT other.things.name FROM weir.things", "SELECT", "SELECT name FROM", "SELECT name FROM weir.", "TABLE", "SELECT name FROM weir.things LIMIT", "SELECT name FROM weir.things WHERE",
		"SELECT name FROM weir.things LIMIT 1 OFFSET", "SELECT name FROM weir.things WHERE calls >", "INSERT INTO weir.things VALUES (1)",
	} {
		if q := reader(t, "shop", text).Parse(); q != nil {
			t.Errorf("%s is plain: %+v", text, q)
		}
	}
}

// TestPlainTexts: a text that is not ASCII is not compared, and can be shown.
func TestPlainTexts(t *testing.T) {
	rows := [][]any{{"é", false, nil, uint64(1), int64(0), 0., nil}}
	for text, want := range map[string]bool{
		"SELECT name FROM weir.things": true, "SELECT name FROM weir.things WHERE calls = 1": true,
		"SELECT name FROM weir.things ORDER BY name": false, "SELECT calls FROM weir.things WHERE name = 'e'": false,
	} {
		if _, ok := reader(t, "", text).Parse().Run(rows); ok != want {
			t.Errorf("%s is answered: %v", text, ok)
		}
	}
}

func TestDerive(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{"shop", "SELECT * FROM weir.secret WHERE x + 1 = 2", "SELECT * FROM (D) AS `secret` WHERE x + 1 = 2"},
		{"shop", "SELECT s.x FROM weir.secret s JOIN `WEIR`.`Secret` AS b USING (x)", "SELECT s.x FROM (D) s JOIN (D) AS b USING (x)"},
		{"shop", "SELECT weir.secret.x, weir.secret.* FROM weir.secret", "SELECT secret.x, secret.* FROM (D) AS `secret`"},
		{"shop", "SELECT weir.secret FROM shop.weir", ""}, // a column of a table called weir
		{"shop", "SELECT (SELECT MAX(x) FROM weir.secret), weir.secret FROM weir", "SELECT (SELECT MAX(x) FROM (D) AS `secret`), weir.secret FROM weir"},
		{"shop", "SELECT * FROM items i, weir.secret WHERE i.id = x", "SELECT * FROM items i, (D) AS `secret` WHERE i.id = x"},
		{"shop", "SELECT * FROM (weir.secret LEFT JOIN items ON id = x)", "SELECT * FROM ((D) AS `secret` LEFT JOIN items ON id = x)"},
		{"weir", "SELECT x FROM secret ORDER BY x", "SELECT x FROM (D) AS `secret` ORDER BY x"},
		{"weir", "WITH secret AS (SELECT 1 x) SELECT x FROM secret", ""},
		{"weir", "WITH a AS (SELECT 1), secret (x) AS (SELECT 1) SELECT x FROM secret", ""},
		{"weir", "SELECT secret FROM shop.t", ""},
		{"weir", "SELECT secret.x FROM shop.secret", ""},
		{"weir", "SELECT 1 FROM shop.t secret", ""},
		{"shop", "SELECT 'weir.secret' FROM t", ""},
		{"shop", "TABLE weir.secret ORDER BY x + 1", "SELECT * FROM (D) AS `secret` ORDER BY x + 1"},
		{"shop", "SELECT EXTRACT(YEAR FROM d), x FROM weir.secret GROUP BY 1, 2", "SELECT EXTRACT(YEAR FROM d), x FROM (D) AS `secret` GROUP BY 1, 2"},
		{"information_schema", "SELECT SUM(HITS) FROM QUERY_CACHE_INFO", "SELECT SUM(HITS) FROM (D) AS `query_cache_info`"},
	} {
		r := reader(t, c.schema, c.text)
		if got := len(r.Tables()) > 0; got != (c.want != "") {
			t.Errorf("%s reads Weir's: %v", c.text, got)
		}
		got, err := r.Derive(1<<20, func(t *Table) [][]any { return t.Rows(Viewer{Process: true}) })
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if want == "" {
			want = c.text
		}
		if got = shorten(got); got != want {
			t.Errorf("%s becomes\n%s\nwant\n%s", c.text, got, want)
		}
	}
}

// shorten puts D in place of the rows.
func shorten(s string) string {
	for {
		before, rest, found := strings.Cut(s, "(SELECT * FROM JSON_TABLE(")
		if !found {
			return s
		}
		_, after, _ := strings.Cut(rest, ")) AS `rows`)")
		s = before + "(D)" + after
	}
}

// TestTheirs: what the source has of that name is the source's.
func TestTheirs(t *testing.T) {
	r := reader(t, "shop", "SELECT x FROM weir.secret")
	r.Theirs = func(schema, name string) bool { return schema == "weir" }
	if r.Parse() != nil || len(r.Tables()) > 0 {
		t.Error("Weir's table hides the source's")
	}
	if reader(t, "shop", "SHOW TABLES FROM weir").Show() == nil {
		t.Fatal("SHOW TABLES is not answered")
	}
	r = reader(t, "shop", "SHOW TABLES FROM weir")
	r.Theirs = func(string, string) bool { return true }
	if r.Show() != nil {
		t.Error("SHOW TABLES hides the source's tables")
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{"shop", "SHOW TABLES FROM weir", "secret\nthings\n"},
		{"weir", "show full tables like 'th%'", "things|SYSTEM VIEW\n"},
		{"weir", "DESC secret", "x|bigint unsigned|YES||NULL|\n"},
		{"shop", "DESCRIBE weir.secret", "x|bigint unsigned|YES||NULL|\n"},
		{"shop", "SHOW COLUMNS FROM secret FROM weir", "x|bigint unsigned|YES||NULL|\n"},
		{"shop", "SHOW FULL FIELDS IN weir.things LIKE 'na_e'", "name|varchar(255)|utf8mb4_general_ci|YES||NULL||select|\n"},
		{"shop", "SHOW TABLES", "none"}, {"shop", "SHOW TABLES FROM shop", "none"}, {"shop", "DESC things", "none"}, {"weir", "SHOW TABLES WHERE 1", "none"},
		{"weir", "SHOW", "none"}, {"weir", "DESC", "none"}, {"weir", "EXPLAIN SELECT 1", "none"}, {"weir", "SHOW COLUMNS", "none"}, {"weir", "SHOW COLUMNS FROM", "none"},
	} {
		got := "none"
		if a := reader(t, c.schema, c.text).Show(); a != nil {
			got = lines(a)
		}
		if got != c.want {
			t.Errorf("%s in %s: %s", c.text, c.schema, got)
		}
	}
}

// TestPrivilege: a table that needs one shows nothing without it.
func TestPrivilege(t *testing.T) {
	set := shelf()
	if rows, ok := set.Find("weir", "SECRET").Shown(Viewer{}); ok || rows != nil {
		t.Error("shown without the privilege")
	}
	if rows, ok := set.Find("weir", "secret").Shown(Viewer{Process: true}); !ok || len(rows) != 1 {
		t.Error("not shown with the privilege")
	}
	if rows, ok := set.Find("information_schema", "query_cache_info").Shown(Viewer{}); !ok || len(rows) != 0 {
		t.Error("a table that is shown in part is not")
	}
}

func TestObjects(t *testing.T) {
	things := shelf().Find("weir", "things")
	list, err := things.Objects(Viewer{}, "-calls", 2)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	text, err := list[0].MarshalJSON()
	const want = `{"name":"Chair","open":true,"text":"SELECT 'x'","calls":18446744073709551615,"delta":-5,"ratio":0.25,"at":"2026-12-01T12:00:00.000001Z"}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	if text, _ = list[1].MarshalJSON(); !strings.Contains(string(text), `"ratio":null,"at":null`) {
		t.Errorf("NULL is %s", text)
	}
	if _, err := things.Objects(Viewer{}, "nothing", 1); err == nil {
		t.Error("any order goes")
	}
}

func TestMay(t *testing.T) {
	set := shelf()
	for text, want := range map[string]bool{
		"SELECT * FROM WEIR.x": true, "select query_cache_INFO": true, "SELECT we, ir": false, "": false, "wei": false,
	} {
		if set.May([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	if (*Set)(nil).May([]byte("weir")) || NewSet(nil).Owns("weir") {
		t.Error("there are no tables")
	}
}

// FuzzReader: no text makes it panic, and what it derives without tables is the text.
func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"SELECT * FROM weir.things t WHERE t.calls >= 1 ORDER BY name DESC LIMIT 1 OFFSET 2", "TABLE weir.things", "SHOW FULL TABLES FROM weir LIKE 'x'",
		"WITH things (a) AS (SELECT 1) SELECT * FROM things, weir.secret", "DESC weir.things", "SELECT COUNT(*) FROM weir.things", "SELECT name FROM", "weir.", "(", "TABLE",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := NewReader(shelf(), "weir", text, statement.Env{Schema: "weir"})
		if !ok {
			return
		}
		r.Show()
		if q := r.Parse(); q != nil {
			rows, _ := q.Table.Shown(Viewer{Process: true})
			q.Run(rows)
		}
		derived, err := r.Derive(1<<20, func(t *Table) [][]any { return t.Rows(Viewer{}) })
		if err != nil || len(r.Tables()) == 0 && r.word(0) != "TABLE" && len(r.mentions()) == 0 && derived != text {
			t.Errorf("%q becomes %q, %v", text, derived, err)
		}
	})
}
