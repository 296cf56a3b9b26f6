package daemon

import (
	"encoding/hex"
	"strconv"
	"strings"

	"weir/proxy/wire"
)

// bruteShape is a kind of query over the tables of a round.
type bruteShape struct {
	name string
	// ordered says that the order of the rows is part of the answer.
	ordered bool
	make    func(*bruteMaker) string
}

// literal is one as a text has it, or a parameter of a type that fits it.
func (m *bruteMaker) literal(sql string) string {
	p, ok := m.paramOf(sql)
	if !ok {
		return sql
	}
	return m.value(sql, p)
}

// paramOf makes parameters of NULL, of plain texts and numbers, and of hexadecimal literals.
func (m *bruteMaker) paramOf(sql string) (param, bool) {
	switch {
	case sql == "NULL":
		return nullParam([]wire.Type{wire.TypeNull, wire.TypeLong, wire.TypeVarString}[m.IntN(3)]), true
	case strings.HasPrefix(sql, "0x") && len(sql) > 2:
		b, err := hex.DecodeString(sql[2:])
		return textParam(wire.TypeBlob, string(b)), err == nil
	case sql[0] == '\'' && strings.Count(sql, "'") == 2 && sql[len(sql)-1] == '\'' && !strings.Contains(sql, `\`):
		return m.quoted(sql[1 : len(sql)-1]), true
	}
	if n, err := strconv.ParseInt(sql, 10, 64); err == nil {
		return m.wholeParam(n), true
	}
	if n, err := strconv.ParseUint(sql, 10, 64); err == nil {
		return ulonglongParam(n), true
	}
	if f, err := strconv.ParseFloat(sql, 64); err == nil {
		if m.IntN(2) == 0 && !strings.ContainsAny(sql, "e") {
			return textParam(wire.TypeNewDecimal, sql), true
		}
		return doubleParam(f), true
	}
	return param{}, false
}

func (m *bruteMaker) wholeParam(n int64) param {
	switch {
	case m.IntN(6) == 0:
		return varcharParam(strconv.FormatInt(n, 10))
	case m.IntN(6) == 0:
		return doubleParam(float64(n))
	case m.IntN(6) == 0:
		return textParam(wire.TypeNewDecimal, strconv.FormatInt(n, 10))
	case m.IntN(3) == 0 && int64(int8(n)) == n:
		return tinyParam(int8(n))
	case m.IntN(2) == 0 && int64(int32(n)) == n:
		return longParam(int32(n))
	}
	return longlongParam(n)
}

// quoted is a text, or a date as such.
func (m *bruteMaker) quoted(s string) param {
	if s == "2024-02-29" && m.IntN(2) == 0 {
		return momentParam(wire.TypeDate, 2024, 2, 29)
	}
	if s == "2024-02-29 10:00:00" && m.IntN(2) == 0 {
		return momentParam(wire.TypeDatetime, 2024, 2, 29, 10, 0, 0)
	}
	return textParam([]wire.Type{wire.TypeVarString, wire.TypeString, wire.TypeBlob}[m.IntN(3)], s)
}

func (m *bruteMaker) columnOf(t bruteTable) bruteColumn {
	if m.IntN(3) == 0 {
		return t.columns[m.IntN(2)] // id, k
	}
	return t.columns[m.IntN(len(t.columns))]
}

// constant is a literal for a column: most often a value that rows have.
func (m *bruteMaker) constant(c bruteColumn) string {
	switch m.IntN(6) {
	case 0:
		return m.literal(m.one(c.asked...))
	case 1, 2:
		return m.literal(m.respelt(m.one(c.values...)))
	}
	return m.literal(m.one(c.values...))
}

// respelt spells a value in another way, which the server may find equal.
func (m *bruteMaker) respelt(v string) string {
	if v[0] != '\'' {
		return m.one("'"+v+"'", v+" + 0", "'0"+v+"'", "' "+v+"'", v+".0", v+"e0", "("+v+")", "CAST("+v+" AS CHAR)", "-(-("+v+"))", "'"+v+"x'")
	}
	text := v[1 : len(v)-1]
	if strings.HasPrefix(text, "20") {
		return m.one("'"+strings.ReplaceAll(text, "-", ".")+"'", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "-", ""), ":", ""), " ", ""),
			"'"+strings.Replace(text, " ", "T", 1)+"'", "'"+text[2:]+"'", "TIMESTAMP "+v, "DATE '"+text[:10]+"'", "'"+text+"0'", "'"+text[:10]+"'", "CAST("+v+" AS DATETIME)")
	}
	return m.one("'"+strings.ToUpper(text)+"'", "'"+strings.ToLower(text)+"'", "'"+text+" '", "_utf8mb4"+v, "0x"+hex.EncodeToString([]byte(text)), "'"+strings.TrimRight(text, " ")+"'",
		"CONCAT("+v+", '')", v+" COLLATE utf8mb4_general_ci", "BINARY "+v, "N"+v, "'"+strings.ReplaceAll(text, "a", "á")+"'", "'"+strings.ReplaceAll(text, "ss", "ß")+"'")
}

// small is a small integer.
func (m *bruteMaker) few() string { return m.literal(m.one(smallIntegers...)) }

func (m *bruteMaker) equal(alias string, t bruteTable) string {
	c := m.columnOf(t)
	if m.IntN(6) == 0 {
		return m.constant(c) + m.one(" = ", " <=> ") + alias + c.name
	}
	return alias + c.name + m.one(" = ", " = ", " = ", " <=> ") + m.constant(c)
}

func (m *bruteMaker) among(alias string, t bruteTable) string {
	c := m.columnOf(t)
	return alias + c.name + m.one(" IN (", " IN (", " IN (", " NOT IN (") + m.constant(c) + ", " + m.constant(c) + m.maybe(", "+m.constant(c)) + ")"
}

func (m *bruteMaker) between(alias string, t bruteTable) string {
	c := m.columnOf(t)
	switch m.IntN(4) {
	case 0:
		return alias + c.name + m.one(" > ", " >= ") + m.constant(c) + " AND " + alias + c.name + m.one(" < ", " <= ") + m.constant(c)
	case 1:
		return alias + c.name + m.one(" > ", " >= ", " < ", " <= ", " <> ") + m.constant(c)
	case 2:
		return m.constant(c) + " <= " + alias + c.name + " AND " + m.constant(c) + " > " + alias + c.name
	}
	return alias + c.name + m.one(" BETWEEN ", " BETWEEN ", " BETWEEN ", " NOT BETWEEN ") + m.constant(c) + " AND " + m.constant(c)
}

func (m *bruteMaker) nullness(alias string, t bruteTable) string {
	c := m.columnOf(t)
	return alias + c.name + m.one(" IS NULL", " IS NOT NULL", " <=> NULL", " = NULL", " NOT IN (1, NULL)", " IN ("+m.constant(c)+", NULL)")
}

// restriction is a condition on one table, of any kind.
func (m *bruteMaker) restriction(alias string, t bruteTable) string {
	switch m.IntN(12) {
	case 0, 1, 2, 3:
		return m.equal(alias, t)
	case 4, 5:
		return m.among(alias, t)
	case 6, 7:
		return m.between(alias, t)
	case 8:
		return m.nullness(alias, t)
	case 9:
		return "(" + m.restriction(alias, t) + " OR " + m.restriction(alias, t) + ")"
	case 10:
		return "(" + m.restriction(alias, t) + " AND " + m.restriction(alias, t) + ")"
	}
	return "NOT (" + m.restriction(alias, t) + ")"
}

// output are columns to select, or all of them.
func (m *bruteMaker) output(alias string, t bruteTable) string {
	if m.IntN(3) == 0 {
		return alias + "*"
	}
	return alias + strings.Join(m.some(3, t.names()), ", "+alias)
}

// exact is a column whose equal values look the same.
func (m *bruteMaker) exact(t bruteTable) string {
	var fit []string
	for _, c := range t.columns {
		if c.exact {
			fit = append(fit, c.name)
		}
	}
	return m.one(fit...)
}

// keyed is a table with id as its primary key.
func (m *bruteMaker) keyed() bruteTable {
	for {
		if t := m.table(); t.unique {
			return t
		}
	}
}

// where is a whole WHERE, or nothing.
func (m *bruteMaker) whereOf(t bruteTable) string {
	if m.IntN(4) == 0 {
		return ""
	}
	return " WHERE " + m.restriction("", t)
}

// on joins a and b by columns that are integers in both.
func (m *bruteMaker) on() string {
	return m.one("a.k = b.k", "a.id = b.id", "a.id = b.k", "b.id = a.k", "b.k <=> a.k")
}

// pair is a SELECT from two tables up to the condition; left and right are their restrictions.
func (m *bruteMaker) pair(join string) (from, left, right string) {
	a, b := m.table(), m.table()
	return "SELECT " + m.output("a.", a) + ", " + m.output("b.", b) + " FROM " + a.name + " a " + join + " " + b.name + " b", m.restriction("a.", a), m.restriction("b.", b)
}

var bruteShapes = []bruteShape{
	{"by key", false, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE id = " + m.constant(t.columns[0])
	}},
	{"by keys", false, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE id IN (" + m.few() + ", " + m.few() + ", " + m.constant(t.columns[0]) + ")"
	}},
	{"key and more", false, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE id = " + m.few() + " AND " + m.restriction("", t)
	}},
	{"range of keys", false, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE id " + m.one("BETWEEN "+m.few()+" AND "+m.few(), ">= "+m.few()+" AND id < "+m.few(), "> "+m.few())
	}},
	{"equal", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.equal("", t)
	}},
	{"equal, other spelling", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.columnOf(t)
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + c.name + " = " + m.literal(m.one(m.one(c.asked...), m.respelt(m.one(c.values...)), m.respelt(m.one(c.values...))))
	}},
	{"equal texts", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.textColumn(t)
		v := m.one(words[:8]...)
		return "SELECT id, " + c + " FROM " + t.name + " WHERE " + c + m.one(" = "+m.literal(v), " IN ("+m.literal(v)+", 'zz')", " = "+m.literal(m.respelt(v)))
	}},
	{"equal texts, and a key", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.textColumn(t)
		return "SELECT * FROM " + t.name + " WHERE " + c + " = " + m.literal(m.one(words[:8]...)) + m.one(" AND k < 4", " OR id = "+m.few(), " AND id >= 0")
	}},
	{"among", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.among("", t)
	}},
	{"range", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.between("", t)
	}},
	{"or", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.equal("", t) + m.one(" OR ", " || ", " XOR ") + m.equal("", t)
	}},
	{"and", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.equal("", t) + " AND " + m.restriction("", t)
	}},
	{"null", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.nullness("", t)
	}},
	{"row constructor", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.columnOf(t)
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE (id, " + c.name + ") " + m.one(
			"= ("+m.few()+", "+m.constant(c)+")", "IN (("+m.few()+", "+m.constant(c)+"), ("+m.few()+", "+m.constant(c)+"))", "> ("+m.few()+", "+m.constant(c)+")", "<=> ("+m.few()+", NULL)")
	}},
	{"expression", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.columnOf(t)
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.one("id + 0 = "+m.few(), "-k = -"+m.one("1", "2", "3"), "ABS(id) < "+m.few(), "CAST("+c.name+" AS CHAR) = "+m.constant(c),
			"BINARY "+c.name+" = "+m.constant(c), "CONCAT(k, id) = '15'", "k", "NOT k", "id % 3 = 1", "IF(k > 2, id, k) = "+m.few(), "(k = "+m.few()+") = (id > 3)", "COALESCE(k, 3) = "+m.few(), "k = id", "(k = "+m.few()+") IS NOT TRUE",
			"NOT id <> "+m.few(), "(id = "+m.few()+") IS TRUE", "(id = "+m.few()+") IS NOT FALSE", m.few()+" IN (id, k)", "id = k = "+m.few(), "id = "+m.few()+" OR NULL", "id = "+m.few()+" OR k = k",
			"id BETWEEN "+m.few()+" AND NULL", "id = LEAST("+m.few()+", k)", "id = (SELECT "+m.few()+")", "id = ANY (SELECT "+m.few()+" UNION SELECT 3)", "id BETWEEN k AND "+m.few(), "CASE WHEN k = 1 THEN id ELSE k END = "+m.few())
	}},
	{"like", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.columnOf(t)
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + c.name + m.one(" LIKE 'a%'", " LIKE 'a'", " LIKE '%'", " NOT LIKE '5%'", " REGEXP '^a'")
	}},
	{"restricted", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.restriction("", t) + " AND " + m.restriction("", t)
	}},
	{"columns", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT " + strings.Join(m.some(2, t.names()), ", ") + " FROM " + t.name
	}},
	{"count", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT COUNT(" + m.one("*", "*", "k", "DISTINCT id", "1") + ") FROM " + t.name + m.whereOf(t)
	}},
	{"aggregates", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT COUNT(" + m.columnOf(t).name + "), SUM(id), AVG(k), MIN(" + m.exact(t) + "), MAX(" + m.exact(t) + "), BIT_XOR(k) FROM " + t.name + m.whereOf(t)
	}},
	{"group", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.exact(t)
		return "SELECT " + c + ", COUNT(*), MAX(id) FROM " + t.name + m.whereOf(t) + " GROUP BY " + c + m.maybe(" HAVING "+m.one("COUNT(*) > 1", "MAX(id) > "+m.few(), "MIN(k) = "+m.few()))
	}},
	{"having", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT id, k FROM " + t.name + m.whereOf(t) + " HAVING " + m.one("k = "+m.few(), "id > "+m.few())
	}},
	{"distinct", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT DISTINCT " + m.exact(t) + " FROM " + t.name + m.whereOf(t)
	}},
	{"order and limit", true, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT " + m.output("", t) + " FROM " + t.name + m.whereOf(t) + " ORDER BY " + m.one("id", "id DESC", "k, id", "k DESC, id") + " LIMIT " + m.one("1", "2", "3 OFFSET 1", "2, 2", "0", "20")
	}},
	{"window", false, func(m *bruteMaker) string {
		t := m.keyed()
		return "SELECT id, k, " + m.one("ROW_NUMBER()", "RANK()", "LAG(k)", "SUM(id)", "COUNT(*)", "FIRST_VALUE(id)") + " OVER (" + m.maybe("PARTITION BY k ") + "ORDER BY id) FROM " + t.name + m.whereOf(t)
	}},
	{"inner join", false, func(m *bruteMaker) string {
		from, left, right := m.pair("JOIN")
		return from + " ON " + m.on() + " WHERE " + m.one(left, right, left+" AND "+right, left+" OR "+right)
	}},
	{"join by key", false, func(m *bruteMaker) string {
		a, b := m.keyed(), m.table()
		return "SELECT " + m.output("a.", a) + ", " + m.output("b.", b) + " FROM " + a.name + " a JOIN " + b.name + " b ON b.k = a.id WHERE a.id = " + m.few()
	}},
	{"join on restrictions", false, func(m *bruteMaker) string {
		from, left, right := m.pair(m.one("JOIN", "CROSS JOIN", "STRAIGHT_JOIN"))
		return from + " ON " + m.on() + " AND " + left + m.maybe(" AND "+right)
	}},
	{"join of texts", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		x, y := m.columnOf(a), m.columnOf(b)
		return "SELECT a.id, b.id, a." + x.name + " FROM " + a.name + " a, " + b.name + " b WHERE a." + x.name + " = b." + y.name + " AND b." + y.name + " = " + m.constant(y)
	}},
	{"comma join", false, func(m *bruteMaker) string {
		from, left, right := m.pair(",")
		return from + " WHERE " + m.on() + " AND " + m.one(left, right)
	}},
	{"left join", false, func(m *bruteMaker) string {
		from, left, right := m.pair("LEFT JOIN")
		return from + " ON " + m.on() + m.maybe(" AND "+m.one(left, right)) + m.one("", "", " WHERE "+m.one(left, left, right, "b.id IS NULL", left+" AND "+right, left+" OR "+right))
	}},
	{"left join, restricted in ON", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT a.id, a.k, b.id, b.k FROM " + a.name + " a LEFT JOIN " + b.name + " b ON " + m.one("a.k = b.k", "a.id = b.id", "a.k = b.id") + " AND " + m.one("a.", "b.") + m.one("id", "k") + " = " + m.few()
	}},
	{"right join", false, func(m *bruteMaker) string {
		from, left, right := m.pair("RIGHT JOIN")
		return from + " ON " + m.on() + m.maybe(" AND "+m.one(left, right)) + m.one("", " WHERE "+m.one(left, right, right))
	}},
	{"nested join", false, func(m *bruteMaker) string {
		a, b, c := m.table(), m.table(), m.table()
		return "SELECT a.id, b.k, c.id FROM " + a.name + " a LEFT JOIN (" + b.name + " b JOIN " + c.name + " c ON b.k = c.k AND " + m.equal("c.", c) + ") ON a.k = b.id WHERE " + m.restriction("a.", a)
	}},
	{"using", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT " + m.one("id, k, a.k, b.k", "*", "COUNT(*)") + " FROM " + a.name + " a " + m.one("", "LEFT ", "RIGHT ") + "JOIN " + b.name + " b USING (" + m.one("id", "k", "id, k") + ") WHERE " + m.one("id = "+m.few(), "k = "+m.few(), m.equal("a.", a), m.equal("b.", b))
	}},
	{"natural", false, func(m *bruteMaker) string {
		a, b := m.named("log"), m.table()
		return "SELECT id, k FROM " + a.name + " NATURAL " + m.one("", "LEFT ", "RIGHT ") + "JOIN " + b.name + " WHERE " + m.one("id", "k") + " = " + m.few()
	}},
	{"self join", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT a.id, b.id, a.k FROM " + t.name + " a " + m.one("", "LEFT ") + "JOIN " + t.name + " b ON b.id = a.k WHERE " + m.restriction("a.", t)
	}},
	{"in subquery", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT " + m.output("", a) + " FROM " + a.name + " WHERE " + m.one("k", "id") + m.one(" IN", " NOT IN", " = ANY", " > ALL") + " (SELECT " + m.one("k", "id") + " FROM " + b.name + m.whereOf(b) + ")" + m.maybe(" AND "+m.restriction("", a))
	}},
	{"exists", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT " + m.output("a.", a) + " FROM " + a.name + " a WHERE " + m.maybe("NOT ") + "EXISTS (SELECT 1 FROM " + b.name + " b WHERE " + m.on() + m.maybe(" AND "+m.restriction("b.", b)) + ") AND " + m.restriction("a.", a)
	}},
	{"scalar subquery", false, func(m *bruteMaker) string {
		a, b := m.table(), m.keyed()
		return "SELECT id, " + m.one("(SELECT COUNT(*) FROM "+b.name+" b WHERE b.k = a.k)", "(SELECT MAX(k) FROM "+b.name+")", "(SELECT k FROM "+b.name+" b WHERE b.id = a.k)", "(SELECT b.k FROM "+b.name+" b WHERE b.id = "+m.few()+")") + " AS s FROM " + a.name + " a WHERE " + m.restriction("a.", a)
	}},
	{"equal to subquery", false, func(m *bruteMaker) string {
		a, b := m.table(), m.keyed()
		return "SELECT id, k FROM " + a.name + " WHERE k = (SELECT " + m.one("k FROM "+b.name+" WHERE id = "+m.few(), "MAX(k) FROM "+b.name+m.whereOf(b)) + ")"
	}},
	{"derived", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT d.k, d.n, b.id FROM (SELECT k, COUNT(*) AS n FROM " + a.name + m.whereOf(a) + " GROUP BY k) d " + m.one("JOIN", "LEFT JOIN") + " " + b.name + " b ON b.k = d.k WHERE d.k = " + m.few()
	}},
	{"derived, plain", false, func(m *bruteMaker) string {
		a := m.table()
		return "SELECT * FROM (SELECT id AS x, k AS y FROM " + a.name + m.whereOf(a) + ") d WHERE " + m.one("x", "y") + " = " + m.few()
	}},
	{"cte", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "WITH c AS (SELECT id, k FROM " + a.name + m.whereOf(a) + ") SELECT c.id, b.k FROM c JOIN " + b.name + " b ON b.k = c.k WHERE " + m.one("c.id = "+m.few(), m.restriction("b.", b))
	}},
	{"recursive cte", false, func(m *bruteMaker) string {
		t := m.table()
		return "WITH RECURSIVE c (id, n) AS (SELECT id, 0 FROM " + t.name + " WHERE id = " + m.few() + " UNION ALL SELECT t.id, n + 1 FROM " + t.name + " t JOIN c ON t.k = c.id WHERE n < 3) SELECT id, n FROM c"
	}},
	{"union", false, func(m *bruteMaker) string {
		a, b := m.table(), m.table()
		return "SELECT id, k FROM " + a.name + " WHERE " + m.restriction("", a) + m.one(" UNION ALL ", " UNION ") + "SELECT id, k FROM " + b.name + " WHERE " + m.restriction("", b)
	}},
	{"view", false, func(m *bruteMaker) string {
		return "SELECT * FROM " + m.one("v0", "v2", "v3", "v4", "v5") + " WHERE " + m.one("id", "k") + m.one(" = ", " = ", " > ") + m.few()
	}},
	{"nested view", false, func(m *bruteMaker) string {
		return "SELECT * FROM v1 " + m.one("", "WHERE id = "+m.few(), "WHERE other = "+m.few(), "WHERE k = "+m.few())
	}},
	{"names swapped", false, func(m *bruteMaker) string {
		t := m.table()
		return "SELECT id AS k, k AS id FROM " + t.name + " " + m.one("WHERE id = "+m.few(), "WHERE k = "+m.few(), "HAVING k = "+m.few(), "HAVING id = "+m.few())
	}},
	{"tables' names swapped", false, func(m *bruteMaker) string {
		return m.one("SELECT t0.id, t1.k FROM t1 t0 JOIN t0 t1 ON t0.k = t1.k WHERE t0.id = "+m.few(), "WITH t0 AS (SELECT id, k FROM t1 WHERE k = "+m.few()+") SELECT * FROM t0 WHERE id < "+m.few(),
			"WITH t0 AS (SELECT id, k FROM t1) SELECT t0.id, o.k FROM t0 JOIN brute.t0 o ON o.id = t0.id WHERE o.k = "+m.few(), "SELECT (SELECT MAX(t0.k) FROM t1 t0 WHERE t0.id = t1.id) AS s FROM t1 WHERE id = "+m.few())
	}},
	{"outer reference", false, func(m *bruteMaker) string {
		t := m.table()
		c := m.columnOf(t)
		return "SELECT id, k FROM " + t.name + " o WHERE " + m.one("EXISTS (SELECT 1 FROM log WHERE "+c.name+" = "+m.constant(c)+")", "k IN (SELECT log.k FROM log WHERE o.id = "+m.few()+")", "EXISTS (SELECT 1 FROM log WHERE log.id = o.id AND o.k = "+m.few()+")",
			"(SELECT COUNT(*) FROM log WHERE k = o.k AND id > "+m.few()+") > 0", "id = (SELECT MAX(log.id) FROM log WHERE o.k = log.k)")
	}},
	{"derived, cut off", false, func(m *bruteMaker) string {
		t := m.keyed()
		inner := m.one("SELECT id, k FROM "+t.name+" ORDER BY id LIMIT 3", "SELECT id, k, ROW_NUMBER() OVER (ORDER BY id) AS r FROM "+t.name, "SELECT MAX(id) AS id, k FROM "+t.name+" GROUP BY k", "SELECT COUNT(*) AS id, k FROM "+t.name+" GROUP BY k",
			"SELECT DISTINCT k, id DIV 64 AS id FROM "+t.name, "SELECT k AS id, id AS k FROM "+t.name, "SELECT id, k FROM "+t.name+" UNION SELECT k, id FROM log", "(SELECT id, k FROM "+t.name+" ORDER BY k, id LIMIT 2) UNION ALL SELECT id, k FROM fa", "SELECT id, (SELECT MAX(k) FROM "+t.name+") AS k FROM "+t.name)
		return m.one("SELECT * FROM ("+inner+") d WHERE ", "WITH d AS ("+inner+") SELECT * FROM d WHERE ", "SELECT fb.id FROM ("+inner+") d JOIN fb ON fb.id = d.id WHERE d.") + m.one("id", "k") + " = " + m.few()
	}},
	{"three tables", false, func(m *bruteMaker) string {
		a, b, c := m.table(), m.table(), m.table()
		return "SELECT a.id, b.id, c.k FROM " + a.name + " a " + m.one("JOIN", "LEFT JOIN", "RIGHT JOIN") + " " + b.name + " b ON a.k = b.k " + m.one("JOIN", "LEFT JOIN", "RIGHT JOIN") + " " + c.name + " c ON c.id = b.k" + m.maybe(" AND a.id = "+m.few()) + " WHERE " + m.one("a.", "b.", "c.") + m.one("id", "k") + " = " + m.few()
	}},
	{"partition", false, func(m *bruteMaker) string {
		return "SELECT id, k FROM part PARTITION (" + m.one("p0", "p1", "p0, p2") + ") WHERE " + m.restriction("", m.named("part"))
	}},
	{"tree", false, func(m *bruteMaker) string {
		return m.one("SELECT a.id, b.id FROM tree a JOIN tree b ON b.k = a.id WHERE a.id = "+m.few(), "SELECT id, k FROM tree WHERE k = "+m.few(), "WITH RECURSIVE c AS (SELECT id, k FROM tree WHERE id = "+m.few()+" UNION SELECT t.id, t.k FROM tree t JOIN c ON t.k = c.id) SELECT * FROM c")
	}},
	{"child of a key", false, func(m *bruteMaker) string {
		t := m.named(m.one("fb", "fc", bruteOther+".fd"))
		return "SELECT " + m.output("", t) + " FROM " + t.name + " WHERE " + m.one("k = "+m.few(), "id = "+m.few(), "k IS NULL", "id BETWEEN 1 AND "+m.few())
	}},
	{"parents and children", false, func(m *bruteMaker) string {
		return "SELECT fa.id, fb.id, fc.id, fc.k FROM fa " + m.one("", "LEFT ") + "JOIN fb ON fb.k = fa.id LEFT JOIN fc ON fc.k = fb.id WHERE fa." + m.one("id", "k") + " = " + m.few()
	}},
	{"written by triggers", false, func(m *bruteMaker) string {
		return "SELECT " + m.one("*", "COUNT(*)", "id", "k") + " FROM log WHERE " + m.restriction("", m.named("log"))
	}},
}
