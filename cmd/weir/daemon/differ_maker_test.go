package daemon

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"weir/deployments/sandbox"
	"weir/proxy/wire"
)

// maker makes statements. What it makes depends on its seed and the flavour alone.
type maker struct {
	*rand.Rand
	flavor  sandbox.Flavor
	columns []differColumn
	made    int
	values  []inlined // of the statement that is being made
}

func newMaker(flavor sandbox.Flavor, seed uint64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, 0)), flavor: flavor, columns: everyColumns(flavor)}
}

// inlined is a value that a text has as a literal, and a prepared statement as a parameter.
type inlined struct {
	sql string
	param
}

// query is one statement in the forms in which it is sent.
type query struct {
	shape string
	sql   string
	// prepared is the text with question marks for the params. It is sql if there are none.
	prepared string
	params   []param
}

// A value is an index between these in what shapes return: shapes make more values than they use.
const opened, closed = "\x01", "\x02"

// make makes one statement of the shape.
func (m *maker) make(s shape) query {
	m.made++
	m.values = nil
	return m.spell(s.name, s.make(m))
}

// spell puts the values into the text that a shape has made.
func (m *maker) spell(shape, text string) query {
	parts := strings.Split(text, opened)
	q := query{shape: shape, sql: parts[0], prepared: parts[0]}
	for _, part := range parts[1:] {
		index, rest, _ := strings.Cut(part, closed)
		i, _ := strconv.Atoi(index)
		q.params = append(q.params, m.values[i].param)
		q.sql += m.values[i].sql + rest
		q.prepared += "?" + rest
	}
	return q
}

// value puts a literal in, or a parameter.
func (m *maker) value(sql string, p param) string {
	m.values = append(m.values, inlined{sql, p})
	return opened + strconv.Itoa(len(m.values)-1) + closed
}

// say is for what the flavours spell differently.
func (m *maker) say(mysql, mariadb string) string {
	if m.flavor == sandbox.MySQL {
		return mysql
	}
	return mariadb
}

func (m *maker) one(of ...string) string { return of[m.IntN(len(of))] }

// some takes one to most of the texts, in their order.
func (m *maker) some(most int, of []string) []string {
	n := min(1+m.IntN(most), len(of))
	picked := m.Perm(len(of))[:n]
	var out []string
	for i, v := range of {
		for _, p := range picked {
			if p == i {
				out = append(out, v)
			}
		}
	}
	return out
}

func (m *maker) maybe(sql string) string {
	if m.IntN(2) == 0 {
		return ""
	}
	return sql
}

// as gives a name that no other statement has, so that each is new to Weir.
func (m *maker) as() string { return fmt.Sprintf("x%d", m.made) }

// column picks a column of every that is of one of the classes; of any, if none is given.
func (m *maker) column(classes ...class) string {
	var fit []string
	for _, c := range m.columns {
		for _, k := range classes {
			if c.class == k {
				fit = append(fit, c.name)
			}
		}
		if len(classes) == 0 {
			fit = append(fit, c.name)
		}
	}
	return m.one(fit...)
}

func (m *maker) numeric() string {
	return m.column(ofInteger, ofUnsigned, ofDecimal, ofApproximate, ofBits, ofYear)
}
func (m *maker) wordy() string { return m.column(ofWords, ofEnumeration) }

// utf8 is a column that has the character set and the collation of the connection.
func (m *maker) utf8() string {
	return m.one("c_char", "c_varchar", "c_tinytext", "c_text", "c_mediumtext", "c_longtext", "c_enum", "c_set")
}

func (m *maker) timely() string { return m.column(ofDate, ofDatetime) }

func (m *maker) number() string {
	n := m.IntN(21) - 5
	sql := fmt.Sprint(n)
	switch m.IntN(9) {
	case 0:
		return m.value(sql, longParam(int32(n)))
	case 1:
		return m.value(sql, shortParam(int16(n)))
	case 2:
		return m.value(sql, tinyParam(int8(n)))
	case 3:
		return m.value("18446744073709551615", ulonglongParam(1<<64-1))
	case 4:
		return m.value("200", utinyParam(200))
	case 5:
		return m.value(sql+".25", textParam(wire.TypeNewDecimal, sql+".25"))
	case 6:
		return m.value(sql+"e-1", doubleParam(float64(n)/10))
	case 7:
		return m.value(sql+"e0", floatParam(float32(n)))
	}
	return m.value(sql, longlongParam(int64(n)))
}

// small is a whole number of lo to hi.
func (m *maker) small(lo, hi int) string {
	n := lo + m.IntN(hi-lo+1)
	return m.value(fmt.Sprint(n), longlongParam(int64(n)))
}

// plain is a number that stays a literal.
func (m *maker) plain(lo, hi int) string { return fmt.Sprint(lo + m.IntN(hi-lo+1)) }

func (m *maker) text() string {
	s := m.one("", "a", "A", "pen", "tea ", "ß", "ss", "größer", "100%", "日本語", "🍣", "10", "1e2", "it's", `back\slash`, "x,y", "2024-02-29")
	sql := "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
	kind := []wire.Type{wire.TypeVarString, wire.TypeString, wire.TypeVarchar, wire.TypeBlob, wire.TypeLongBlob}[m.IntN(5)]
	return m.value(sql, textParam(kind, s))
}

func (m *maker) moment() string {
	if m.IntN(6) == 0 {
		return m.value("'0000-00-00 00:00:00'", momentParam(wire.TypeDatetime))
	}
	return m.day()
}

// day is no zero date: MySQL 9.7 crashes on DATEDIFF(column, ?) with one.
func (m *maker) day() string {
	switch m.IntN(5) {
	case 0:
		return m.value("'2024-02-29'", momentParam(wire.TypeDate, 2024, 2, 29))
	case 1:
		return m.value("'2024-02-29 00:00:00'", momentParam(wire.TypeDatetime, 2024, 2, 29))
	case 2:
		return m.value("'2001-02-03 04:05:06'", momentParam(wire.TypeDatetime, 2001, 2, 3, 4, 5, 6))
	case 3:
		return m.value("'2001-02-03 04:05:06.007'", momentParam(wire.TypeTimestamp, 2001, 2, 3, 4, 5, 6, 7000))
	}
	return m.value("'9999-12-31 23:59:59.999999'", momentParam(wire.TypeDatetime, 9999, 12, 31, 23, 59, 59, 999999))
}

func (m *maker) duration() string {
	switch m.IntN(4) {
	case 0:
		return m.value("'00:00:00'", durationParam())
	case 1:
		return m.value("'12:34:56'", durationParam(0, 0, 12, 34, 56))
	case 2:
		return m.value("'-838:59:59'", durationParam(1, 34, 22, 59, 59))
	}
	return m.value("'01:02:03.004'", durationParam(0, 0, 1, 2, 3, 4000))
}

// any is a value of any type, NULL too.
func (m *maker) any() string {
	switch m.IntN(6) {
	case 0:
		return m.text()
	case 1:
		return m.moment()
	case 2:
		return m.duration()
	case 3:
		return m.value("NULL", nullParam([]wire.Type{wire.TypeNull, wire.TypeLong, wire.TypeVarString, wire.TypeDatetime}[m.IntN(4)]))
	}
	return m.number()
}

func (m *maker) compare() string { return m.one("=", "<", ">", "<=", ">=", "<>", "<=>", "!=") }

// where is a condition on every, or nothing.
func (m *maker) where() string {
	switch m.IntN(5) {
	case 0:
		return ""
	case 1:
		return " WHERE id " + m.compare() + " " + m.small(0, everyRows)
	case 2:
		return " WHERE id IN (" + m.small(1, 5) + ", " + m.small(3, 9) + ", " + m.small(8, 99) + ")"
	case 3:
		return " WHERE " + m.column() + " IS " + m.maybe("NOT ") + "NULL"
	}
	return " WHERE id BETWEEN " + m.small(0, 6) + " AND " + m.small(4, 15)
}

// fromEvery is a SELECT of the expressions, in a settled order.
func (m *maker) fromEvery(expressions ...string) string {
	return "SELECT id, " + strings.Join(expressions, ", ") + " AS " + m.as() + " FROM every" + m.where() + " ORDER BY id"
}
