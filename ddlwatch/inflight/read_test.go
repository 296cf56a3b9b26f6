package inflight

import (
	"math"
	"strings"
	"testing"
	"time"

	"weir/cache/dep"
)

func TestPublic(t *testing.T) {
	for sql, want := range map[string]string{
		"ALTER TABLE t ADD password VARCHAR(20)":              "ALTER TABLE t ADD password VARCHAR(20)",
		"CREATE USER a IDENTIFIED BY 'secret'":                "CREATE USER a ...",
		"CREATE USER a IDENTIFIED  WITH x AS 'secret'":        "CREATE USER a ...",
		"SET PASSWORD = 'secret'":                             "SET ...",
		"SET PASSWORD FOR a = 'secret'":                       "SET ...",
		"CHANGE MASTER TO MASTER_PASSWORD='secret'":           "CHANGE MASTER TO ...",
		"CREATE SERVER s OPTIONS (PASSWORD 'secret')":         "CREATE SERVER s OPTIONS (...",
		"CREATE TABLE t (a INT) CONNECTION='mysql://u:pw@h/'": "CREATE TABLE t (a INT) ...",
		strings.Repeat("é", 600):                              strings.Repeat("é", 512),
	} {
		if got := public(sql); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

func TestMayBeDDL(t *testing.T) {
	for sql, want := range map[string]bool{
		"ALTER TABLE t":                       true,
		"  /* a */ -- b\n#c\n drop table t":   true,
		"/*!50000 create */ table t":          true,
		"/*M!100000 ALTER */ TABLE t":         true,
		"CREATE OR REPLACE TABLE t":           true,
		"repair table t":                      true,
		"CREATE OR REPLACE USER u":            false,
		"alter user u":                        false,
		"DROP ROLE r":                         false,
		"create server s":                     false,
		"CALL p()":                            false,
		"-- ALTER TABLE t\nSELECT 1 FROM t":   false,
		"/* ALTER TABLE t */ SELECT a FROM t": false,
		"":                                    false,
	} {
		if got := mayBeDDL(sql); got != want {
			t.Errorf("%q: %v", sql, got)
		}
	}
}

func TestMentions(t *testing.T) {
	for sql, want := range map[string]bool{
		"select * from T": true, "select `t`.a": true, "from d.t,x": true, "from x": false, "from tt t2 where a_t = t$": false, "from tt, t": true,
	} {
		if got := mentions(sql, "t"); got != want {
			t.Errorf("%q: %v", sql, got)
		}
	}
}

// TestCut: of a text that is cut inside a string, the beginning is read; a text that cannot be read at all counts by
// its first word.
func TestCut(t *testing.T) {
	s := &server{read: stub}
	long := "ALTER TABLE t ADD b INT COMMENT 'it goes on"
	if kind, tables, ddl := s.classify(process{schema: "app", sql: long, cut: true}); kind != "alter_table" || len(tables) != 1 || !ddl {
		t.Error(kind, tables, ddl)
	}
	if kind, tables, ddl := s.classify(process{schema: "app", sql: long}); kind != unknown || len(tables) != 0 || !ddl {
		t.Error(kind, tables, ddl)
	}
	if _, _, ddl := s.classify(process{sql: "CALL p('", cut: true}); ddl {
		t.Error("a CALL is no DDL")
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]time.Duration{"1.5": 1500 * time.Millisecond, "": 0, "-3": 0, "4294967295": 0, "NaN": 0} {
		if got := lasting(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if !math.IsNaN(share(1, 0)) || !math.IsNaN(share(number(""), 2)) || share(3, 2) != 1 || share(1, 2) != 0.5 {
		t.Error("share")
	}
	if connection("") != 0 || connection("18446744073709551615") != math.MaxUint64 {
		t.Error("connection")
	}
	if wide([][]string{{"a"}}, 2) == nil {
		t.Error("a row that is too short")
	}
}

func TestWaits(t *testing.T) {
	for state, want := range map[string][2]bool{
		"Waiting for table metadata lock":  {true, true},
		"Waiting for table flush":          {true, true},
		"Waiting for schema metadata lock": {false, true},
		"Waiting for backup lock":          {false, true},
		"Waiting for global read lock":     {false, true},
		"Waiting for source to send event": {false, false},
		"copy to tmp table":                {false, false},
	} {
		p := process{state: state}
		if p.waits() != want[0] || p.held() != want[1] {
			t.Error(state)
		}
	}
}

func TestShadowOf(t *testing.T) {
	for name, want := range map[string]string{
		"_t_gho": "gh-ost t", "_t_ghc": "gh-ost t", "_t_del": "gh-ost t", "__t_gho": "gh-ost _t",
		"_t_new": "pt-online-schema-change t", "__t_old": "pt-online-schema-change _t t",
		"t_gho": " ", "_gho": " ", "_new": " ", "t_new": " ", "__new": " ", "t": " ",
	} {
		tool, originals := shadowOf(name)
		if got := tool + " " + strings.Join(originals, " "); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestAttribute: a statement on _t_new is the tool's only if something more says so.
func TestAttribute(t *testing.T) {
	name := func(table string) dep.Name { return dep.Name{Schema: "app", Table: table} }
	s := &server{}
	check := func(tool string, want []dep.Name, tables ...dep.Name) {
		t.Helper()
		d := DDL{ID: 1, Tables: tables}
		if s.attribute(&d); d.Tool != tool || len(d.Tables) != len(want) || d.Tables[0] != want[0] {
			t.Errorf("%v: %q %v", tables, d.Tool, d.Tables)
		}
	}
	check("", []dep.Name{name("_t_new")}, name("_t_new"))
	check(GhOst, []dep.Name{name("t")}, name("_t_gho"))
	check(GhOst, []dep.Name{name("t")}, name("t"), name("_t_del"), name("_t_gho"))
	check(PtOSC, []dep.Name{name("t")}, name("t"), name("_t_old"), name("_t_new"))
	s.shadows = []shadow{{original: name("t"), tool: PtOSC}}
	check(PtOSC, []dep.Name{name("t")}, name("_t_new"))
	check("", []dep.Name{name("_u_new")}, name("_u_new"))
}
