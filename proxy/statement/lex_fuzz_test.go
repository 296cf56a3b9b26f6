package statement

import (
	"strings"
	"testing"
)

// FuzzLex: tokens follow one another within the text until its end, in every mode, and blanking comments with code in
// them keeps every other byte where it is.
func FuzzLex(f *testing.F) {
	for _, list := range [][]example{comments, reads, various} {
		for _, ex := range list {
			f.Add(ex.sql, false, false, uint8(0))
		}
	}
	charsets := []string{"", "latin1", "gbk", "sjis", "big5"}
	f.Fuzz(func(t *testing.T, sql string, ansi, noBackslash bool, charset uint8) {
		var names []string
		if ansi {
			names = append(names, "ANSI_QUOTES")
		}
		if noBackslash {
			names = append(names, "NO_BACKSLASH_ESCAPES")
		}
		env := Env{SQLMode: strings.Join(names, ","), Charset: charsets[int(charset)%len(charsets)]}
		mode := newInput(sql, &env).mode
		checkTokens(t, sql, mode)
		r := read(sql, mode)
		if len(r.with) != len(sql) || len(r.without) != len(sql) {
			t.Fatalf("%q of %d bytes became %d and %d", sql, len(sql), len(r.with), len(r.without))
		}
		for i := range len(sql) {
			if r.with[i] != sql[i] && r.with[i] != ' ' || r.without[i] != sql[i] && r.without[i] != ' ' {
				t.Fatalf("%q became %q and %q", sql, r.with, r.without)
			}
		}
		if !r.code && (r.with != sql || r.without != sql) {
			t.Fatalf("%q has no code in comments and became %q", sql, r.with)
		}
	})
}

func checkTokens(t *testing.T, sql string, mode lexMode) {
	l := newLexer(sql, mode)
	for last := 0; ; {
		token := l.next()
		if token.start < last || token.end < token.start || token.end > len(sql) {
			t.Fatalf("%q: a token from %d to %d after one that ends at %d", sql, token.start, token.end, last)
		}
		if token.kind == endToken {
			if token.start != len(sql) {
				t.Fatalf("%q ends at %d of %d", sql, token.start, len(sql))
			}
			return
		}
		if token.end == token.start {
			t.Fatalf("%q: an empty token at %d", sql, token.start)
		}
		last = token.end
	}
}

// FuzzStripSQLCache: nothing but the one word is taken out.
func FuzzStripSQLCache(f *testing.F) {
	for _, sql := range []string{"SELECT SQL_CACHE * FROM t", "(SELECT SQL_CACHE a FROM t)", "SELECT /* SQL_CACHE */ SQL_CACHE a FROM t", "SELECT 'SQL_CACHE' FROM t", "/*!SELECT*/ SQL_CACHE 1"} {
		f.Add(sql)
	}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, sql string) {
		const word = "SQL_CACHE"
		got := a.StripSQLCache(sql, Env{})
		if got == sql {
			return
		}
		for i := 0; i+len(word) <= len(sql); i++ {
			if strings.EqualFold(sql[i:i+len(word)], word) && got == sql[:i]+strings.Repeat(" ", len(word))+sql[i+len(word):] {
				return
			}
		}
		t.Fatalf("%q became %q", sql, got)
	})
}
