package statement

import (
	"strings"
	"testing"

	"weir/cache/dep"
)

// firing are writes, and the table for whose sake they may fire a trigger.
var firing = []struct{ sql, want string }{
	{"INSERT INTO t VALUES (1, 'audited')", ""},
	{"INSERT INTO audited VALUES (1)", "db.audited"},
	{"insert ignore Audited (a) select a from t", "db.audited"},
	{"INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2", ""},
	{"REPLACE INTO `db`.`audited` SET a = 1", "db.audited"},
	{"UPDATE t, other.u JOIN audited USING (id) SET t.a = 1", "db.audited"},
	{"UPDATE t SET a = (SELECT MAX(id) FROM u)", ""},
	{"UPDATE LOW_PRIORITY IGNORE t SET a = 1", ""},
	{"DELETE FROM t WHERE id = 1", ""},
	{"DELETE QUICK a FROM audited AS a", "db.audited"},
	{"DELETE FROM v WHERE id = 1", "db.v"},
	{"DELETE FROM just_changing", "db.just_changing"},
	{"INSERT INTO just_changing VALUES (1)", "db.just_changing"},
	{"UPDATE just_changing SET a = 1", "db.just_changing"},
	{"WITH c AS (SELECT 1) DELETE FROM audited", "db.audited"},
	{"LOAD DATA INFILE 'x' INTO TABLE audited", "db.audited"},
	{"LOAD DATA INFILE 'x' INTO TABLE t", ""},
	{"INSERT INTO t VALUES ('" + strings.Repeat("x", MaxLength) + "')", ""},
	{"INSERT INTO audited VALUES ('" + strings.Repeat("x", MaxLength) + "')", "db.audited"},
	{"UPDATE t SET a = '" + strings.Repeat("x", MaxLength) + "'", "a long statement"},
	{"CREATE TRIGGER x BEFORE INSERT ON audited FOR EACH ROW SET @a = 1", ""},
	{"SET STATEMENT a = 1 FOR DELETE FROM audited", "db.audited"},
	{"UPDATE parent SET a = 1", "db.parent"},
}

// family is the world with a table whose foreign keys lead to one with triggers.
type family struct{ schema }

func (f family) Relation(n dep.Name) dep.Relation {
	if n.Table == "parent" {
		return dep.Relation{Kind: dep.BaseTable}
	}
	return f.schema.Relation(n)
}

func (f family) Cascades(n dep.Name) []dep.Name {
	if n.Table == "parent" {
		return []dep.Name{dep.Fold("db", "audited")}
	}
	return nil
}

func TestWhatMayFireATrigger(t *testing.T) {
	a := NewAnalyzer()
	env := onWorld()
	env.Catalog = family{world}
	for _, c := range firing {
		st := a.Analyze(c.sql, env)
		if st.Kind != Write || st.Fires != c.want {
			t.Errorf("%.60s: a %s that fires %q, want %q", c.sql, st.Kind, st.Fires, c.want)
		}
	}
}
