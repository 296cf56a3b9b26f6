package statement

import (
	"strings"
	"testing"
)

// FuzzSetAgain: what a SET is said to assign for good can be said again, one assignment at a time, and says the same. So
// nothing else slips in with a name or a value when a session is set up on another connection.
func FuzzSetAgain(f *testing.F) {
	for _, ex := range kinds {
		if list, ok := strings.CutPrefix(ex.sql, "SET "); ok {
			f.Add(list, uint8(0))
		}
	}
	for _, list := range []string{
		"SESSION time_zone = '+01:00'", `a = "it's"`, "LOCAL a = DEFAULT, @@session.b = -5, @@c = 0x1F", "@@`a` = ON, `b` = utf8mb4",
		"NAMES 'utf8mb4' COLLATE utf8mb4_bin, autocommit = 1", "sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES'), a = 1", "CHARACTER SET latin1",
		"SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", "`a = 1, b` = 2", "a.b = 'x;y' /* c */, d = N'x'",
	} {
		f.Add(list, uint8(1))
	}
	modes := []string{"", "ANSI", "NO_BACKSLASH_ESCAPES", "IGNORE_SPACE,PIPES_AS_CONCAT"}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, list string, mode uint8) {
		env := onWorld()
		env.SQLMode = modes[int(mode)%len(modes)]
		st := a.Analyze("SET "+list, env)
		if st.Cacheable {
			t.Fatalf("SET %q is cacheable", list)
		}
		if st.Kind == SetSession && !st.Stateful {
			for _, x := range st.Assignments {
				checkAgain(t, a, x, env)
			}
		}
	})
}

// checkAgain says an assignment again, as proxies do, in every sql_mode.
func checkAgain(t *testing.T, a *Analyzer, x Assignment, env Env) {
	if x.Scope != SessionScope || !x.Literal {
		return
	}
	again := "SET SESSION " + x.Name + " = " + x.Value
	for _, mode := range []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"} {
		env.SQLMode = mode
		st := a.Analyze(again, env)
		if st.Kind != SetSession || len(st.Assignments) != 1 || st.Assignments[0] != x {
			t.Errorf("%+v, said again as %q under %q: %s %+v", x, again, mode, st.Kind, st.Assignments)
		}
	}
}
