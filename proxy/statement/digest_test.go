package statement

import (
	"strings"
	"testing"
)

func digested(t testing.TB, sql string, env Env) string {
	t.Helper()
	return NewCache(Limits{}).Analyze(sql, env).Digest.Text
}

func TestDigestText(t *testing.T) {
	for sql, want := range map[string]string{
		"select * from t where id = 5":                                    "SELECT * FROM t WHERE id = ?",
		"SELECT  *\nFROM `t`  WHERE id=-5 -- a secret":                    "SELECT * FROM t WHERE id = ?",
		"SELECT /* 'secret' */ a.b FROM s . t a;":                         "SELECT a.b FROM s.t a",
		"SELECT a FROM t WHERE b IN (1)":                                  "SELECT a FROM t WHERE b IN (...)",
		"SELECT a FROM t WHERE b IN (1, -2,'x', ?)":                       "SELECT a FROM t WHERE b IN (...)",
		"SELECT a FROM t WHERE (b,c) IN ((1,2), (3,4))":                   "SELECT a FROM t WHERE (b, c) IN (...)",
		"SELECT a FROM t WHERE b IN (1, c)":                               "SELECT a FROM t WHERE b IN (?, c)",
		"SELECT COUNT(*), f(1), ROUND(a, 2) FROM t":                       "SELECT COUNT(*), f(?), ROUND(a, ?) FROM t",
		"SELECT a-1, a - -1, (a)-1 FROM t LIMIT 3 OFFSET 4":               "SELECT a - ?, a - ?, (a) - ? FROM t LIMIT ? OFFSET ?",
		"SELECT x'1f', N'a', _utf8mb4 'b', 'c' 'd', 0x1F, b'1', 1e-5, .5": "SELECT ?, ?, ?, ?, ?, ?, ?, ?",
		"SELECT a<=>b, a >= b, a->>'$.x', a || b FROM t":                  "SELECT a <=> b, a >= b, a ->> ?, a || b FROM t",
		"INSERT INTO t VALUES (1,'a'),(2,'b')":                            "INSERT INTO t VALUES (...)",
		"INSERT INTO t (a) VALUES (1), (2)":                               "INSERT INTO t(a) VALUES (...)",
		"SELECT @x, @@sql_mode, `select` FROM `a b`":                      "SELECT @x, @@sql_mode, `select` FROM `a b`",
		"SET PASSWORD FOR 'u'@'h' = 'hunter2'":                            "SET PASSWORD FOR ?@? = ?",
		"CREATE USER u IDENTIFIED BY 'hunter2'":                           "CREATE USER u IDENTIFIED BY ?",
		// Without quotes they are names, and the statement is none; it is digested even so.
		"CREATE USER u IDENTIFIED BY hunter2":                      "CREATE USER u IDENTIFIED BY ?",
		"ALTER USER u@h IDENTIFIED WITH plugin AS hunter2@home":    "ALTER USER u @h IDENTIFIED WITH ? AS ? ?",
		"SET PASSWORD = hunter2":                                   "SET PASSWORD = ?",
		"SET PASSWORD FOR u = PASSWORD(hunter2)":                   "SET PASSWORD FOR ? = PASSWORD(?)",
		"GRANT SELECT ON t TO u IDENTIFIED BY hunter2":             "GRANT SELECT ON t TO u IDENTIFIED BY ?",
		"CHANGE MASTER TO MASTER_PASSWORD = hunter2":               "CHANGE MASTER TO MASTER_PASSWORD = ?",
		"SELECT password FROM users":                               "SELECT password FROM users",
		"ALTER TABLE users ADD COLUMN password VARCHAR(10)":        "ALTER TABLE users ADD COLUMN password VARCHAR (?)",
		"hunter2 is my password":                                   UnreadableText,
		"SELECT 'open":                                             UnreadableText,
		"SELECT /*!80000 'hunter2', */ 1":                          UnreadableText,
		"INSERT INTO t VALUES (1)" + strings.Repeat(", (1)", 5000): "INSERT INTO t VALUES (...), ...",
		"SELECT '" + strings.Repeat("x", MaxLength) + "'":          "SELECT ...",
	} {
		if got := digested(t, sql, Env{Schema: "shop"}); got != want {
			t.Errorf("%.80q:\n got  %s\n want %s", sql, got, want)
		}
	}
}

// What is a literal depends on the session: under ANSI_QUOTES "x" is a name, and under NO_BACKSLASH_ESCAPES a backslash is
// the end of nothing. A text must be read as the server reads it, or a literal would be shown.
func TestDigestTextUnderSQLModes(t *testing.T) {
	for _, c := range []struct{ mode, sql, want string }{
		{"", `SELECT "hunter2"`, "SELECT ?"},
		{"ANSI_QUOTES", `SELECT "a" FROM "t"`, "SELECT a FROM t"},
		{"", `SELECT 'a\' hunter2 '`, "SELECT ?"},
		{"NO_BACKSLASH_ESCAPES", `SELECT 'a\', hunter, '2'`, "SELECT ?, hunter, ?"},
		{"MSSQL", "SELECT [a]", UnreadableText},
	} {
		if got := digested(t, c.sql, Env{SQLMode: c.mode}); got != c.want {
			t.Errorf("%s under %q:\n got  %s\n want %s", c.sql, c.mode, got, c.want)
		}
	}
}

// Digests are of a schema, and texts that share a template share the digest, without another look at the text.
func TestDigestID(t *testing.T) {
	c := NewCache(Limits{})
	of := func(schema, sql string) *Digest { return c.Analyze(sql, Env{Schema: schema}).Digest }
	one := of("shop", "SELECT a FROM t WHERE b = 1")
	if two := of("shop", "SELECT a FROM t WHERE b = 2"); two != one {
		t.Errorf("%+v and %+v are two", one, two)
	}
	if list := of("shop", "select a from t where b = 'x'"); list.ID != one.ID {
		t.Errorf("%+v and %+v are not alike", one, list)
	}
	if other := of("crm", "SELECT a FROM t WHERE b = 1"); other.ID == one.ID {
		t.Errorf("%+v of another schema has the same number", other)
	}
}

// A marker that stands in the texts as literals, and nowhere else, is in no digest, however the text is cut.
func FuzzDigestHidesLiterals(f *testing.F) {
	for _, sql := range []string{
		"SELECT a FROM t WHERE b = 'hunter2'", "SELECT 'a\\'hunter2', \"hunter2\" -- hunter2", "SELECT /* hunter2 */ x'00', 'hunter2' FROM t",
		"INSERT INTO t VALUES ('hunter2', 0x1, N'hunter2')", "SELECT `a`, _utf8'hunter2' 'hunter2'", "SET PASSWORD = 'hunter2'",
	} {
		f.Add(sql, "")
	}
	f.Fuzz(func(t *testing.T, sql, mode string) {
		in := newInput(sql, &Env{SQLMode: mode})
		l := newLexer(sql, in.mode)
		for tok := l.next(); tok.kind != endToken; tok = l.next() {
			if tok.kind != stringToken && strings.Contains(l.text(tok), "hunter2") {
				return // it is code
			}
		}
		if got := digested(t, sql, Env{SQLMode: mode}); strings.Contains(got, "hunter2") {
			t.Errorf("%q is shown as %q", sql, got)
		}
	})
}

func BenchmarkDigest(b *testing.B) {
	in := newInput("SELECT name, price FROM products WHERE category IN (1, 2, 3) AND name = 'chair' ORDER BY price LIMIT 20", &Env{})
	texts := read(in.sql, in.mode)
	for b.Loop() {
		digestOf(in, texts, Statement{Kind: Read})
	}
}
