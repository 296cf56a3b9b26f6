package statement

import (
	"strings"
	"testing"
)

// lexed joins the tokens of a text with blanks.
func lexed(sql string, mode lexMode) (tokens, odd string) {
	l := newLexer(sql, mode)
	var out []string
	for t := l.next(); t.kind != endToken; t = l.next() {
		out = append(out, l.text(t))
	}
	return strings.Join(out, " "), l.odd
}

func TestLexer(t *testing.T) {
	ansi, plain := lexMode{ansiQuotes: true}, lexMode{noBackslash: true}
	for _, c := range []struct {
		sql  string
		mode lexMode
		want string
	}{
		{"SELECT a,b", lexMode{}, "SELECT a , b"},
		{"a--b", lexMode{}, "a - - b"},
		{"a-- b", lexMode{}, "a"},
		{"a--", lexMode{}, "a"},
		{"a--\tb\nc", lexMode{}, "a c"},
		{"a#b\nc", lexMode{}, "a c"},
		{"a/*b*/c", lexMode{}, "a c"},
		{"a/*/b*/c", lexMode{}, "a c"},
		{"a/**/c", lexMode{}, "a c"},
		{"a/***/c", lexMode{}, "a c"},
		{"a/* /* */c", lexMode{}, "a c"},
		{"a*/b", lexMode{}, "a * / b"},
		{`'a''b' 'a\'b' "a""b" "a\"b"`, lexMode{}, `'a''b' 'a\'b' "a""b" "a\"b"`},
		{`'a\' b'`, plain, `'a\' b '`},
		{"`a``b` `a\\`", lexMode{}, "`a``b` `a\\`"},
		{`"a""b" 'c'`, ansi, `"a""b" 'c'`},
		{"1 1.5 .5 1e5 1e+5 1.5e-3 0xFF 1st 1a.b", lexMode{}, "1 1.5 . 5 1e5 1e+5 1.5e-3 0xFF 1st 1a. b"},
		{"1-1 1.e5 1+1", lexMode{}, "1 - 1 1.e5 1 + 1"},
		{"@a @@b @@global.c @`d e` @'f' @", lexMode{}, "@a @@b @@global.c @`d e` @'f' @"},
		{"x'41' n'a' _utf8'b'", lexMode{}, "x '41' n 'a' _utf8 'b'"},
		{"é.ü", lexMode{}, "é . ü"},
		{"a->>'$.b' := \\N", lexMode{}, "a - > > '$.b' : = \\ N"},
		{"a/*!b*/c", lexMode{}, "a c"},
		{"a/*!99999 b /* c */ d */e", lexMode{}, "a e"},
		{"'\xbf\\' a '", lexMode{wide: wideFirst("gbk")}, "'\xbf\\' a '"},
	} {
		got, _ := lexed(c.sql, c.mode)
		if got != c.want {
			t.Errorf("%q:\n got  %q\n want %q", c.sql, got, c.want)
		}
	}
}

func TestLexerOdd(t *testing.T) {
	for sql, want := range map[string]string{
		"'a":         "open quote",
		"`a":         "open quote",
		"'a\\":       "open quote",
		"/* a":       "open comment",
		"/*! a":      "open comment",
		"/*+ 'a' */": "quotes in a hint",
		"/*+ `a */":  "quotes in a hint",
		"a \x01 b":   "control character",
		"a \x7f b":   "control character",
		"$a":         "dollar quotes",
		"a$b":        "",
		"'\x01'":     "",
		"a \v\f b":   "",
	} {
		if _, got := lexed(sql, lexMode{}); got != want {
			t.Errorf("%q: got odd %q, want %q", sql, got, want)
		}
	}
}

// TestReadings resolves comments that contain code. Offsets stay.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		sql, with, without string
	}{
		{"a /* b */ c", "a /* b */ c", "a /* b */ c"},
		{"a /*! b */ c", "a     b    c", "a     b    c"},
		{"a /*!50100 b */ c", "a          b    c", "a          b    c"},
		{"a /*!123 b */ c", "a    123 b    c", "a    123 b    c"},
		{"a /*!50700 b */ c", "a          b    c", "a               c"},
		{"a /*!100100 b */c", "a           b   c", "a               c"},
		{"a /*M! b */c", "a      b   c", "a          c"},
		{"a /*M!100100b*/c", "a           b  c", "a              c"},
		{"'/*! b */' c", "'/*! b */' c", "'/*! b */' c"},
		{"/* /*! b */ c", "/* /*! b */ c", "/* /*! b */ c"},
		{"a /*! b /* c */ d */ e", "a     b /* c */ d    e", "a     b /* c */ d    e"},
		{"a /*M! b /* c */ d */ e", "a      b /* c */ d    e", "a                     e"},
		{"a /*!50100 b /*!80000 c */ */ d", "a          b          c       d", "a          b                  d"},
	} {
		r := read(c.sql, lexMode{})
		if r.with != c.with || r.without != c.without {
			t.Errorf("%q:\n got  %q\n and  %q\n want %q\n and  %q", c.sql, r.with, r.without, c.with, c.without)
		}
	}
}

func TestSplit(t *testing.T) {
	for sql, want := range map[string]string{
		"a":                         "a",
		"a;":                        "a",
		"a;b":                       "a|b",
		" a ; b ; ":                 " a | b ",
		"a;;b":                      "a|b",
		"a; -- c":                   "a|...",
		"-- c\n;a":                  "a",
		"'a;b';c":                   "'a;b'|c",
		"CREATE FUNCTION f; a; END": "CREATE FUNCTION f; a; END",
		"CREATE TABLE f; a":         "CREATE TABLE f| a",
		"BEGIN; a":                  "BEGIN| a",
		"BEGIN NOT ATOMIC a; END":   "BEGIN NOT ATOMIC a; END",
		"":                          "",
	} {
		parts, trailing := split(input{sql: sql})
		if trailing {
			parts = append(parts, "...")
		}
		if got := strings.Join(parts, "|"); got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for sql, want := range map[string]string{
		"FLUSH QUERY CACHE":                    "FLUSH QUERY CACHE",
		"/* a */ flush -- b\n query/**/cache;": "FLUSH QUERY CACHE",
		"explain cache select * from t":        "EXPLAIN CACHE SELECT",
		"SHOW `a`":                             "SHOW",
		"(SELECT 1)":                           "",
	} {
		if got := strings.Join(Words(sql, Env{}, 3), " "); got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
}

func TestStripSQLCache(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string]string{
		"SELECT SQL_CACHE * FROM t":                      "SELECT           * FROM t",
		"select distinct sql_cache a from t":             "select distinct           a from t",
		"(SELECT SQL_CACHE a FROM t)":                    "(SELECT           a FROM t)",
		"SELECT SQL_NO_CACHE * FROM t":                   "SELECT SQL_NO_CACHE * FROM t",
		"SELECT sql_cache FROM t":                        "SELECT sql_cache FROM t",
		"SELECT sql_cache, a FROM t":                     "SELECT sql_cache, a FROM t",
		"SELECT 'SQL_CACHE' FROM t":                      "SELECT 'SQL_CACHE' FROM t",
		"SELECT a, sql_cache b FROM t":                   "SELECT a, sql_cache b FROM t",
		"SELECT * FROM t WHERE a = (SELECT SQL_CACHE b)": "SELECT * FROM t WHERE a = (SELECT SQL_CACHE b)",
		"SELECT /* SQL_CACHE */ SQL_CACHE a FROM t":      "SELECT /* SQL_CACHE */           a FROM t",
	} {
		if got := a.StripSQLCache(sql, Env{}); got != want {
			t.Errorf("%q: got %q, want %q", sql, got, want)
		}
	}
}

func TestCacheHints(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string][2]bool{
		"SELECT SQL_CACHE a FROM t":                      {true, false},
		"SELECT DISTINCT SQL_NO_CACHE a FROM t":          {false, true},
		"SELECT a FROM (SELECT SQL_NO_CACHE b FROM t) d": {false, false},
		"(SELECT SQL_CACHE a FROM t) UNION SELECT 1":     {true, false},
		"WITH c AS (SELECT 1) SELECT SQL_CACHE a FROM t": {false, false}, // the first SELECT is another one
	} {
		st := a.Analyze(sql, onWorld())
		if got := [2]bool{st.SQLCache, st.SQLNoCache}; got != want {
			t.Errorf("%s: got %v, want %v", sql, got, want)
		}
	}
}
