package statement

import "testing"

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want bool
	}{
		{"CREATE TEMPORARY TABLE t (a INT)", true},
		{"create /* */ temporary table t (a int)", true},
		{"CREATE /*!50000 TEMPORARY */ TABLE t (a INT)", true},
		{"CREATE /*M!100000 TEMPORARY*/ TABLE t (a INT)", true},
		{"BEGIN NOT ATOMIC CREATE TEMPORARY TABLE t (a INT); END", true},
		{"EXECUTE IMMEDIATE 'CREATE TEMPORARY TABLE t (a INT)'", true},
		{"CALL p()", true},
		{"CREATE TABLE t (call_id INT, recall INT)", false},
		{"CREATE TABLE `temporary` (a INT)", false},
		{"INSERT INTO t VALUES ('temporary', 'call')", false},
		{"INSERT INTO t VALUES (1) -- call me", false},
	} {
		if got := Mentions(c.sql, Env{}, "TEMPORARY", "CALL", "EXECUTE"); got != c.want {
			t.Errorf("%s: %v, want %v", c.sql, got, c.want)
		}
	}
}

func TestDroppedSchema(t *testing.T) {
	for sql, want := range map[string]string{
		"DROP DATABASE shop":                  "shop",
		"drop schema if exists `shop`":        "shop",
		"DROP /* all of it */ DATABASE Shop;": "Shop",
		"DROP TABLE shop":                     "",
		"CREATE DATABASE shop":                "",
		"DROP DATABASE":                       "",
	} {
		if got := DroppedSchema(sql, Env{}); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

func TestHasMarkers(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT a FROM t WHERE a = ?":           true,
		"SELECT '?' FROM t":                     false,
		"SELECT `?` FROM t -- really?":          false,
		"SELECT a FROM t LIMIT /* how many */?": true,
	} {
		if got := HasMarkers(sql, Env{}); got != want {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
}
