package statement

import (
	"slices"
	"strings"
	"testing"
)

var stripped = []struct{ text, want string }{
	{"SELECT a FROM t", "SELECT a FROM t"},
	{"  SELECT a FROM t \n", "SELECT a FROM t"},
	{"/* app */ SELECT a FROM t /* route */ -- end", "SELECT a FROM t"},
	{"-- one\n# two\nSELECT a FROM t # three", "SELECT a FROM t"},
	{"SELECT /* Class::method */ a + 1 FROM t", "SELECT a + 1 FROM t"},
	{"select  /* x */  a FROM t", "select a FROM t"},
	{"SELECT a /* inside */ + 1 FROM t", "SELECT a /* inside */ + 1 FROM t"},
	{"SELECT '/* a */' FROM t -- c */", "SELECT '/* a */' FROM t"},
	{"SELECT 'a /* b' FROM t -- c */", "SELECT 'a /* b' FROM t"},
	{`SELECT 'it\'s /* a */' /* b */`, `SELECT 'it\'s /* a */'`},
	{"SELECT 'it''s -- a' /* b */", "SELECT 'it''s -- a'"},
	{"SELECT `a\\` /* b */", "SELECT `a\\`"},
	{"SELECT /*+ MAX_EXECUTION_TIME(1) */ a FROM t /* b */", "SELECT /*+ MAX_EXECUTION_TIME(1) */ a FROM t"},
	{"/* weir: nocache */ SELECT a FROM t /* b */", "/* weir: nocache */ SELECT a FROM t"},
	{"/* b */ SELECT /* WEIR: max_staleness=1s */ a", "SELECT /* WEIR: max_staleness=1s */ a"},
	{"SELECT a - -1 FROM t -- b", "SELECT a - -1 FROM t"},
	// As they are:
	{"SELECT a--1 FROM t -- b", "SELECT a--1 FROM t -- b"},
	{"/* a */ SELECT /*!40001 SQL_NO_CACHE */ a /* b */", "/* a */ SELECT /*!40001 SQL_NO_CACHE */ a /* b */"},
	{"SELECT a /*M! b */ /* c */", "SELECT a /*M! b */ /* c */"},
	{"SELECT $$ /* a */ $$ /* b */", "SELECT $$ /* a */ $$ /* b */"},
	{"SELECT 'open /* b */", "SELECT 'open /* b */"},
	{"SELECT a /* open", "SELECT a /* open"},
	{"/* nothing */", "/* nothing */"},
	{"", ""},
}

func TestAppendStripped(t *testing.T) {
	t.Parallel()
	for _, c := range stripped {
		if got := string(AppendStripped([]byte("key"), []byte(c.text))); got != "key"+c.want {
			t.Errorf("%q is %q without comments, want %q", c.text, got, "key"+c.want)
		}
	}
	for mode, want := range map[string]bool{"": true, "STRICT_TRANS_TABLES,NO_ZERO_DATE": true, "ANSI_QUOTES": false, "ANSI": false, "NO_BACKSLASH_ESCAPES": false, "NEW_MODE": false} {
		if Strippable(mode) != want {
			t.Errorf("Strippable(%q) is not %v", mode, want)
		}
	}
}

// FuzzStrip: what is left has the same tokens, hints and directives as the text had, so that no two statements share a key.
func FuzzStrip(f *testing.F) {
	for _, c := range stripped {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		left := string(AppendStripped(nil, []byte(text)))
		if left == text || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
			return
		}
		was, wasOdd := tokensOf(text)
		is, isOdd := tokensOf(left)
		if wasOdd || isOdd || !slices.Equal(was, is) {
			t.Errorf("%q has the tokens %q, and %q has %q", text, was, left, is)
		}
		if d, e := readDirectives(text, lexMode{}), readDirectives(left, lexMode{}); d != e {
			t.Errorf("%q asks for %+v, and %q for %+v", text, d, left, e)
		}
	})
}

// tokensOf splits a text by the other lexer. Two strings side by side are one to neither.
func tokensOf(text string) (all []string, odd bool) {
	l := newLexer(text, lexMode{})
	for t := l.next(); t.kind != endToken; t = l.next() {
		all = append(all, l.text(t))
	}
	return append(all, l.hints...), l.odd != "" && l.odd != "quotes in a hint"
}

var substituted = []struct{ text, want string }{
	{"SELECT @@query_cache_size", "SELECT 5 AS `@@query_cache_size`"},
	{"SELECT @@Query_Cache_Size, @@global.query_cache_size AS b", "SELECT 5 AS `@@Query_Cache_Size`, 5 AS b"},
	{"SELECT @@query_cache_size b, @@sql_mode", "SELECT 5 b, @@sql_mode"},
	{"SELECT @@query_cache_size + 1 FROM t", "SELECT 5 + 1 AS `@@query_cache_size + 1` FROM t"},
	{"SELECT @@query_cache_size = 'x' LIMIT 1", "SELECT 5 = 'x' AS `@@query_cache_size = 'x'` LIMIT 1"},
	{"SELECT IF(@@query_cache_size, 1, 2), (SELECT @@query_cache_size)", "SELECT IF(5, 1, 2) AS `IF(@@query_cache_size, 1, 2)`, (SELECT 5 AS `@@query_cache_size`) AS `(SELECT @@query_cache_size)`"},
	{"SELECT '@@query_cache_size', `@@query_cache_size` FROM t", "SELECT '@@query_cache_size', `@@query_cache_size` FROM t"},
	{"SELECT a FROM t WHERE b = @@query_cache_size", "SELECT a FROM t WHERE b = 5"},
	{"SET @a = @@query_cache_size, @@query_cache_size = 1, GLOBAL query_cache_size = @@query_cache_size", "SET @a = 5, @@query_cache_size = 1, GLOBAL query_cache_size = 5"},
	{"SELECT @@query_cache_size INTO @a", "SELECT 5 AS `@@query_cache_size` INTO @a"},
	{"SELECT 1; SELECT @@query_cache_size; SELECT 2", "SELECT 1; SELECT 5 AS `@@query_cache_size`; SELECT 2"},
	{"SELECT DISTINCT @@`query_cache_size`", "SELECT DISTINCT 5 AS `@@``query_cache_size```"},
	{"SELECT /* @@query_cache_size */ 1", "SELECT /* @@query_cache_size */ 1"},
	{"SELECT f(a, @@query_cache_size) c FROM t", "SELECT f(a, 5) c FROM t"},
}

func TestSubstituteVariables(t *testing.T) {
	t.Parallel()
	by := func(r Reference) (string, bool) { return "5", r.Name == "query_cache_size" }
	for _, c := range substituted {
		if got := SubstituteVariables(c.text, Env{}, by); got != c.want {
			t.Errorf("%s\nis  %s\nnot %s", c.text, got, c.want)
		}
	}
}

// In some character sets a backquote may be the second half of a letter, and to double it would end the name.
func TestSubstituteInWideCharacters(t *testing.T) {
	t.Parallel()
	by := func(Reference) (string, bool) { return "5", true }
	for text, want := range map[string]string{
		"SELECT @@query_cache_size = '\x81` FROM t -- '": "SELECT 5 = '\x81` FROM t -- '",
		"SELECT @@query_cache_size + 1":                  "SELECT 5 + 1 AS `@@query_cache_size + 1`",
	} {
		if got := SubstituteVariables(text, Env{Charset: "gbk"}, by); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestSplitSet(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, want := range map[string]string{
		"SET query_cache_type = ON, sql_mode = ''":            "query_cache_type = ON|sql_mode = ''",
		"SET GLOBAL a = 1, b = (SELECT 1, 2), SESSION c = 3;": "GLOBAL a = 1|GLOBAL b = (SELECT 1, 2)|SESSION c = 3",
		"SET @@global.a := 1, @x = 2, b = 3":                  "@@global.a := 1|@x = 2|b = 3",
		"SET SESSION a = 1, NAMES utf8mb4, @@b = 2 /* c */":   "SESSION a = 1|NAMES utf8mb4|@@b = 2 /* c */",
		"SET /*!40101 query_cache_type = */ ON":               "query_cache_type =    ON",
		"SET STATEMENT a = 1 FOR SELECT 1":                    "",
		"SET a = 1; SELECT 1":                                 "",
		"SET /*!80000 a = 1, */ b = 2":                        "",
		"SET ROLE none":                                       "",
	} {
		var got []string
		items, ok := a.SplitSet(text, Env{})
		for _, item := range items {
			got = append(got, item.Text)
		}
		if strings.Join(got, "|") != want && ok || ok != (want != "") {
			t.Errorf("%s is %q, %v; want %q", text, got, ok, want)
		}
	}
}

func TestListingOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Listing{
		"show variables like 'query%';":                         {Like: "'query%'"},
		"SHOW /*!50002 GLOBAL */ STATUS":                        {Status: true, Global: true},
		"SHOW LOCAL STATUS WHERE Variable_name = 'Qcache_hits'": {Status: true, Where: "Variable_name = 'Qcache_hits'"},
	} {
		if got, ok := ListingOf(text, Env{}); !ok || got != want {
			t.Errorf("%s is %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"SHOW TABLE STATUS", "SHOW TABLES", "SHOW STATUS; SELECT 1", "SELECT 1", "SHOW SLAVE STATUS", "SHOW GLOBAL VARIABLES x"} {
		if got, ok := ListingOf(text, Env{}); ok {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

func TestMaintenanceOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Maintenance{
		"FLUSH QUERY CACHE":                {QueryCache: true},
		"flush local /* c */ query cache;": {QueryCache: true},
		"RESET QUERY CACHE":                {QueryCache: true, Reset: true},
		"FLUSH QUERY CACHE, STATUS":        {QueryCache: true, Status: true, Rest: "FLUSH STATUS"},
		"FLUSH NO_WRITE_TO_BINLOG STATUS":  {Status: true, Rest: "FLUSH NO_WRITE_TO_BINLOG STATUS"},
		"FLUSH HOSTS, QUERY CACHE, LOGS":   {QueryCache: true, Others: true, Rest: "FLUSH HOSTS, LOGS"},
		"RESET QUERY CACHE, MASTER":        {QueryCache: true, Reset: true, Others: true, Rest: "RESET MASTER"},
	} {
		if got, ok := MaintenanceOf(text, Env{}); !ok || got != want {
			t.Errorf("%s is %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"FLUSH TABLES", "FLUSH QUERY CACHE x", "RESET MASTER", "FLUSH QUERY CACHE; SELECT 1", "SELECT 1"} {
		if got, ok := MaintenanceOf(text, Env{}); ok {
			t.Errorf("%s is %+v", text, got)
		}
	}
}
