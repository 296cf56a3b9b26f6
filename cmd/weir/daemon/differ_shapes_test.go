package daemon

import (
	"slices"
	"strings"
)

// shape makes statements of one kind.
type shape struct {
	name string
	// hits is how many of a hundred must be hits the second time, at least, of those that a server answers with rows
	// and without a warning. What Weir cannot read, or what depends on more than tables, is the rest.
	hits int
	make func(*maker) string
}

// haveTimes are shapes with a TIME among the parameters now and then. Such an answer is not kept: the time may meet a date,
// and is then completed with the current one.
var haveTimes = []string{"cast", "compare any", "fractional times", "union of types"}

// shapes are all of them.
func shapes() []shape {
	return slices.Concat(columnShapes, functionShapes, joinShapes, groupShapes, nestedShapes, spellingShapes, refusedShapes)
}

// columnShapes read one table with all types.
var columnShapes = []shape{
	{"projection", 100, func(m *maker) string {
		return "SELECT id, " + strings.Join(m.some(6, m.names()), ", ") + " FROM every" + m.where() + " ORDER BY id LIMIT " + m.plain(1, 20)
	}},
	{"star", 100, func(m *maker) string {
		return "SELECT " + m.one("*", "e.*", "e.*, e.id", "id, e.*") + ", " + m.plain(1, 1000) + " FROM every AS e" +
			" ORDER BY id LIMIT " + m.plain(1, 20)
	}},
	{"alias", 100, func(m *maker) string {
		return "SELECT " + m.column() + " AS " + m.one("a", "`b c`", "'quoted'", "\"double\"", "`größe`", "`from`") + ", e." + m.column() + " " + m.as() +
			", " + m.number() + " FROM differ.every " + m.maybe("AS ") + "e ORDER BY e.id"
	}},
	{"arithmetic", 100, func(m *maker) string {
		op := m.one("+", "-", "*", "/", "DIV", "%", "MOD")
		return m.fromEvery(m.numeric()+" "+op+" "+m.number(), "-"+m.numeric(), m.numeric()+" "+m.one("+", "-", "*")+" "+m.numeric())
	}},
	{"bits", 100, func(m *maker) string {
		return m.fromEvery(m.numeric()+" "+m.one("&", "|", "^", "<<", ">>")+" "+m.small(0, 70), "~"+m.column(ofInteger, ofUnsigned, ofBits), "BIT_COUNT("+m.numeric()+")", m.column(ofBits)+" + 0")
	}},
	{"logic", 100, func(m *maker) string {
		return m.fromEvery(m.numeric()+" "+m.one("AND", "OR", "XOR", "&&")+" "+m.numeric(), m.one("NOT ", "! ")+m.numeric(), m.numeric()+" IS "+m.one("TRUE", "FALSE", "UNKNOWN", "NOT TRUE"))
	}},
	{"compare", 100, func(m *maker) string {
		return "SELECT id, " + m.column() + " FROM every WHERE " + m.numeric() + " " + m.compare() + " " + m.number() + m.one(" OR ", " AND ") + m.wordy() + " " + m.compare() + " " + m.text() + " ORDER BY id, " + m.plain(1, 2)
	}},
	{"compare any", 55, func(m *maker) string {
		return m.fromEvery(m.column(ofInteger, ofDecimal, ofWords, ofBytestring, ofDate, ofDatetime, ofYear, ofEnumeration) + " " + m.compare() + " " + m.any())
	}},
	{"nulls", 90, func(m *maker) string {
		c := m.column(ofInteger, ofUnsigned, ofDecimal, ofWords, ofEnumeration, ofBytestring)
		return m.fromEvery("COALESCE("+c+", "+m.number()+")", "IFNULL("+m.utf8()+", "+m.text()+")", "NULLIF("+c+", "+m.small(0, 9)+")",
			c+" <=> "+m.value("NULL", nullParam(0x03)), "id NOT IN ("+m.small(1, 9)+", NULL)", "ISNULL("+m.column()+")")
	}},
	{"case", 100, func(m *maker) string {
		return m.fromEvery("CASE "+m.column(ofInteger, ofUnsigned)+" WHEN "+m.number()+" THEN "+m.text()+" WHEN "+m.small(1, 9)+" THEN "+m.wordy()+m.maybe(" ELSE 'else'")+" END",
			"CASE WHEN "+m.numeric()+" > "+m.number()+" THEN "+m.numeric()+" ELSE "+m.number()+" END", "IF("+m.numeric()+", "+m.text()+", "+m.column(ofBytestring)+")")
	}},
	{"cast", 70, func(m *maker) string {
		to := m.one("SIGNED", "UNSIGNED", "CHAR", "CHAR(3)", "BINARY", "BINARY(4)", "DECIMAL(30,10)", "DECIMAL", "DOUBLE", "FLOAT", "DATE", "DATETIME(6)", "TIME(3)", m.say("YEAR", "INT"), "CHAR(5) CHARACTER SET latin1")
		return m.fromEvery(m.one("CAST("+m.column()+" AS "+to+")", "CONVERT("+m.column()+", "+to+")"), "CAST("+m.any()+" AS CHAR)")
	}},
	{"unsigned", 100, func(m *maker) string {
		return m.fromEvery(m.column(ofUnsigned)+" "+m.one("-", "+", "*")+" "+m.one("0", "1", "-1", "18446744073709551615", "0.5"), "CAST("+m.column(ofInteger, ofUnsigned)+" AS UNSIGNED)", "CAST("+m.column(ofUnsigned)+" AS SIGNED)", "GREATEST("+m.column(ofUnsigned)+", "+m.number()+")")
	}},
	{"decimal", 100, func(m *maker) string {
		c := m.column(ofDecimal)
		return m.fromEvery(c+" * "+m.one("0.1", "1.000000000000000000000000000001", "-1", "3"), "ROUND("+c+", "+m.plain(-3, 32)+")", "TRUNCATE("+c+", "+m.plain(0, 5)+")", c+" / "+m.one("3", "7.0", "0.5"), "CEIL("+c+")", "FLOOR("+m.column(ofDecimal)+")", "FORMAT("+m.column(ofDecimal)+", "+m.plain(0, 4)+")")
	}},
	{"approximate", 100, func(m *maker) string {
		c := m.column(ofApproximate)
		return m.fromEvery("ROUND("+c+", 3)", c+" / 3", "SQRT(ABS("+c+"))", m.one("SIN", "COS", "ATAN", "SIGN", "LOG2", "DEGREES")+"("+c+")", c+" + 0.1", "POW("+m.one("2", "1.5")+", "+m.small(0, 9)+")")
	}},
	{"enum and set", 90, func(m *maker) string {
		return m.fromEvery("c_enum + 0", "c_set + 0", "c_enum "+m.compare()+" "+m.one("'large'", "'größer'", "2", "''"), "FIND_IN_SET("+m.one("'x'", "'ü'", "'q'")+", c_set)", "c_set & "+m.plain(1, 15), "CONCAT(c_enum, '|', c_set)", "HEX(c_enum)", m.text()+" = c_set")
	}},
	{"hidden and generated", 100, func(m *maker) string {
		return m.fromEvery("c_hidden", "c_virtual "+m.one("+", "-", "*")+" c_hidden", "c_stored", "LENGTH(c_stored)", "every.c_hidden "+m.compare()+" "+m.number(), "c_virtual "+m.compare()+" c_smallint")
	}},
	{"zero dates", 80, func(m *maker) string {
		return m.fromEvery("c_date "+m.compare()+" "+m.one("0", "'0000-00-00'", "20240229", "'9999-12-31'", m.moment()), m.one("YEAR", "MONTH", "DAY", "TO_DAYS", "LAST_DAY", "DAYNAME", "WEEKDAY", "QUARTER", "DAYOFYEAR", "MONTHNAME")+"("+m.timely()+")", "c_year "+m.compare()+" "+m.one("0", "70", "2024", "'00'"), "c_year + 0")
	}},
	{"wide", 100, func(m *maker) string {
		return "SELECT " + m.one("*", "wide.*") + ", " + m.plain(1, 1000) + " AS " + m.as() + " FROM wide WHERE id " + m.compare() + " " + m.small(0, 3) + " ORDER BY id"
	}},
	{"long texts", 100, func(m *maker) string {
		return "SELECT id, " + m.one("body", "body, body AS again", "CONCAT(body, "+m.text()+")", "LEFT(body, "+m.plain(200, 300)+")", "LENGTH(body), UPPER(body)", "REVERSE(body)") + ", " + m.plain(1, 1000) + " FROM letter WHERE id IN (" + m.small(1, 6) + ", " + m.small(1, 6) + ") ORDER BY id"
	}},
	{"empty", 100, func(m *maker) string {
		return "SELECT " + m.one("*", "id, "+m.number(), "COUNT(*)", "SUM(id), MAX(id)", "id AS n, id * 2", "COUNT(id), MAX(id)") + " FROM " + m.one("nothing", "item WHERE FALSE", "nothing WHERE id = "+m.small(1, 9), "item WHERE id > "+m.small(100, 999), "every WHERE id < "+m.small(-99, 0), "item WHERE name = 'none of "+m.plain(1, 99)+"'")
	}},
}

// names are all columns of every.
func (m *maker) names() (names []string) {
	for _, c := range m.columns {
		names = append(names, c.name)
	}
	return names
}

// functionShapes call what is built in.
var functionShapes = []shape{
	{"string functions", 90, func(m *maker) string {
		w := m.utf8()
		return m.fromEvery(
			m.one("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "REVERSE", "QUOTE", "HEX", "SOUNDEX", "TO_BASE64", "ORD", "ASCII")+"("+w+")",
			m.one("LENGTH", "CHAR_LENGTH", "BIT_LENGTH", "CRC32")+"("+m.wordy()+")", "CONCAT("+m.utf8()+", "+m.text()+", "+m.numeric()+")",
			"CONCAT_WS("+m.text()+", "+w+", NULL, "+m.utf8()+")", "SUBSTRING("+w+", "+m.small(-3, 4)+", "+m.small(0, 5)+")",
			m.one("LEFT", "RIGHT", "REPEAT")+"("+w+", "+m.small(0, 4)+")", m.one("LPAD", "RPAD")+"("+w+", "+m.plain(0, 12)+", "+m.text()+")")
	}},
	{"more string functions", 90, func(m *maker) string {
		w := m.utf8()
		return m.fromEvery("REPLACE("+w+", "+m.text()+", "+m.text()+")", "INSTR("+w+", "+m.text()+")", "LOCATE("+m.text()+", "+m.utf8()+", 1)",
			"SUBSTRING_INDEX("+w+", "+m.text()+", "+m.plain(-2, 2)+")", "STRCMP("+w+", "+m.text()+")", "FIELD("+w+", "+m.text()+", "+m.text()+")", "ELT("+m.small(1, 3)+", "+w+", "+m.utf8()+")",
			"TRIM("+m.one("LEADING", "TRAILING", "BOTH")+" 'x' FROM "+m.wordy()+")", "INSERT("+w+", 2, 1, "+m.text()+")")
	}},
	{"patterns", 90, func(m *maker) string {
		w := m.utf8()
		return m.fromEvery(w+" "+m.maybe("NOT ")+"LIKE "+m.text()+m.maybe(" ESCAPE '|'"), w+" LIKE "+m.one("'%e%'", "'_'", "'tea%'", "'100\\\\%'"), w+" "+m.one("REGEXP", "RLIKE", "NOT REGEXP")+" "+m.one("'^[a-m]'", "'e+'", "'.$'"),
			"REGEXP_REPLACE("+w+", '[aeiou]', "+m.text()+")", "REGEXP_SUBSTR("+m.utf8()+", '[a-z]+')")
	}},
	{"character sets", 40, func(m *maker) string {
		w := m.column(ofWords)
		return m.fromEvery("CONVERT("+w+" USING "+m.one("latin1", "utf8mb4", "utf16", "ascii", "binary", "ucs2")+")", m.one("CHARSET", "COLLATION", "COERCIBILITY")+"("+m.column()+")", "HEX("+w+")",
			m.one("_latin1'abc'", "_utf8mb4'ü'", "N'national'", "X'414243'", "0x4142", "b'1000001'", "_binary'x'", "_ucs2 0x03A9")+" AS lit", "WEIGHT_STRING("+w+")")
	}},
	{"collations", 90, func(m *maker) string {
		c := m.one("c_varchar", "c_emoji", "c_bin", "c_char")
		collation := m.one("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci", "utf8mb4_german2_ci")
		return "SELECT id, " + c + " COLLATE " + collation + " " + m.compare() + " " + m.text() + ", " + m.column(ofWords) + " FROM every ORDER BY " + c + " COLLATE " + collation + m.one(" DESC", " ASC", "") + ", id"
	}},
	{"date functions", 80, func(m *maker) string {
		d := m.timely()
		return m.fromEvery("DATE_FORMAT("+d+", "+m.one("'%Y-%m-%d %H:%i:%s.%f'", "'%W %M %e %y'", "'%j %U %v %x'", "'%D %b %p'")+")", m.one("DATE_ADD", "DATE_SUB")+"("+d+", INTERVAL "+m.small(-40, 40)+" "+m.one("DAY", "MONTH", "YEAR", "HOUR", "MICROSECOND", "WEEK", "QUARTER")+")",
			"DATEDIFF("+d+", "+m.day()+")", "TIMESTAMPDIFF("+m.one("DAY", "MONTH", "SECOND", "YEAR")+", "+d+", '2020-02-29')", m.one("DATE", "TIME", "HOUR", "MICROSECOND", "TO_SECONDS", "UNIX_TIMESTAMP", "WEEK", "YEARWEEK")+"("+m.column(ofDatetime)+")",
			"EXTRACT("+m.one("YEAR_MONTH", "DAY", "WEEK", "QUARTER")+" FROM "+m.timely()+")")
	}},
	{"date arithmetic", 80, func(m *maker) string {
		return m.fromEvery(m.timely()+m.one(" + ", " - ")+"INTERVAL "+m.one("1 DAY", "'1:2' HOUR_MINUTE", "'1-2' YEAR_MONTH", "1.5 SECOND", "-3 MONTH"), m.column(ofDatetime)+" - INTERVAL "+m.small(1, 99)+" MINUTE", m.column(ofDatetime)+" + 0", "MAKEDATE("+m.plain(1990, 2030)+", "+m.plain(1, 366)+")", m.one("STR_TO_DATE('2024-02-29', '%Y-%m-%d')", "STR_TO_DATE('29.2.2024', '%d.%m.%Y')", "STR_TO_DATE('12:34', '%d.%m.%Y')"), m.one("DATE '2024-02-29'", "TIMESTAMP '2024-02-29 01:02:03.5'", "{d '2024-02-29'}"))
	}},
	{"fractional times", 70, func(m *maker) string {
		c := m.column(ofClock)
		return m.fromEvery("TIME_TO_SEC("+c+")", "SEC_TO_TIME("+m.plain(-9999, 9999)+".25)", "TIME_FORMAT("+c+", '%H|%k|%i|%s|%f')", m.one("ADDTIME", "SUBTIME", "TIMEDIFF")+"("+c+", "+m.duration()+")", m.one("HOUR", "MINUTE", "SECOND", "MICROSECOND")+"("+c+")", c+" + 0", "MAKETIME("+m.plain(-20, 30)+", "+m.plain(0, 59)+", "+m.plain(0, 59)+".125)", "CAST("+c+" AS CHAR)")
	}},
	{"json", 90, func(m *maker) string {
		path := m.one("'$'", "'$.name'", "'$.tags'", "'$.tags[0]'", "'$[1][0]'", "'$.nested.deep.x'", "'$.*'")
		return "SELECT id, d, JSON_EXTRACT(d, " + path + "), " + m.one("JSON_TYPE(d)", "JSON_DEPTH(d)", "JSON_LENGTH(d)", "JSON_KEYS(d)", "JSON_VALID(d)", "JSON_QUOTE(CAST(d AS CHAR))") + ", JSON_UNQUOTE(JSON_EXTRACT(d, '$.name')) AS " + m.as() +
			", " + m.one("JSON_CONTAINS(d, '\"a\"', '$.tags')", "JSON_SEARCH(d, 'one', 'a')", "JSON_CONTAINS_PATH(d, 'one', "+path+")") + " FROM doc" + m.maybe(" WHERE id < "+m.small(2, 6)) + " ORDER BY id"
	}},
	{"json changes", 90, func(m *maker) string {
		return "SELECT id, " + m.one("JSON_SET", "JSON_INSERT", "JSON_REPLACE") + "(d, '$.name', " + m.text() + ") AS " + m.as() + ", JSON_REMOVE(d, '$.tags'), JSON_MERGE_PATCH(d, '{\"age\": " + m.plain(1, 99) + "}'), JSON_OBJECT('k', " + m.number() + ", 'd', d), JSON_ARRAY(" + m.number() + ", id, NULL, " + m.text() + ") FROM doc ORDER BY id"
	}},
	{"json arrows", 100, func(m *maker) string {
		arrow := m.say(m.one("->", "->>"), "")
		if arrow == "" {
			return "SELECT id, JSON_VALUE(d, '$.name'), JSON_QUERY(d, '$.tags') AS " + m.as() + " FROM doc WHERE id <> " + m.small(0, 9) + " ORDER BY id"
		}
		return "SELECT id, d" + arrow + "'$.name', d->'$.tags[" + m.plain(0, 2) + "]' AS " + m.as() + " FROM doc WHERE d" + arrow + "'$.age' IS " + m.maybe("NOT ") + "NULL ORDER BY id"
	}},
	{"geometry", 90, func(m *maker) string {
		return m.fromEvery(m.one("c_geometry", "c_point", "ST_AsText(c_geometry)", "ST_AsText(c_point)", "ST_GeometryType(c_geometry)"), "ST_X(c_point)", m.one("ST_AsBinary(c_geometry)", "ST_SRID(c_geometry)", "ST_Dimension(c_geometry)", "ST_AsText(ST_Envelope(c_geometry))", "ST_IsEmpty(c_geometry)"),
			"ST_Distance(c_point, ST_GeomFromText('POINT("+m.plain(0, 9)+" "+m.plain(0, 9)+")'))", "MBRContains(ST_GeomFromText('POLYGON((0 0, 9 0, 9 9, 0 9, 0 0))'), c_point)", "HEX(POINT("+m.number()+", 2))")
	}},
	// Without BIN, CONV and OCT: MySQL 9.7 calls them unsigned when a statement is executed for the second time.
	{"others", 80, func(m *maker) string {
		c := m.column(ofOther)
		return m.fromEvery(c, "HEX("+c+")", "LENGTH("+c+")", "INET_ATON("+m.one("'1.2.3.4'", "'255.255.255.255'")+")", "INET_NTOA("+m.small(0, 99999)+")", m.one("BIT_COUNT("+m.small(0, 99)+")", "CRC32(c_varchar)"), m.one("COMPRESS(c_varchar)", "UNHEX('414G')", "FROM_BASE64('QUJD')", "SHA2(c_varchar, 256)", "AES_ENCRYPT(c_varchar, 'key')", "INET6_ATON('::1')", "EXPORT_SET(5, 'Y', 'N', ',', 4)", "MAKE_SET(5, 'a', 'b', 'c')"))
	}},
}

// refusedShapes are never cached.
var refusedShapes = []shape{
	{"no table", 0, func(m *maker) string {
		return m.one("SELECT "+m.any()+" AS "+m.as()+", "+m.number(), m.say("VALUES ROW("+m.plain(1, 99)+", 'a'), ROW("+m.plain(1, 99)+", 'b')", "VALUES ("+m.plain(1, 99)+", 'a'), ("+m.plain(1, 99)+", 'b')"), "SELECT "+m.text()+" UNION SELECT "+m.number()+" ORDER BY 1", "SELECT 1 FROM DUAL WHERE "+m.number()+" > "+m.plain(0, 99))
	}},
	{"errors", 0, func(m *maker) string {
		return m.one("SELECT missing_"+m.as()+" FROM every", "SELECT * FROM missing_"+m.as(), "SELECT id FROM item, kind WHERE id = "+m.small(1, 99), "SELECT (SELECT id FROM item WHERE id > "+m.small(0, 9)+" AND id < 30) FROM kind",
			"SELECT c_ubigint - "+m.plain(1, 99)+" - c_ubigint FROM every WHERE id = 2", "SELECT ABS() FROM item WHERE id = "+m.plain(1, 99), "SELECT id FROM item GROUP BY SUM(id), "+m.plain(1, 9), "SELECT missing."+m.as()+" FROM item", "SELECT id, name FROM item UNION SELECT id FROM kind WHERE id > "+m.plain(0, 99), "SELECT * FROM differ_missing."+m.as(),
			"SELECT c_bigint * "+m.plain(2, 99)+" FROM every WHERE id = 3", "SELECT EXP("+m.plain(800, 999)+") FROM item", "SELECT id FROM item ORDER BY "+m.plain(5, 99), "SELECT COUNT(*), "+m.as()+".id FROM item")
	}},
	{"warnings", 0, func(m *maker) string {
		return m.one("SELECT id, CAST(name AS DECIMAL(9,"+m.plain(0, 8)+")) FROM item ORDER BY id", "SELECT id, name + "+m.plain(1, 99)+" FROM item ORDER BY id", "SELECT id, CAST('x"+m.plain(1, 999)+"' AS DATE) FROM kind ORDER BY id", "SELECT id, CAST('12abc' AS SIGNED) + "+m.plain(1, 99)+" FROM kind ORDER BY id")
	}},
	{"sessions", 0, func(m *maker) string {
		return "SELECT id, " + m.one("@@sql_mode", "@@session.time_zone", "DATABASE()", "@@character_set_client", "@@max_allowed_packet") + ", " + m.plain(1, 1000) + " AS " + m.as() + " FROM kind ORDER BY id"
	}},
}

// sourceShapes are sent on under writes: source alone: what locks, and what Weir takes for a write since it cannot tell.
var sourceShapes = []shape{
	{"locks and hints", 0, func(m *maker) string {
		return "SELECT " + m.one("SQL_NO_CACHE id", "id") + ", " + m.number() + " FROM kind ORDER BY id " + m.one("FOR UPDATE", "LOCK IN SHARE MODE", "FOR UPDATE SKIP LOCKED")
	}},
	{"syntax that Weir has no word for", 0, func(m *maker) string {
		return m.one("SELECT id, name FROM item PROCEDURE "+m.as()+"()", "SELECT ^ FROM item", "SELECT id FROM item WHERE "+m.as()+" ==", "SELECT * FROM item LIMIT -"+m.plain(1, 99), "SELEC "+m.plain(1, 99), "SELECT 'open", "SELECT (1 FROM item")
	}},
}
