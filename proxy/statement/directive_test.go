package statement

import (
	"strings"
	"testing"
	"time"
)

// directed are texts, the bound that they ask for, and the detail of what keeps them from being cached.
var directed = []struct {
	sql   string
	bound time.Duration
	why   string
}{
	{"/* weir: max_staleness=200ms */ SELECT * FROM t", 200 * time.Millisecond, ""},
	{"SELECT /* weir: max_staleness=200ms */ * FROM t", 200 * time.Millisecond, ""},
	{"SELECT /*WEIR:Max_Staleness=1.5s*/ * FROM t", 1500 * time.Millisecond, ""},
	{"-- app\n/* a */ /* weir: max_staleness=1s */ /* b */ SELECT * FROM t", time.Second, ""},
	{"/* weir: max_staleness=1s, max_staleness=300ms */ SELECT * FROM t", 300 * time.Millisecond, ""},
	{"/* weir: max_staleness=1s */ SELECT /* weir: max_staleness=2s */ * FROM t", time.Second, ""},
	{"/* weir: nocache */ SELECT * FROM t", 0, "nocache"},
	{"SELECT /* weir: NoCache */ * FROM t", 0, "nocache"},
	{"/* weir: max_staleness=5ms nocache */ SELECT * FROM t", 5 * time.Millisecond, "nocache"},
	{"/* weir: max_staleness=0 */ SELECT * FROM t", 0, "max_staleness=0"},
	{"/* weir: max_staleness=0ms */ SELECT * FROM t", 0, "max_staleness=0"},

	{"/* weir: max_staleness=200 */ SELECT * FROM t", 0, `not a duration such as 200ms: "max_staleness=200"`},
	{"/* weir: max_staleness=-1s */ SELECT * FROM t", 0, `not a duration such as 200ms: "max_staleness=-1s"`},
	{"/* weir: max_staleness */ SELECT * FROM t", 0, `not a duration such as 200ms: "max_staleness"`},
	{"/* weir: cache */ SELECT * FROM t", 0, `unknown directive "cache"`},
	{"/* weir: nocache=1 */ SELECT * FROM t", 0, `unknown directive "nocache=1"`},
	{"/* weir: */ SELECT * FROM t", 0, "there is nothing behind weir:"},
	{"SELECT * FROM t /* weir: nocache */", 0, "a directive must stand before the statement or behind its first word"},
	{"SELECT * /* weir: max_staleness=1s */ FROM t", time.Second, "a directive must stand before the statement or behind its first word"},

	{"SELECT '/* weir: nocache */' FROM t", 0, ""},
	{"SELECT \"/* weir: nocache */\" FROM t", 0, ""},
	{"SELECT a AS `/* weir: nocache */` FROM t", 0, ""},
	{"-- /* weir: nocache */\nSELECT * FROM t", 0, ""},
	{"# weir: nocache\nSELECT * FROM t", 0, ""},
	{"/* see weir: nocache */ SELECT * FROM t", 0, ""},
	{"/* weirdly: nocache */ SELECT * FROM t", 0, ""},
	{"SELECT * FROM t", 0, ""},
}

func TestDirectives(t *testing.T) {
	a := NewAnalyzer()
	for _, c := range directed {
		st := a.Analyze(c.sql, onWorld())
		if st.Directives.Given != (c.bound > 0) || st.Directives.MaxStaleness != c.bound {
			t.Errorf("%s: got %+v, want a bound of %v", c.sql, st.Directives, c.bound)
		}
		if st.Cacheable != (c.why == "") || c.why != "" && (st.Reason != Directive || st.Detail != c.why) {
			t.Errorf("%s: cacheable is %v, %s, %q; want %q", c.sql, st.Cacheable, st.Reason, st.Detail, c.why)
		}
	}
}

// A comment with code, and what is in it, is no directive: whether it counts depends on the server.
func TestDirectivesInCodeComments(t *testing.T) {
	a := NewAnalyzer()
	for _, sql := range []string{
		"/*! weir: nocache */ SELECT * FROM t", "/*+ weir: nocache */ SELECT * FROM t", "/*!99999 /* weir: max_staleness=1s */ */ SELECT * FROM t",
		"SELECT /*+ weir: max_staleness=1s */ * FROM t", "/*T! weir: max_staleness=1s */ SELECT * FROM t",
	} {
		if st := a.Analyze(sql, onWorld()); st.Directives.Given || st.Reason == Directive {
			t.Errorf("%s: taken for a directive: %+v %s", sql, st.Directives, st.Reason)
		}
	}
}

// FuzzDirectives: a text that is cacheable and has the word in it outside of quotes is one whose directive is understood.
func FuzzDirectives(f *testing.F) {
	for _, c := range directed {
		f.Add(c.sql)
	}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, sql string) {
		st := a.Analyze(sql, onWorld())
		d := st.Directives
		if d.Given != (d.MaxStaleness > 0) || d.MaxStaleness < 0 {
			t.Errorf("%q: %+v", sql, d)
		}
		if d.Given && !strings.Contains(strings.ToLower(sql), "weir:") {
			t.Errorf("%q: a directive out of nowhere", sql)
		}
		if !st.Cacheable || strings.ContainsAny(sql, "'\"`#-") {
			return
		}
		rest := strings.ToLower(sql)
		for n := strings.Index(rest, "/*"); n >= 0; n = strings.Index(rest, "/*") {
			comment, after, _ := strings.Cut(rest[n+2:], "*/")
			if strings.HasPrefix(strings.TrimLeft(comment, " \t\r\n\v\f"), "weir:") && !d.Given {
				t.Errorf("%q: cacheable, and the directive is lost", sql)
			}
			rest = after
		}
	})
}
