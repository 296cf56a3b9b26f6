package statement

import (
	"testing"

	"weir/cache/dep"
)

// timesOfDay are statements about db.shifts, whose columns begins and ends are of type TIME.
var timesOfDay = []example{
	{"SELECT * FROM shifts", "cache db.shifts"},
	{"SELECT * FROM shifts WHERE begins > '09:00' AND ends BETWEEN '10:00' AND '12:00'", "cache db.shifts"},
	{"SELECT * FROM shifts WHERE begins < ends AND begins = MAKETIME(9, 0, 0)", "cache db.shifts"},
	{"SELECT * FROM shifts a JOIN shifts b ON a.ends = b.begins", "cache db.shifts"},
	{"SELECT * FROM shifts s JOIN t ON s.id = t.id WHERE t.d = DATE(s.day)", "cache db.shifts db.t"},
	{"SELECT HOUR(begins), TIME_FORMAT(ends, '%H'), TIMEDIFF(ends, begins), EXTRACT(HOUR FROM begins), TIMESTAMP(day, begins) FROM shifts", "cache db.shifts"},
	{"SELECT MAX(begins), COALESCE(begins, ends), IF(id, begins, '00:00'), SEC_TO_TIME(5), ADDTIME(begins, '1:0') FROM shifts", "cache db.shifts"},
	{"SELECT SUM(TIME_TO_SEC(TIMEDIFF(ends, begins))) FROM shifts WHERE day = '2024-01-01' GROUP BY YEAR(day)", "cache db.shifts"},
	{"SELECT start FROM vshift WHERE start > '09:00'", "cache db.vshift db.shifts"},
	{"SELECT DATE(d), CAST(d AS DATETIME), TIMESTAMP(d), d > e FROM t", "cache db.t"},
	{"SELECT id FROM shifts UNION SELECT id FROM t", "cache db.shifts db.t"},
	{"SELECT begins FROM shifts UNION SELECT ends FROM shifts", "cache db.shifts"},
	{"SELECT CAST('10:00' AS DATETIME), TIMESTAMP('10:00') FROM shifts", "cache db.shifts"},
	{"SELECT a FROM t WHERE TIME(d) BETWEEN '09:00' AND '17:00'", "cache db.t"},

	{"SELECT DATE(begins) FROM shifts", "read current_date DATE"},
	{"SELECT YEAR(s.begins) FROM shifts s", "read current_date YEAR"},
	{"SELECT TIMESTAMP(begins) FROM shifts", "read current_date TIMESTAMP"},
	{"SELECT CAST(begins AS DATETIME) FROM shifts", "read current_date CAST AS DATETIME"},
	{"SELECT CONVERT(begins, DATETIME) FROM shifts", "read current_date CAST AS DATETIME"},
	{"SELECT CAST(begins AS DATE) FROM shifts", "read current_date CAST AS DATE"},
	{"SELECT UNIX_TIMESTAMP(ends) FROM shifts", "read current_date UNIX_TIMESTAMP"},
	{"SELECT DATE_FORMAT(begins, '%H:%i') FROM shifts", "read current_date DATE_FORMAT"},
	{"SELECT begins + INTERVAL 1 DAY FROM shifts", "read current_date DATE_ADD"},
	{"SELECT DATEDIFF(day, begins) FROM shifts", "read current_date DATEDIFF"},
	{"SELECT EXTRACT(DAY FROM begins) FROM shifts", "read current_date EXTRACT"},
	{"SELECT DATE(MAX(begins)) FROM shifts", "read current_date DATE"},
	{"SELECT DATE((SELECT begins FROM shifts LIMIT 1)) FROM t", "read current_date DATE"},
	{"SELECT * FROM shifts WHERE begins > day", "read current_date GT"},
	{"SELECT * FROM shifts, t WHERE begins IN (t.d, '10:00')", "read current_date IN"},
	{"SELECT * FROM shifts, t WHERE t.d BETWEEN begins AND ends", "read current_date BETWEEN"},
	{"SELECT * FROM shifts WHERE begins > TIMESTAMP '2024-01-01 00:00:00'", "read current_date GT"},
	{"SELECT * FROM shifts WHERE begins = ?", "read current_date EQ"},
	{"SELECT * FROM t WHERE d IN (SELECT begins FROM shifts)", "read current_date IN"},
	{"SELECT * FROM t WHERE d > ANY (SELECT begins FROM shifts)", "read current_date ANY or ALL"},
	{"SELECT COALESCE(begins, day) FROM shifts", "read current_date COALESCE"},
	{"SELECT CASE WHEN id THEN begins ELSE day END FROM shifts", "read current_date CASE"},
	{"SELECT CASE begins WHEN day THEN 1 END FROM shifts", "read current_date CASE"},
	{"SELECT IF(id, day, ends) FROM shifts", "read current_date IF"},
	{"SELECT begins FROM shifts UNION SELECT d FROM t", "read current_date UNION"},
	{"SELECT * FROM shifts UNION SELECT * FROM t", "read current_date UNION or NATURAL JOIN"},
	{"SELECT * FROM shifts NATURAL JOIN t", "read current_date UNION or NATURAL JOIN"},
	{"SELECT * FROM shifts JOIN t USING (begins)", "read current_date USING"},
	{"SELECT DATE(x) FROM (SELECT begins AS x FROM shifts) d", "read current_date DATE"},
	{"SELECT DATE(y) FROM (SELECT x AS y FROM (SELECT begins AS x FROM shifts) d) e", "read current_date DATE"},
	{"WITH c AS (SELECT begins AS x FROM shifts) SELECT DATE(x) FROM c", "read current_date DATE"},
	{"WITH c (x) AS (SELECT begins FROM shifts) SELECT DATE(x) FROM c", "read current_date DATE"},
	{"WITH c (x, y) AS (SELECT * FROM shifts) SELECT DATE(x) FROM c", "read current_date column list"},
	{"SELECT * FROM t, LATERAL (SELECT begins FROM shifts) AS d (x) WHERE DATE(x)", "read current_date column list"},
	{"SELECT DATE(`MAX(begins)`) FROM (SELECT MAX(begins) FROM shifts) d", "read current_date column without a name"},
	{"SELECT DATE(start) FROM vshift", "read current_date DATE"},
	{"SELECT SUM(id) OVER (ORDER BY begins RANGE INTERVAL 1 HOUR PRECEDING) FROM shifts", "read current_date RANGE"},

	// A TIME that a function returns.
	{"SELECT DATE(SEC_TO_TIME(a)) FROM t", "read current_date DATE"},
	{"SELECT CAST(TIME(d) AS DATETIME) FROM t", "read current_date CAST AS DATETIME"},
	{"SELECT TIMESTAMP(TIME '10:00:00') FROM t", "read current_date TIMESTAMP"},
	{"SELECT DATE({t '10:00:00'}) FROM t", "read current_date DATE"},
	{"SELECT * FROM t WHERE d > CAST(a AS TIME)", "read current_date GT"},
	{"SELECT * FROM t WHERE d > STR_TO_DATE(a, '%H:%i')", "read current_date GT"},
	{"SELECT * FROM t WHERE d > STR_TO_DATE(a, b)", "read current_date GT"},
	{"SELECT * FROM t WHERE d > STR_TO_DATE(a, '%d.%m.%Y')", "cache db.t"},
	{"SELECT STR_TO_DATE(a, '%H:%i') FROM t", "cache db.t"},
}

func TestTimesOfDay(t *testing.T) { check(t, onWorld(), timesOfDay) }

// untyped is a catalog that does not tell which columns are TIMEs.
type untyped struct{ schema schema }

func (u untyped) Relation(n dep.Name) dep.Relation { return u.schema.Relation(n) }

func TestTimesOfDayWithoutTypes(t *testing.T) {
	check(t, Env{Schema: "db", Catalog: untyped{world}}, []example{
		{"SELECT DATE(d), YEAR(d), d > e FROM t", "cache db.t"},
		{"SELECT CAST('2024-01-01' AS DATETIME), TIMESTAMP('2024-01-01') FROM t", "cache db.t"},
		{"SELECT CAST(d AS DATETIME) FROM t", "read current_date CAST AS DATETIME"},
		{"SELECT TIMESTAMP(d) FROM t", "read current_date TIMESTAMP"},
		{"SELECT DATE(SEC_TO_TIME(a)) FROM t", "read current_date DATE"},
		{"SELECT * FROM t UNION SELECT * FROM u", "cache db.t db.u"},
	})
}
