package statement

import (
	"testing"

	"weir/cache/dep"
)

// triggered is the world with triggers on one table.
type triggered struct{ schema }

func (s triggered) Relation(n dep.Name) dep.Relation {
	r := s.schema.Relation(n)
	r.Triggers = n.String() == "db.u"
	return r
}

func TestBrief(t *testing.T) {
	a := NewAnalyzer()
	env := onWorld()
	env.Catalog = triggered{world}
	for sql, want := range map[string]bool{
		"INSERT INTO t (a) VALUES (1)":                                           true,
		"INSERT t VALUES (LAST_INSERT_ID(), 'x')":                                true,
		"insert ignore into `db`.`t` set a = 5, b = UPPER('x')":                  true,
		"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = LAST_INSERT_ID(a)": true,
		"REPLACE LOW_PRIORITY INTO other.t VALUES (1)":                           true,
		"UPDATE t SET a = a + 1 WHERE id = 5":                                    true,
		"UPDATE LOW_PRIORITY IGNORE t SET a = NOW() LIMIT 5":                     true,
		"DELETE QUICK FROM t WHERE id = 5":                                       true,
		"DELETE FROM t":                                                          true,
		"INSERT INTO hist VALUES (1)":                                            true,
		"SHOW COUNT(*) WARNINGS":                                                 true,
		"SHOW ERRORS LIMIT 5":                                                    true,
		"SHOW PROFILES":                                                          false,
		"SHOW TABLES":                                                            false,
		"SELECT LAST_INSERT_ID()":                                                true,
		"SELECT LAST_INSERT_ID(5)":                                               true,
		"SELECT @@identity, @@warning_count":                                     true,
		"SELECT FOUND_ROWS(), ROW_COUNT()":                                       true,
		"SELECT SQL_CALC_FOUND_ROWS a FROM t LIMIT 1":                            true,

		"INSERT INTO u VALUES (1)":                         false, // triggers
		"INSERT INTO db.u VALUES (1)":                      false,
		"INSERT INTO v VALUES (1)":                         false, // a view
		"INSERT INTO nowhere VALUES (1)":                   false,
		"INSERT INTO mysql.user VALUES (1)":                false,
		"INSERT INTO t SELECT * FROM w":                    false,
		"INSERT INTO t TABLE w":                            false,
		"INSERT INTO t VALUES ((SELECT 1))":                false,
		"INSERT INTO t VALUES (f(1))":                      false,
		"INSERT INTO t VALUES (db.f(1))":                   false,
		"INSERT INTO t VALUES (@x)":                        false,
		"INSERT INTO t VALUES (@x := 1)":                   false,
		"INSERT INTO t VALUES (NEXTVAL(s))":                false,
		"INSERT INTO t VALUES (GET_LOCK('a', 1))":          false,
		"INSERT INTO t VALUES (NEXT VALUE FOR s)":          false,
		"INSERT INTO t PARTITION (p) VALUES (1)":           false,
		"UPDATE t, u SET t.a = 1":                          false,
		"UPDATE t JOIN u SET t.a = 1":                      false,
		"UPDATE t AS x SET x.a = 1":                        false,
		"DELETE t FROM t JOIN u":                           false,
		"DELETE FROM t USING t JOIN u":                     false,
		"LOAD DATA INFILE 'x' INTO TABLE t":                false,
		"CREATE TABLE x (a INT)":                           false,
		"TRUNCATE t":                                       false,
		"CALL p()":                                         false,
		"LOCK TABLES t WRITE":                              false,
		"DO LAST_INSERT_ID(5)":                             false,
		"SELECT @x":                                        false,
		"SELECT LAST_INSERT_ID(), @x := 1":                 false,
		"SELECT GET_LOCK('a', 1)":                          false,
		"SELECT LAST_INSERT_ID(), f(1)":                    false,
		"SELECT `last_insert_id`()":                        false,
		"SELECT LASTVAL(s)":                                false,
		"SELECT a FROM t":                                  false, // leaves nothing at all
		"INSERT INTO t VALUES (1) /*!99999 , (@x := 1) */": false,
		"INSERT INTO t VALUES (1); SET @x = 1":             false,
	} {
		if got := a.Analyze(sql, env).Brief; got != want {
			t.Errorf("%s: brief: %v, want %v", sql, got, want)
		}
	}
}
