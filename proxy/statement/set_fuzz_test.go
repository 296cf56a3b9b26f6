package statement

import (
	"regexp"
	"strings"
	"testing"
)

// one value that means the same in every session: a string without backslashes in single quotes, a number, a word, or a
// name in quotes. What is said to be a literal must look like that.
var oneLiteral = regexp.MustCompile("(?s)^(?:'(?:[^'\\\\]|'')*'|[-+]? *[0-9][0-9A-Za-z_.$\\x{80}-\\x{10ffff}]*(?:[eE][-+]?[0-9A-Za-z_$]*)?|[A-Za-z_$\\x{80}-\\x{10ffff}][0-9A-Za-z_$\\x{80}-\\x{10ffff}]*|`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\")$")

// clockWords are functions that need no parentheses.
var clockWords = regexp.MustCompile(`(?i)^(current_|utc_|localtime|session_user|system_user)`)

// FuzzSet checks on any text behind SET that what is not understood is of an unknown kind, or not a literal, or a write:
// never a plain assignment of something else.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{
		"autocommit=0", "SESSION a = 1, @@global.b = 2", "@a = 1, b = @a", "NAMES utf8mb4 COLLATE utf8mb4_bin, a = 'x''y'",
		"CHARACTER SET latin1", "TRANSACTION READ ONLY", "GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED",
		"sql_mode = CONCAT(@@sql_mode, ',ANSI')", "a = (SELECT b FROM c), d = f(1, 2)", "@@`x` := -1.5e3", `a = 'x\'y'`,
		"PASSWORD = 'x', a = 1", "STATEMENT a = 1 FOR SELECT 1", "a = 0x1F, b = b'1', c = N'x'", "PERSIST a = 1", "@@session.`a`.b = 1",
		"a = 'b' 'c'", "a = DEFAULT(b)", "/*! a = */ 1", "a = /*!80000 1, b = */ 2", "weir_wait_for = ''", "a = 1; SET b = 2", "a.b.c = 1",
	} {
		f.Add(seed, uint8(0))
	}
	modes := []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE"}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		env := onWorld()
		env.SQLMode = modes[int(mode)%len(modes)]
		checkSet(t, a, "SET "+text, env)
	})
}

func checkSet(t *testing.T, a *Analyzer, sql string, env Env) {
	st := a.Analyze(sql, env)
	if st.Cacheable {
		t.Fatalf("%q: cacheable", sql)
	}
	if st.Kind != SetSession {
		return
	}
	for _, x := range st.Assignments {
		if x.Name == "" || x.Scope == GlobalScope || x.Scope == PersistScope {
			t.Errorf("%q: assigns %+v", sql, x)
		}
		if x.Literal && (!oneLiteral.MatchString(x.Value) || clockWords.MatchString(x.Value)) {
			t.Errorf("%q: %q is no literal", sql, x.Value)
		}
		if x.Scope == UserScope && !st.Stateful {
			t.Errorf("%q: a user variable leaves nothing", sql)
		}
	}
	if st.Reason == NotSelect {
		checkPlainSet(t, sql, env, st)
	}
}

// checkPlainSet looks at the tokens of a SET that is said to do nothing but assign.
func checkPlainSet(t *testing.T, sql string, env Env, st Statement) {
	in := newInput(sql, &env)
	l := newLexer(read(sql, in.mode).with, in.mode)
	items, depth := 1, 0
	for tok := l.next(); tok.kind != endToken; tok = l.next() {
		switch text := l.text(tok); {
		case l.punct(tok, '('):
			depth++
		case l.punct(tok, ')'):
			depth--
		case l.punct(tok, ',') && depth == 0:
			items++
		case l.is(tok, "FROM"):
			t.Errorf("%q: reads a table, perhaps a view", sql)
		case tok.kind == variableToken && !strings.HasPrefix(text, "@@") && !st.Stateful:
			t.Errorf("%q: %s is a user variable, but the statement leaves nothing", sql, text)
		}
	}
	if l.odd != "" {
		t.Errorf("%q: servers may read it otherwise: %s", sql, l.odd)
	}
	if len(st.Assignments) > 0 && len(st.Assignments) < items {
		t.Errorf("%q: %d items, %d assignments", sql, items, len(st.Assignments))
	}
}
