package statement

import "testing"

func TestVersioned(t *testing.T) {
	catalog := schema{
		"db.a": "", "db.b": "", "db.m": "locked",
		"db.va": "select `db`.`a`.`id` AS `id` from `db`.`a`", "db.vm": "select `db`.`m`.`id` AS `id` from `db`.`m`",
	}
	for sql, want := range map[string]bool{
		"SELECT * FROM a":    true,
		"SELECT * FROM a, b": true,
		"SELECT * FROM va":   true,
		"SELECT * FROM m":    false,
		"SELECT * FROM a, m": false,
		"SELECT * FROM m, a": false,
		"SELECT * FROM vm":   false,
		"SELECT * FROM a WHERE id IN (SELECT 1 FROM m)": false,
		"SELECT 1": false,
	} {
		st := NewAnalyzer().Analyze(sql, Env{Schema: "db", Catalog: catalog})
		if st.Versioned != want {
			t.Errorf("%s: versioned is %v, want %v (%s)", sql, st.Versioned, want, st.Reason)
		}
	}
}
