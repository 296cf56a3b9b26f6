package ddlwatch

import (
	"strings"
	"testing"
)

var dataRows = []row{
	{"INSERT INTO t VALUES (1,'a')", "dml (data) shop.t +rows"},
	{"insert t set a=1", "dml (data) shop.t +rows"},
	{"INSERT INTO `other`.`t` (`a`, `b`) VALUES (1, 2), (3, 4)", "dml (data) other.t +rows"},
	{"INSERT LOW_PRIORITY IGNORE INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a)", "dml (data) shop.t +rows"},
	{"INSERT DELAYED t VALUES ()", "dml (data) shop.t +rows"},
	{"INSERT INTO t PARTITION (p0) VALUES (1) RETURNING a", "dml (data) shop.t +rows"},
	{"REPLACE t SET a=3", "dml (data) shop.t +rows"},
	{"REPLACE INTO t VALUES (1)", "dml (data) shop.t +rows"},
	{"UPDATE t SET a = 1", "dml (data) shop.t +rows"},
	{"UPDATE LOW_PRIORITY IGNORE other.t AS x SET x.a = 1 WHERE x.b IN (1, 2) ORDER BY a LIMIT 3", "dml (data) other.t +rows"},
	{"UPDATE t x SET a = 1", "dml (data) shop.t +rows"},
	{"DELETE FROM t", "dml (data) shop.t +rows"},
	{"DELETE FROM `shop`.`t`", "dml (data) shop.t +rows"},
	{"DELETE QUICK FROM t WHERE a BETWEEN 1 AND 5 LIMIT 10", "dml (data) shop.t +rows"},
	{"delete from t where a=200 returning a", "dml (data) shop.t +rows"},
	{"DELETE HISTORY FROM t BEFORE SYSTEM_TIME '2020-01-01'", "dml (data) shop.t +rows"},
	{"DELETE FROM t AS x WHERE x.a = 1", "dml (data) shop.t +rows"},
	{"set statement max_statement_time=10 for insert into t values (2,'b')", "dml (data) shop.t +rows"},
	{"analyze update t set b='k' where a=2", "dml (data) shop.t +rows"},
	{"ANALYZE FORMAT=JSON DELETE FROM t", "dml (data) shop.t +rows"},
	{"-- lead\ninsert into t values (3,'z') -- trail", "dml (data) shop.t +rows"},
	{"/* one */ # two\n /* three */ update t set a=1", "dml (data) shop.t +rows"},
	{"INSERT INTO v VALUES (1)", "dml (data) shop.v [writes shop.v, which may be a view] +rows"},
	{"UPDATE v SET a = 1", "dml (data) shop.v [writes shop.v, which may be a view] +rows"},
	{"DELETE FROM t; DROP TABLE u", "dml (data) unsure +rows"},
	{"UPDATE t FOR PORTION OF p FROM '2000-01-01' TO '2018-12-12' SET a = 1", "dml (data) unsure +rows"},
	{"-- schema: \nINSERT INTO t VALUES (1)", "dml (data) unsure +rows"},
	{"-- schema: \nINSERT INTO other.t VALUES (1)", "dml (data) other.t +rows"},
}

func TestPitfall5Statements(t *testing.T) { check(t, dataRows) }

// What the parser is asked.
var queryRows = []row{
	{"insert into t select a+100,b from t", "dml (data) shop.t +rows"},
	{"INSERT INTO t (a) SELECT a FROM u JOIN other.t x ON x.id = u.id WHERE u.b = 'it''s'", "dml (data) shop.t +rows"},
	{"INSERT INTO t TABLE u", "dml (data) shop.t +rows"},
	{"INSERT INTO t SELECT * FROM v", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t VALUES ((SELECT MAX(a) FROM v))", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t SELECT a FROM u WHERE b IN (SELECT b FROM v)", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t SELECT a FROM u UNION ALL SELECT a FROM v", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t SELECT (SELECT 1 FROM v) FROM u", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t SELECT a FROM u ORDER BY (SELECT 1 FROM v)", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = (SELECT 1 FROM v)", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"DELETE FROM t WHERE a = (SELECT MAX(a) FROM u)", "dml (data) shop.t +rows"},
	{"UPDATE t SET a = (SELECT MAX(a) FROM v)", "dml (data) shop.t [reads shop.v, which may be a view that calls a function] +rows"},
	{"UPDATE t, u SET t.a = u.a WHERE t.id = u.id", "dml (data) shop.t shop.u +rows"},
	{"UPDATE t x JOIN other.t y USING (id) LEFT JOIN (SELECT * FROM c) z ON z.id = x.id SET y.a = 1", "dml (data) shop.t other.t +rows"},
	{"UPDATE (t JOIN u ON t.id = u.id) SET t.a = 1", "dml (data) shop.t shop.u +rows"},
	{"UPDATE t PARTITION (p0) SET a = 1", "dml (data) shop.t +rows"},
	{"UPDATE t USE INDEX (i) SET a = 1", "dml (data) shop.t +rows"},
	{"delete t from t join u on t.a=u.a", "dml (data) shop.t shop.u +rows"},
	{"DELETE x, y FROM t AS x JOIN u AS y ON x.a = y.a", "dml (data) shop.t shop.u +rows"},
	{"delete from t,u using t,u where t.a=u.a", "dml (data) shop.t shop.u +rows"},
	{"DELETE FROM t.* USING t INNER JOIN other.log WHERE t.a = log.a", "dml (data) shop.t other.log +rows"},
	{"DELETE t FROM t JOIN v ON t.a = v.a", "dml (data) shop.t shop.v [writes shop.v, which may be a view] +rows"},
	{"WITH x AS (SELECT a FROM u) DELETE FROM t WHERE a IN (SELECT a FROM x)", "dml (data) shop.t [reads shop.x, which may be a view that calls a function] +rows"},
	{"WITH x AS (SELECT f(1) FROM u) UPDATE t SET a = 1", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"WITH x AS (SELECT 1) SELECT * FROM t", "dml (data) unsure +rows"},
	{"UPDATE t, /*!80000 u, */ c SET t.a = 1", "dml (data) unsure +rows"},
	{"INSERT INTO t SELECT * FROM u FOR SYSTEM_TIME ALL", "dml (data) unsure +rows"},
	{"UPDATE `t` x, `é` y SET x.a = 1", "dml (data) unsure +rows"},
	{"-- schema: \nDELETE other.t FROM other.t JOIN other.log USING (id)", "dml (data) other.t other.log +rows"},
	{"-- schema: \nDELETE t FROM t JOIN other.log USING (id)", "dml (data) unsure +rows"},
}

func TestPitfall5Queries(t *testing.T) { check(t, queryRows) }

var functionRows = []row{
	{"update t set b=concat(b,'!') where a= NAME_CONST('x',9)", "dml (data) shop.t +rows"},
	{"INSERT INTO t VALUES (NOW(6), UUID(), RAND(), LAST_INSERT_ID(), JSON_OBJECT('a', 1), CAST('1' AS DECIMAL(10,2)))", "dml (data) shop.t +rows"},
	{"UPDATE t SET a = IF (b, 1, 2), c = CASE WHEN (a) THEN (1) ELSE (2) END WHERE NOT (a) AND (b) OR a IN (1)", "dml (data) shop.t +rows"},
	{"insert into t values (77, f(78))", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (other.concat('a'))", "dml (data) shop.t [calls concat, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (other . /* x */ concat('a'))", "dml (data) shop.t [calls concat, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (`now`())", "dml (data) shop.t [calls now, which may be a stored function] +rows"},
	{"UPDATE t SET a = count (b)", "dml (data) shop.t [calls count, which may be a stored function] +rows"},
	{"UPDATE t SET a = count/**/(b)", "dml (data) shop.t [calls count, which may be a stored function] +rows"},
	{"DELETE FROM t WHERE uuid_to_bin(a) = 1", "dml (data) shop.t [calls uuid_to_bin, which may be a stored function] +rows"},
	{"INSERT INTO t SELECT f(a) FROM u", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"UPDATE t JOIN u ON f(u.id) SET t.a = 1", "dml (data) shop.t shop.u [calls f, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (1) RETURNING f(a)", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"SELECT `shop`.`f`(3)", "select (data) [a stored function wrote]"},
	{"SELECT 1", "select (data) [a stored function wrote]"},
	{"select f(3)", "select (data) [a stored function wrote]"},
	{"DO f(4)", "unknown (unknown) unsure +schema +fk"},
	{"CALL p(9)", "unknown (unknown) unsure +schema +fk"},
}

func TestPitfall5StoredFunctions(t *testing.T) { check(t, functionRows) }

// MIXED logs a plain change as text too, with what a session puts around it.
var mixedRows = []row{
	{"insert into t values ( NAME_CONST('x',9), 'it''s')", "dml (data) shop.t +rows"},
	{"insert into t values (50, 'q\\'')", "dml (data) shop.t +rows"},
	{"insert into \"t\" values (60,'a\\')", "dml (data) shop.t +rows"},
	{"update \"t\" set \"a\" = 'x'", "dml (data) shop.t +rows"},
	{"delete from \"other\".\"t\" where \"a\" = 'x'", "dml (data) other.t +rows"},
	{"update t set b = \"it's\"", "dml (data) shop.t +rows"},
	{"insert into t select a, \"x\" from u", "dml (data) shop.t +rows"},
	{"/*!50100 insert into t values (1,'s') */", "dml (data) shop.t +rows"},
	{"DELETE FROM `shop`.`t` /* generated by server */", "dml (data) shop.t +rows"},
	{"TRUNCATE TABLE `shop`.`t` /* generated by server */", "truncate (shape) shop.t"},
}

func TestPitfall5Mixed(t *testing.T) { check(t, mixedRows) }

var loadRows = []row{
	{"LOAD DATA INFILE '/tmp/x.csv' INTO TABLE `t` FIELDS TERMINATED BY '\\t' ENCLOSED BY '' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' (`a`, `b`) SET `b`=upper(b)",
		"dml (data) shop.t +rows"},
	{"LOAD DATA LOCAL INFILE '../../tmp/SQL_LOAD-1' REPLACE INTO TABLE other.t IGNORE 1 LINES (a, @x) SET b = @x + 1", "dml (data) other.t +rows"},
	{"LOAD DATA CONCURRENT INFILE 'x' IGNORE INTO TABLE t", "dml (data) shop.t +rows"},
	{"LOAD XML INFILE 'x' INTO TABLE t ROWS IDENTIFIED BY '<r>'", "dml (data) shop.t +rows"},
	{"LOAD DATA INFILE 'x' INTO TABLE t SET a = f(1)", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"LOAD DATA INFILE 'x' INTO TABLE v", "dml (data) shop.v [writes shop.v, which may be a view] +rows"},
	{"LOAD DATA INFILE 'x' INTO TABLE t SET a = (SELECT 1 FROM u)", "dml (data) unsure +rows"},
	{"LOAD INDEX INTO CACHE t", "dml (data) unsure +rows"},
}

func TestPitfall5LoadData(t *testing.T) { check(t, loadRows) }

var commentRows = []row{
	{"CREATE /*!50701 OR REPLACE */ TABLE t (a int)", "unknown (unknown) unsure +schema +fk"},
	{"DROP TABLE /*!80000 IF EXISTS */ t", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t /*!80000 , u */", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t /*!50100 , u */", "drop_table (gone) shop.t shop.u +schema"},
	{"DROP TABLE t /*! , u */", "drop_table (gone) shop.t shop.u +schema"},
	{"DROP TABLE t /* , u */", "drop_table (gone) shop.t +schema"},
	{"DROP TABLE t --, u", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t -- , u", "drop_table (gone) shop.t +schema"},
	{"DROP TABLE t --", "drop_table (gone) shop.t +schema"},
	{"DROP TABLE t /*+ hint */", "drop_table (gone) shop.t +schema"},
	{"/*!50003 DROP TABLE */ /*!32302 `t` */", "drop_table (gone) shop.t +schema"},
	{"ALTER TABLE t ADD COLUMN x int /*M!100401 INVISIBLE */", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t /*!80023 ALTER COLUMN x SET INVISIBLE */", "alter_table (unknown) unsure +schema +fk"},
	{"ALTER TABLE t /*!80000 COMMENT '*/' RENAME TO u */", "alter_table (unknown) unsure +schema +fk"},
	{"ALTER TABLE t /*!50100 COMMENT '*/' */", "alter_table (none) shop.t +schema"},
	{"DROP TABLE t /*!50100 /* x */ */", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t /* open", "unknown (unknown) unsure +schema +fk"},
	{"DROP TABLE t /*!50100 , u", "unknown (unknown) unsure +schema +fk"},
	{"/* only a comment */", "unknown (unknown) unsure +schema +fk"},
	{"# Dummy event replacing event type 160 that slave cannot handle.", "unknown (unknown) unsure +schema +fk"},
}

func TestPitfall6Comments(t *testing.T) { check(t, commentRows) }

// Where a string ends depends on the session's sql_mode, which the text does not tell.
var quoteRows = []row{
	{"ALTER TABLE t COMMENT 'a\\', RENAME TO u, COMMENT '-- \\'", "alter_table (swap) shop.t shop.u +schema +moves"},
	{"ALTER TABLE t COMMENT 'it\\'s', RENAME TO u", "alter_table (swap) shop.t shop.u +schema +moves"},
	{"ALTER TABLE t COMMENT \"RENAME TO u\"", "alter_table (shape) shop.t +schema"},
	{"CREATE TABLE \"t\" (\"x\" int)", "create_table (shape) shop.t +schema"},
	{"DROP TABLE \"a\"\"b\"", "drop_table (gone) shop.a\"b +schema"},
	{"DROP TABLE 'a'", "unknown (unknown) unsure +schema +fk"},
	{"INSERT INTO t VALUES (\\N, 'a\\\\')", "dml (data) shop.t +rows"},
	{"INSERT INTO t VALUES ('a\\', f(1), ', 2)')", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (\"a\\\", f(1), \", 2)\")", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
	{"INSERT INTO t VALUES (\"f\"(1))", "dml (data) shop.t [calls f, which may be a stored function] +rows"},
}

func TestPitfall5Quotes(t *testing.T) { check(t, quoteRows) }

// The same bytes name different tables under different character sets, and hide different quotes.
var charsetRows = []row{
	{"create table `é`(a int)", "create_table (unknown) unsure +schema +fk"},
	{"DROP TABLE é", "drop_table (unknown) unsure +schema +fk"},
	{"INSERT INTO t VALUES ('é')", "dml (data) shop.t +rows"},
	{"INSERT INTO t VALUES ('\xe9')", "dml (data) shop.t +rows"},
	{"INSERT INTO t VALUES ('\x95\\', f(1), ')')", "dml (data) shop.t unsure +rows"},
	{"INSERT INTO t (`\x95`) VALUES (`\x95`)", "dml (data) unsure +rows"},
	{"ALTER TABLE t ADD COLUMN é int", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD COLUMN \x81` int, RENAME TO u, ADD ` int", "alter_table (unknown) unsure +schema +fk"},
	{"DROP TABLE `#mysql50#a@002db`", "drop_table (unknown) unsure +schema +fk"},
	{"-- schema: é\nDROP TABLE t", "drop_table (gone) é.t +schema"},
}

func TestPitfall23CharacterSets(t *testing.T) { check(t, charsetRows) }

var doubtRows = []row{
	{"", "unknown (unknown) unsure +schema +fk"},
	{";", "unknown (unknown) unsure +schema +fk"},
	{"DROP", "unknown (unknown) unsure +schema +fk"},
	{"DROP TABLE", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t u", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE t,", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE a.b.c", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE .t", "drop_table (unknown) unsure +schema +fk"},
	{"DROP TABLE ``", "drop_table (unknown) unsure +schema +fk"},
	{"DROP\x00TABLE t", "unknown (unknown) unsure +schema +fk"},
	{"DROP TABLE select", "drop_table (unknown) unsure +schema +fk"},
	{"DROP SOMETHING t", "unknown (unknown) unsure +schema +fk"},
	{"-- schema: \nDROP TABLE t", "drop_table (unknown) unsure +schema +fk"},
	{"-- schema: \nDROP TABLE other.t", "drop_table (gone) other.t +schema"},
	{"CREATE SOMETHING t", "unknown (unknown) unsure +schema +fk"},
	{"CREATE EXTERNAL TABLE t (a int)", "unknown (unknown) unsure +schema +fk"},
	{"ALTER SOMETHING t", "unknown (unknown) unsure +schema +fk"},
	{"SET GLOBAL sql_mode = ''", "unknown (unknown) unsure +schema +fk"},
	{"SET PERSIST max_connections = 1", "unknown (unknown) unsure +schema +fk"},
	{"SET STATEMENT a = 1 FOR SET STATEMENT b = 1 FOR DROP TABLE t", "unknown (unknown) unsure +schema +fk"},
	{"SET STATEMENT a = 1", "unknown (unknown) unsure +schema +fk"},
	{"BEGIN NOT ATOMIC DROP TABLE t; END", "unknown (unknown) unsure +schema +fk"},
	{"COMMIT", "unknown (unknown) unsure +schema +fk"},
	{"XA COMMIT 'x'", "unknown (unknown) unsure +schema +fk"},
	{"CREATE TABLE t (a int); DROP TABLE u", "create_table (unknown) unsure +schema +fk"},
	{"SHUTDOWN", "unknown (unknown) unsure +schema +fk"},
}

func TestPitfall9UnknownText(t *testing.T) { check(t, doubtRows) }

func TestPitfall17LongStatement(t *testing.T) {
	values := "INSERT INTO t VALUES (0)" + strings.Repeat(",(1)", maxParsed/2)
	if got := brief(read(values)); got != "dml (data) shop.t +rows" {
		t.Errorf("a long list of values: got %s", got)
	}
	query := "INSERT INTO t SELECT 0" + strings.Repeat("+1", maxParsed/2)
	if got := brief(read(query)); got != "dml (data) unsure +rows" {
		t.Errorf("a long query: got %s", got)
	}
}
