package statement

import "testing"

// reads are cacheable statements and the tables that they read. Each place in which a subquery may stand has one that
// reads a table of its own.
var reads = []example{
	{"SELECT * FROM t", "cache db.t"},
	{"select id from t where id = 5", "cache db.t"},
	{"SELECT * FROM t;", "cache db.t"},
	{"SELECT * FROM t ; ", "cache db.t"},
	{"  /* who */ SELECT /* what */ * FROM t # trailing", "cache db.t"},
	{"-- a comment\nSELECT * FROM t", "cache db.t"},
	{"SELECT * FROM t -- a comment", "cache db.t"},
	{"SELECT * FROM `t`", "cache db.t"},
	{"SELECT * FROM db.t", "cache db.t"},
	{"SELECT * FROM other.t", "cache other.t"},
	{"SELECT * FROM `other` . `t`", "cache other.t"},
	{"SELECT * FROM OTHER.T", "cache other.t"},
	{"SELECT * FROM t, u", "cache db.t db.u"},
	{"SELECT * FROM t AS a JOIN other.t AS b ON a.id = b.id", "cache db.t other.t"},
	{"SELECT * FROM t a, t b", "cache db.t"},
	{"SELECT * FROM naïve WHERE a = 'é'", "cache db.naïve"},
	{"SELECT * FROM `select`", "cache db.select"},
	{"SELECT * FROM 1st", "cache db.1st"},
	{"SELECT * FROM `dual`", "cache db.dual"},
	{"SELECT ALL * FROM t", "cache db.t"},
	{"SELECT DISTINCT a FROM t", "cache db.t"},
	{"SELECT DISTINCTROW a FROM t", "cache db.t"},
	{"SELECT HIGH_PRIORITY STRAIGHT_JOIN SQL_BUFFER_RESULT a FROM t", "cache db.t"},
	{"SELECT SQL_CACHE * FROM t", "cache db.t"},
	{"SELECT a b, c AS d, e 'f' FROM t", "cache db.t"},
	{"SELECT t.*, db.u.a FROM t, u", "cache db.t db.u"},
	{"SELECT NULL, TRUE, 1, -1, 1.5, 1e3, 0xFF, x'ff', b'1', 'a' 'b', _utf8mb4'x', N'x' FROM t", "cache db.t"},
	{"SELECT t.now, t.current_date, t.rand FROM t", "cache db.t"},
	{"SELECT `now`, `current_user` FROM t", "cache db.t"},
	{"SELECT now, version, user, database_name FROM t", "cache db.t"},
	{"SELECT 'NOW()', \"RAND()\" FROM t", "cache db.t"},
	{"SELECT a FROM t -- NOW()\n", "cache db.t"},
	{"SELECT a /* RAND() */ FROM t", "cache db.t"},

	// Joins.
	{"SELECT * FROM t INNER JOIN u USING (id)", "cache db.t db.u"},
	{"SELECT * FROM t CROSS JOIN u", "cache db.t db.u"},
	{"SELECT * FROM t LEFT OUTER JOIN u ON t.a = u.a RIGHT JOIN w ON u.b = w.b", "cache db.t db.u db.w"},
	{"SELECT * FROM t NATURAL LEFT JOIN u", "cache db.t db.u"},
	{"SELECT * FROM t STRAIGHT_JOIN u ON t.a = u.a", "cache db.t db.u"},
	{"SELECT * FROM t JOIN (u JOIN w ON u.a = w.a) ON t.a = u.a", "cache db.t db.u db.w"},
	{"SELECT * FROM t JOIN (u, w) ON t.a = u.a", "cache db.t db.u db.w"},
	{"SELECT * FROM ((t))", "cache db.t"},
	{"SELECT * FROM { OJ t LEFT OUTER JOIN u ON t.a = u.a }", "cache db.t db.u"},
	{"SELECT * FROM t JOIN u JOIN w ON u.a = w.a ON t.a = u.a", "cache db.t db.u db.w"},
	{"SELECT * FROM t FULL JOIN u ON t.a = u.a", "cache db.t db.u"}, // FULL is an alias
	{"SELECT * FROM t PARTITION (p0, p1)", "cache db.t"},
	{"SELECT * FROM t USE INDEX (a, b) IGNORE INDEX FOR ORDER BY (c)", "cache db.t"},
	{"SELECT * FROM t AS x FORCE INDEX FOR JOIN (PRIMARY)", "cache db.t"},

	// Subqueries, everywhere.
	{"SELECT (SELECT MAX(a) FROM u) FROM t", "cache db.t db.u"},
	{"SELECT 1, 'a', (SELECT MAX(a) FROM u) FROM t", "cache db.t db.u"},
	{"SELECT * FROM t WHERE a IN (SELECT a FROM u)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE (a, b) IN (SELECT a, b FROM u)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE 5 = 5 AND a NOT IN (SELECT a FROM u)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE NOT EXISTS (SELECT * FROM u)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE a > ALL (SELECT a FROM u) OR a = ANY (SELECT a FROM w)", "cache db.t db.u db.w"},
	{"SELECT * FROM t WHERE a = 1 OR a BETWEEN (SELECT 1 FROM u) AND (SELECT 2 FROM w)", "cache db.t db.u db.w"},
	{"SELECT * FROM t WHERE CASE 1 WHEN (SELECT a FROM u) THEN (SELECT a FROM w) ELSE (SELECT a FROM x) END", "cache db.t db.x db.u db.w"},
	{"SELECT * FROM t WHERE CASE WHEN a THEN 1 WHEN (SELECT 1 FROM u) THEN 2 END", "cache db.t db.u"},
	{"SELECT * FROM t WHERE (1, (SELECT a FROM u)) = (a, b)", "cache db.t db.u"},
	{"SELECT * FROM t WHERE 'a' LIKE (SELECT a FROM u) AND 'a' REGEXP (SELECT b FROM w)", "cache db.t db.u db.w"},
	{"SELECT * FROM t WHERE (SELECT a FROM u) IS NULL AND (SELECT a FROM w) IS TRUE", "cache db.t db.u db.w"},
	{"SELECT * FROM t WHERE -(SELECT a FROM u) + ~(SELECT b FROM w) * !(SELECT c FROM x)", "cache db.t db.u db.w db.x"},
	{"SELECT CONCAT('a', (SELECT a FROM u)), CAST((SELECT a FROM w) AS CHAR) FROM t", "cache db.t db.u db.w"},
	{"SELECT IF(1, 2, (SELECT a FROM u)), ((SELECT a FROM w)) COLLATE utf8mb4_bin FROM t", "cache db.t db.u db.w"},
	{"SELECT DATE_ADD(d, INTERVAL (SELECT a FROM u) DAY), d + INTERVAL 1 + (SELECT a FROM w) HOUR FROM t", "cache db.t db.u db.w"},
	{"SELECT SUM((SELECT a FROM u)), GROUP_CONCAT(a ORDER BY (SELECT a FROM w) SEPARATOR ';') FROM t", "cache db.t db.u db.w"},
	{"SELECT COUNT(DISTINCT a, (SELECT 1 FROM u)) FROM t", "cache db.t db.u"},
	{"SELECT * FROM t JOIN u ON t.a = 1 AND u.a = (SELECT a FROM w)", "cache db.t db.u db.w"},
	{"SELECT a FROM t GROUP BY 1, (SELECT a FROM u) HAVING 1 < (SELECT a FROM w)", "cache db.t db.u db.w"},
	{"SELECT a FROM t ORDER BY 1, (SELECT a FROM u) DESC LIMIT 1", "cache db.t db.u"},
	{"SELECT a FROM t GROUP BY a WITH ROLLUP", "cache db.t"},
	{"SELECT ROW_NUMBER() OVER (PARTITION BY 1, (SELECT a FROM u) ORDER BY (SELECT a FROM w)) FROM t", "cache db.t db.u db.w"},
	{"SELECT SUM(a) OVER w1 FROM t WINDOW w1 AS (PARTITION BY (SELECT a FROM u) ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "cache db.t db.u"},
	{"SELECT MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) FROM t", "cache db.t"},
	{"SELECT * FROM (SELECT * FROM t) AS d", "cache db.t"},
	{"SELECT * FROM (SELECT 1 UNION SELECT a FROM t) d, u", "cache db.t db.u"},
	{"SELECT * FROM (SELECT * FROM (SELECT * FROM t) d1) d2 JOIN u", "cache db.t db.u"},
	{"SELECT * FROM t, LATERAL (SELECT * FROM u WHERE u.a = t.a) AS d", "cache db.t db.u"},
	{"SELECT * FROM t, LATERAL (SELECT a FROM u) AS d (b)", "cache db.t db.u"},
	{"SELECT 1 WHERE EXISTS (SELECT 1 FROM t)", "cache db.t"},
	{"SELECT (SELECT 1 FROM t) FROM DUAL", "cache db.t"},
	{"SELECT * FROM t WHERE a = (TABLE u LIMIT 1)", "cache db.t db.u"},

	// Set operations, TABLE, VALUES, parentheses.
	{"SELECT a FROM t UNION SELECT a FROM u", "cache db.t db.u"},
	{"SELECT a FROM t UNION ALL (SELECT a FROM u ORDER BY 1 LIMIT 1) ORDER BY (SELECT 1 FROM w) LIMIT 5", "cache db.t db.u db.w"},
	{"SELECT a FROM t UNION DISTINCT SELECT a FROM u EXCEPT SELECT a FROM w INTERSECT SELECT a FROM x", "cache db.t db.u db.w db.x"},
	{"(SELECT a FROM t) UNION (SELECT a FROM u)", "cache db.t db.u"},
	{"((SELECT a FROM t) UNION (SELECT a FROM u)) EXCEPT ((SELECT a FROM w))", "cache db.t db.u db.w"},
	{"(SELECT a FROM t LIMIT 1) LIMIT 2", "cache db.t"},
	{"( SELECT a FROM t )", "cache db.t"},
	{"TABLE t", "cache db.t"},
	{"TABLE other.t ORDER BY a LIMIT 1 OFFSET 2", "cache other.t"},
	{"TABLE t UNION TABLE u", "cache db.t db.u"},
	{"VALUES ROW (1, (SELECT a FROM t)), ROW (2, 3)", "cache db.t"},
	{"SELECT a FROM t UNION VALUES ROW (1)", "cache db.t"},
	{"SELECT * FROM t LIMIT 5", "cache db.t"},
	{"SELECT * FROM t LIMIT 5, 10", "cache db.t"},
	{"SELECT * FROM t WHERE a = ? LIMIT ? OFFSET ?", "cache db.t"},
	{"SELECT * FROM t WHERE a IN (?, ?, 3)", "cache db.t"},

	// Common table expressions: their names are not tables, but only where they are in scope.
	{"WITH c AS (SELECT * FROM t) SELECT * FROM c", "cache db.t"},
	{"WITH c (a, b) AS (SELECT 1, a FROM t) SELECT * FROM c JOIN u", "cache db.t db.u"},
	{"WITH t AS (SELECT * FROM u) SELECT * FROM t", "cache db.u"},
	{"WITH t AS (SELECT * FROM u) SELECT * FROM t, db.t", "cache db.u db.t"},
	{"WITH t AS (SELECT * FROM t) SELECT * FROM t", "cache db.t"},
	{"WITH u AS (SELECT * FROM t), t AS (SELECT * FROM w) SELECT * FROM t, u", "cache db.t db.w"},
	{"WITH u AS (SELECT * FROM t), w AS (SELECT * FROM u) SELECT * FROM w", "cache db.t"},
	{"SELECT * FROM (WITH t AS (SELECT * FROM u) SELECT * FROM t) d, t", "cache db.u db.t"},
	{"SELECT * FROM t WHERE a IN (WITH t AS (SELECT a FROM u) SELECT a FROM t)", "cache db.t db.u"},
	{"WITH t AS (SELECT a FROM u) SELECT * FROM w WHERE a IN (SELECT a FROM t)", "cache db.u db.w"},
	{"WITH t AS (WITH u AS (SELECT * FROM w) SELECT * FROM u) SELECT * FROM t, u", "cache db.w db.u"},
	{"WITH t AS (SELECT 1) SELECT * FROM (WITH t AS (SELECT * FROM u) SELECT * FROM t) d", "cache db.u"},
	{"WITH T AS (SELECT * FROM u) SELECT * FROM t", "cache db.u db.t"}, // t and T may be two names
	{"WITH c AS (SELECT * FROM u) SELECT * FROM C", "read unknown_table db.c"},
	{"WITH t AS (SELECT 1) SELECT * FROM (WITH t AS (SELECT * FROM t) SELECT * FROM t) d", "cache db.t"}, // MariaDB reads db.t
	{"WITH t AS (SELECT 1) SELECT * FROM (WITH w AS (SELECT * FROM t), t AS (SELECT 2) SELECT * FROM w) d", "cache db.t"},
	{"WITH c AS (SELECT a FROM t) SELECT a FROM c UNION SELECT a FROM c ORDER BY 1", "cache db.t"},
	{"WITH c AS (SELECT a FROM t UNION SELECT a FROM u) (SELECT a FROM c) UNION (SELECT a FROM c)", "cache db.t db.u"},
	{"WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 9) SELECT * FROM c, t", "cache db.t"},
	{"WITH RECURSIVE t AS (SELECT a FROM u UNION SELECT t.a FROM t JOIN w) SELECT * FROM t", "cache db.u db.w"},
	{"WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM t) SELECT * FROM a", "read unknown_table db.b"}, // on MariaDB, b is the second one
	{"WITH RECURSIVE a AS (SELECT * FROM u), u AS (SELECT * FROM t) SELECT * FROM a", "cache db.u db.t"},         // MySQL reads db.u

	// Functions.
	{"SELECT COUNT(*), COUNT(1), COUNT(DISTINCT a), MIN(a), MAX(a), AVG(a), STD(a), BIT_XOR(a), JSON_ARRAYAGG(a) FROM t", "cache db.t"},
	{"SELECT CONCAT(a, 'x'), LEFT(a, 1), RIGHT(a, 1), SUBSTRING(a FROM 1 FOR 2), SUBSTR(a, 1), MID(a, 1, 2), TRIM(BOTH 'x' FROM a) FROM t", "cache db.t"},
	{"SELECT REPLACE(a, 'x', 'y'), INSERT(a, 1, 1, 'x'), REPEAT(a, 2), REVERSE(a), LPAD(a, 5, ' '), CHAR(65, 66), CHAR(65 USING utf8mb4) FROM t", "cache db.t"},
	{"SELECT POSITION('a' IN b), LOCATE('a', b), INSTR(a, b), FIELD(a, 1, 2), ELT(1, a, b), FIND_IN_SET('a', b), INTERVAL(a, 1, 2) FROM t", "cache db.t"},
	{"SELECT ABS(a), MOD(a, 2), a MOD 2, a DIV 2, ROUND(a, 1), TRUNCATE(a, 1), POW(a, 2), LOG(2, a), CRC32(a), CONV(a, 10, 16), PI() FROM t", "cache db.t"},
	{"SELECT MD5(a), SHA1(a), SHA2(a, 256), HEX(a), UNHEX(a), TO_BASE64(a), AES_ENCRYPT(a, 'k'), COMPRESS(a), INET_ATON(a), INET6_NTOA(a) FROM t", "cache db.t"},
	{"SELECT IF(a, b, c), IFNULL(a, b), NULLIF(a, b), COALESCE(a, b), ISNULL(a), GREATEST(a, b), LEAST(a, 1) FROM t", "cache db.t"},
	{"SELECT CAST(a AS SIGNED), CAST(a AS DECIMAL(10, 2)), CONVERT(a, CHAR), CONVERT(a USING utf8mb4), BINARY a, CAST(a AS JSON) FROM t", "cache db.t"},
	{"SELECT DATE(d), YEAR(d), MONTH(d), DAY(d), HOUR(d), DAYOFWEEK(d), WEEK(d, 1), LAST_DAY(d), DATE_FORMAT(d, '%Y'), TO_DAYS(d) FROM t", "cache db.t"},
	{"SELECT DATEDIFF(a, b), DATE_ADD(d, INTERVAL 1 DAY), DATE_SUB(d, INTERVAL 1 MONTH), ADDDATE(d, 31), d + INTERVAL 1 HOUR, d - INTERVAL 1 YEAR FROM t", "cache db.t"},
	{"SELECT TIMESTAMPDIFF(MONTH, a, b), TIMESTAMPADD(MINUTE, 1, d), EXTRACT(YEAR_MONTH FROM d), FROM_UNIXTIME(a), UNIX_TIMESTAMP(d) FROM t", "cache db.t"},
	{"SELECT CONVERT_TZ(d, '+00:00', '+02:00'), STR_TO_DATE('2024', '%Y'), MAKEDATE(2024, 1), GET_FORMAT(DATE, 'ISO') FROM t", "cache db.t"},
	{"SELECT * FROM t WHERE d BETWEEN '2024-01-01' AND '2024-02-01' AND ts > TIMESTAMP '2024-01-01 00:00:00' AND x = DATE '2024-01-01'", "cache db.t"},
	{"SELECT * FROM t WHERE d = {d '2024-01-01'} AND ts = {ts '2024-01-01 00:00:00'}", "cache db.t"},
	{"SELECT JSON_EXTRACT(a, '$.b'), a -> '$.b', a ->> '$.b', JSON_OBJECT('a', b), JSON_CONTAINS(a, '1'), JSON_VALUE(a, '$.b') FROM t", "cache db.t"},
	{"SELECT * FROM t WHERE 17 MEMBER OF (a) AND a RLIKE 'x' AND a NOT LIKE '%!_%' ESCAPE '!'", "cache db.t"},
	{"SELECT REGEXP_REPLACE(a, 'x', 'y'), REGEXP_INSTR(a, 'x') FROM t", "cache db.t"},
	{"SELECT ST_AsText(g), ST_X(g), ST_Distance(g, POINT(1, 2)), MBRContains(g, h), ST_GeomFromText('POINT(1 1)') FROM t", "cache db.t"},
	{"SELECT RANK() OVER (ORDER BY a), LAG(a, 1, 0) OVER w1, FIRST_VALUE(a) OVER w1, NTILE(4) OVER w1 FROM t WINDOW w1 AS (ORDER BY b)", "cache db.t"},
	{"SELECT CHARSET(a), COLLATION(a), COERCIBILITY(a), WEIGHT_STRING(a), a COLLATE utf8mb4_bin FROM t", "cache db.t"},
	{"SELECT {fn UCASE(a)} FROM t", "cache db.t"},
	{"SELECT concat (a, b) FROM t", "cache db.t"}, // may have a space, unlike SUM
	{"SELECT /*+ MAX_EXECUTION_TIME(1000) NO_INDEX_MERGE(t) */ * FROM t", "cache db.t"},
	{"SELECT /*+ INDEX(`t` `a`) QB_NAME(q1) */ * FROM t", "cache db.t"},
	{"SELECT * FROM t /*+ not a hint here */", "cache db.t"},

	// Views count, and so do the tables behind them.
	{"SELECT * FROM v", "cache db.v db.t"},
	{"SELECT * FROM vv", "cache db.vv db.v db.t db.u"},
	{"SELECT * FROM t, v", "cache db.t db.v"},
	{"SELECT * FROM other.v", "cache other.v other.u"},
	{"SELECT * FROM vcte, t", "cache db.vcte db.w db.t"},
	{"WITH t AS (SELECT 1) SELECT * FROM v, t", "cache db.v db.t"}, // not in scope in the view
	{"SELECT * FROM vunited", "cache db.vunited db.t db.u"},
	{"SELECT * FROM hist", "cache db.hist"},
}

func TestReads(t *testing.T) { check(t, onWorld(), reads) }

// TestPitfall12Views checks that a view's definition is read in its own schema and in the default sql_mode.
func TestPitfall12Views(t *testing.T) {
	env := onWorld()
	env.Schema, env.SQLMode = "other", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"
	check(t, env, []example{
		{"SELECT * FROM v", "cache other.v other.u"},
		{"SELECT * FROM db.vv", "cache db.vv db.v db.t db.u"},
		{"SELECT * FROM db.vquote", "cache db.vquote db.t"},
		{"SELECT * FROM db.vnow", "read nondeterministic_function db.vnow: CURRENT_TIMESTAMP"},
		{"SELECT * FROM db.vvnow", "read nondeterministic_function db.vnow: CURRENT_TIMESTAMP"},
		{"SELECT * FROM db.vuser", "read session_function db.vuser: USER"},
		{"SELECT * FROM db.vfun", "read stored_function db.vfun: db.f +"},
		{"SELECT * FROM db.vsys", "read system_schema db.vsys: information_schema.tables"},
		{"SELECT * FROM db.vgone", "read unknown_table db.vgone: db.gone"},
		{"SELECT * FROM db.vodd", "read unparsable db.vodd +"},
		{"SELECT * FROM db.vcode", "read version_comment db.vcode +"},
		{"SELECT * FROM db.vloop", "cache db.vloop"}, // no server lets it be read
	})
}

// TestViewDepth nests views until the analysis gives up.
func TestViewDepth(t *testing.T) {
	deep := schema{"db.v16": "", "db.t": ""}
	for i := range 20 {
		deep["db.v"+string(rune('a'+i))] = "select `v" + string(rune('b'+i)) + "`.`id` AS `id` from `v" + string(rune('b'+i)) + "`"
	}
	deep["db.vu"] = ""
	env := Env{Schema: "db", Catalog: deep}
	a := NewAnalyzer()
	if st := a.Analyze("SELECT * FROM vf", env); !st.Cacheable || len(st.Tables) != 16 {
		t.Errorf("15 views: got %s, want cacheable with 16 names", describe(st))
	}
	if st := a.Analyze("SELECT * FROM va", env); st.Reason != DeepView {
		t.Errorf("20 views: got %s, want deep_view", describe(st))
	}
}
