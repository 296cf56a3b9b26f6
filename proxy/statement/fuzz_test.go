package statement

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzAnalyze checks on any text that the analysis ends without a panic, and that it does not claim too much.
func FuzzAnalyze(f *testing.F) {
	for _, list := range [][]example{reads, functionCalls, sessionState, locking, systemSchemas, comments, various, timesOfDay, kinds} {
		for _, ex := range list {
			if len(ex.sql) < 1000 {
				f.Add(ex.sql, uint8(0))
			}
		}
	}
	modes := []string{"", "ANSI", "NO_BACKSLASH_ESCAPES", "IGNORE_SPACE,PIPES_AS_CONCAT", "ORACLE"}
	charsets := []string{"", "latin1", "gbk", "sjis"}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, sql string, mode uint8) {
		env := onWorld()
		env.SQLMode, env.Charset = modes[int(mode)%len(modes)], charsets[int(mode>>4)%len(charsets)]
		checkClaims(t, a, sql, env)
	})
}

// checkClaims fails if a statement is cacheable that must not be.
func checkClaims(t *testing.T, a *Analyzer, sql string, env Env) {
	st := a.Analyze(sql, env)
	if !st.Cacheable {
		if st.Reason == "" {
			t.Errorf("%q: not cacheable, but without a reason", sql)
		}
		return
	}
	if st.Kind != Read || st.Reason != "" || len(st.Tables) == 0 || st.Stateful {
		t.Errorf("%q: cacheable, but %s %q stateful=%v tables %v", sql, st.Kind, st.Reason, st.Stateful, st.Tables)
	}
	for _, n := range st.Tables {
		if systemSchema(n.Schema) || world.Relation(n).Kind == 0 || strings.HasSuffix(n.Schema, "sequence") {
			t.Errorf("%q: cacheable, but reads %s", sql, n)
		}
	}
	if env.SQLMode == "ORACLE" || len(sql) > MaxLength || env.Charset == "" && !utf8.ValidString(sql) {
		t.Errorf("%q: cacheable, but the text is not one that Weir can read", sql)
	}
	in := newInput(sql, &env)
	parts, _ := split(in)
	if len(parts) != 1 {
		t.Fatalf("%q: cacheable, but has %d statements", sql, len(parts))
	}
	if _, err := treeOf(in.of(parts[0])); err != nil {
		t.Errorf("%q: cacheable, but unparsable: %v", sql, err)
	}
	if word := forbidden(in.of(parts[0])); word != "" {
		t.Errorf("%q: cacheable, but has the word %s", sql, word)
	}
}

// forbidden returns a word that no cacheable statement has outside of quotes, unless it is a column behind a dot.
func forbidden(in input) string {
	words := strings.Fields("INTO OUTFILE SQL_NO_CACHE SQL_CALC_FOUND_ROWS CURRENT_TIMESTAMP UTC_DATE CURRENT_USER LOCALTIME")
	l := newLexer(in.sql, in.mode)
	var last token
	for t := l.next(); t.kind != endToken; t = l.next() {
		if t.kind == variableToken {
			return l.text(t)
		}
		if w := l.upper(t); slices.Contains(words, w) && !l.punct(last, '.') {
			return w
		}
		last = t
	}
	return ""
}
