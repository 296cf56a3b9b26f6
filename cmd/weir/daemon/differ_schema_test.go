package daemon

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"weir/deployments/sandbox"
)

// class says which expressions a column is good for.
type class uint8

const (
	ofInteger class = iota
	ofUnsigned
	ofDecimal
	ofApproximate
	ofBits
	ofDate
	ofClock // TIME
	ofDatetime
	ofYear
	ofWords
	ofBytestring
	ofEnumeration
	ofDocument
	ofGeometry
	ofOther
)

// differColumn is a column of the table every, and what its rows hold: the extremes first.
type differColumn struct {
	name, definition string
	class            class
	values           []string // as SQL; NULL is in a row of its own
	hidden           bool     // not part of *
	computed         bool     // no values of its own
}

// everyColumns are columns of all types of a flavour.
func everyColumns(flavor sandbox.Flavor) []differColumn {
	all := slices.Concat(numberColumns, timeColumns, textColumns, otherColumns)
	if flavor == sandbox.MySQL {
		return append(all, mysqlColumns...)
	}
	return append(all, mariadbColumns...)
}

var numberColumns = []differColumn{
	{name: "c_tinyint", definition: "TINYINT", class: ofInteger, values: []string{"-128", "127", "0", "-1", "42", "7"}},
	{name: "c_utinyint", definition: "TINYINT UNSIGNED", class: ofUnsigned, values: []string{"0", "255", "1", "128"}},
	{name: "c_bool", definition: "BOOL", class: ofInteger, values: []string{"TRUE", "FALSE"}},
	{name: "c_smallint", definition: "SMALLINT", class: ofInteger, values: []string{"-32768", "32767", "0", "1000"}},
	{name: "c_usmallint", definition: "SMALLINT UNSIGNED", class: ofUnsigned, values: []string{"0", "65535", "32768"}},
	{name: "c_mediumint", definition: "MEDIUMINT", class: ofInteger, values: []string{"-8388608", "8388607", "0", "-5"}},
	{name: "c_umediumint", definition: "MEDIUMINT UNSIGNED", class: ofUnsigned, values: []string{"0", "16777215", "8388608"}},
	{name: "c_int", definition: "INT", class: ofInteger, values: []string{"-2147483648", "2147483647", "0", "12", "-7"}},
	{name: "c_uint", definition: "INT UNSIGNED", class: ofUnsigned, values: []string{"0", "4294967295", "2147483648"}},
	{name: "c_bigint", definition: "BIGINT", class: ofInteger, values: []string{"-9223372036854775808", "9223372036854775807", "0", "5", "-6"}},
	{name: "c_ubigint", definition: "BIGINT UNSIGNED", class: ofUnsigned, values: []string{"0", "18446744073709551615", "9223372036854775808", "3"}},
	{name: "c_zerofill", definition: "INT(8) UNSIGNED ZEROFILL", class: ofUnsigned, values: []string{"0", "4294967295", "17"}},
	{name: "c_decimal", definition: "DECIMAL(65,30)", class: ofDecimal, values: []string{
		"-99999999999999999999999999999999999.999999999999999999999999999999",
		"99999999999999999999999999999999999.999999999999999999999999999999",
		"0.000000000000000000000000000001", "-0.5", "3.14159265358979323846264338327", "2"}},
	{name: "c_money", definition: "DECIMAL(10,2)", class: ofDecimal, values: []string{"-99999999.99", "99999999.99", "0.00", "19.90", "-0.01"}},
	{name: "c_udecimal", definition: "DECIMAL(20,0) UNSIGNED", class: ofDecimal, values: []string{"0", "99999999999999999999", "7"}},
	{name: "c_float", definition: "FLOAT", class: ofApproximate, values: []string{"-3.402823e38", "3.402823e38", "0", "1.175494e-38", "0.1", "-1.5"}},
	{name: "c_double", definition: "DOUBLE", class: ofApproximate, values: []string{"-1.7976931348623157e308", "1.7976931348623157e308", "0", "2.2250738585072014e-308", "0.1", "1e15"}},
	{name: "c_udouble", definition: "DOUBLE UNSIGNED", class: ofApproximate, values: []string{"0", "1e100", "123456.789"}},
	{name: "c_bit1", definition: "BIT(1)", class: ofBits, values: []string{"b'0'", "b'1'"}},
	{name: "c_bit13", definition: "BIT(13)", class: ofBits, values: []string{"b'0'", "b'1111111111111'", "b'10'"}},
	{name: "c_bit64", definition: "BIT(64)", class: ofBits, values: []string{"b'0'", "0xffffffffffffffff", "0x8000000000000000", "b'101'"}},
}

var timeColumns = []differColumn{
	{name: "c_date", definition: "DATE", class: ofDate, values: []string{"'0000-00-00'", "'9999-12-31'", "'1000-01-01'", "'2024-02-29'", "'2024-00-10'", "'1969-12-31'"}},
	{name: "c_time", definition: "TIME", class: ofClock, values: []string{"'-838:59:59'", "'838:59:59'", "'00:00:00'", "'12:34:56'"}},
	{name: "c_time3", definition: "TIME(3)", class: ofClock, values: []string{"'-00:00:00.001'", "'23:59:59.999'", "'01:02:03.004'"}},
	{name: "c_time6", definition: "TIME(6)", class: ofClock, values: []string{"'-838:59:59.000000'", "'838:59:58.999999'", "'00:00:00.000001'"}},
	{name: "c_datetime", definition: "DATETIME", class: ofDatetime, values: []string{"'0000-00-00 00:00:00'", "'9999-12-31 23:59:59'", "'1000-01-01 00:00:00'", "'2024-03-31 02:30:00'"}},
	{name: "c_datetime3", definition: "DATETIME(3)", class: ofDatetime, values: []string{"'0000-00-00 00:00:00'", "'9999-12-31 23:59:59.999'", "'2001-02-03 04:05:06.007'"}},
	{name: "c_datetime6", definition: "DATETIME(6)", class: ofDatetime, values: []string{"'1000-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'", "'2024-10-27 02:30:00.5'"}},
	{name: "c_timestamp", definition: "TIMESTAMP NULL", class: ofDatetime, values: []string{"'1970-01-01 12:00:01'", "'2038-01-18 03:14:07'", "'2024-03-31 12:30:00'"}},
	{name: "c_timestamp6", definition: "TIMESTAMP(6) NULL", class: ofDatetime, values: []string{"'1970-01-01 12:00:01.000001'", "'2038-01-18 03:14:07.999999'", "'2024-10-27 12:30:00.25'"}},
	{name: "c_year", definition: "YEAR", class: ofYear, values: []string{"0", "1901", "2155", "2024", "1970"}},
}

var textColumns = []differColumn{
	{name: "c_char", definition: "CHAR(20)", class: ofWords, values: []string{"''", "'twenty characters ab'", "'trailing   '", "'Äpfel'"}},
	{name: "c_varchar", definition: "VARCHAR(100)", class: ofWords, values: []string{"''", "REPEAT('x', 100)", "'trailing  '", "'it''s'", "'a\\\\b%_'", "'10'", "'1e2abc'"}},
	{name: "c_latin1", definition: "VARCHAR(50) CHARACTER SET latin1", class: ofWords, values: []string{"''", "'Straße'", "'ÿ÷'", "'abc'"}},
	{name: "c_german", definition: "VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_german2_ci", class: ofWords, values: []string{"''", "'Müller'", "'Mueller'", "'MULLER'"}},
	{name: "c_utf8mb3", definition: "VARCHAR(50) CHARACTER SET utf8mb3", class: ofWords, values: []string{"''", "'日本語'", "'é'", "'e'"}},
	{name: "c_emoji", definition: "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", class: ofWords, values: []string{"''", "'🍣🍺'", "'ß'", "'ss'", "'é'"}},
	{name: "c_bin", definition: "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", class: ofWords, values: []string{"''", "'B'", "'a'", "'b'", "'ä'"}},
	{name: "c_ucs2", definition: "VARCHAR(20) CHARACTER SET ucs2", class: ofWords, values: []string{"''", "'Ω'", "'wide'"}},
	{name: "c_utf16", definition: "VARCHAR(20) CHARACTER SET utf16", class: ofWords, values: []string{"''", "'🍣'", "'x'"}},
	{name: "c_gbk", definition: "VARCHAR(20) CHARACTER SET gbk", class: ofWords, values: []string{"''", "'中文'", "'x'"}},
	{name: "c_sjis", definition: "VARCHAR(20) CHARACTER SET sjis", class: ofWords, values: []string{"''", "'表'", "'x'"}},
	{name: "c_koi8r", definition: "VARCHAR(20) CHARACTER SET koi8r", class: ofWords, values: []string{"''", "'Привет'"}},
	{name: "c_ascii", definition: "VARCHAR(20) CHARACTER SET ascii", class: ofWords, values: []string{"''", "'plain'"}},
	{name: "c_tinytext", definition: "TINYTEXT", class: ofWords, values: []string{"''", "REPEAT('y', 255)", "'tiny'"}},
	{name: "c_text", definition: "TEXT", class: ofWords, values: []string{"''", "REPEAT('line\\n', 200)", "'text'"}},
	{name: "c_mediumtext", definition: "MEDIUMTEXT", class: ofWords, values: []string{"''", "REPEAT('ü', 300)", "'medium'"}},
	{name: "c_longtext", definition: "LONGTEXT", class: ofWords, values: []string{"''", "REPEAT('z', 70000)", "'long'"}},
	{name: "c_binary", definition: "BINARY(5)", class: ofBytestring, values: []string{"''", "0xffffffffff", "'ab'"}},
	{name: "c_varbinary", definition: "VARBINARY(50)", class: ofBytestring, values: []string{"''", "0x00fffe0a0d1a275c", "'bytes'"}},
	{name: "c_tinyblob", definition: "TINYBLOB", class: ofBytestring, values: []string{"''", "REPEAT(0xfb, 255)"}},
	{name: "c_blob", definition: "BLOB", class: ofBytestring, values: []string{"''", "REPEAT(0xfe, 251)", "0x00"}},
	{name: "c_mediumblob", definition: "MEDIUMBLOB", class: ofBytestring, values: []string{"''", "REPEAT(0xff, 300)"}},
	{name: "c_longblob", definition: "LONGBLOB", class: ofBytestring, values: []string{"''", "REPEAT(0x00, 66000)"}},
}

var otherColumns = []differColumn{
	{name: "c_enum", definition: "ENUM('', 'small', 'Large', 'größer')", class: ofEnumeration, values: []string{"''", "'größer'", "2", "'large'"}},
	{name: "c_set", definition: "SET('x', 'y', 'z', 'ü')", class: ofEnumeration, values: []string{"''", "'x,y,z,ü'", "5", "'y'"}},
	{name: "c_json", definition: "JSON", class: ofDocument, values: []string{
		`'{}'`, `'[]'`, `'{"a": [1, 2.5, {"b": null}], "ü": "ß", "n": 18446744073709551615}'`, `'"text"'`, `'1e3'`, `'true'`}},
	{name: "c_geometry", definition: "GEOMETRY", class: ofGeometry, values: []string{
		"ST_GeomFromText('POINT(1 2)')", "ST_GeomFromText('POLYGON((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))')",
		"ST_GeomFromText('LINESTRING(0 0, 1.5 -2.5, 1e10 3)')", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 1))')"}},
	{name: "c_point", definition: "POINT", class: ofGeometry, values: []string{"ST_GeomFromText('POINT(0 0)')", "ST_GeomFromText('POINT(-180 90)')"}},
	{name: "c_virtual", definition: "INT GENERATED ALWAYS AS (c_smallint + 1) VIRTUAL", class: ofInteger, computed: true},
	{name: "c_stored", definition: "VARCHAR(200) GENERATED ALWAYS AS (CONCAT(c_varchar, '!')) STORED", class: ofWords, computed: true},
	{name: "c_hidden", definition: "INT INVISIBLE", class: ofInteger, values: []string{"1", "2", "3"}, hidden: true},
}

var mysqlColumns = []differColumn{
	{name: "c_vector", definition: "VECTOR(3)", class: ofOther, values: []string{"STRING_TO_VECTOR('[1,2,3]')", "STRING_TO_VECTOR('[-1.5,0,1e10]')"}},
	{name: "c_newest", definition: "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_as_cs", class: ofWords, values: []string{"''", "'résumé'", "'Resume'"}},
	{name: "c_place", definition: "POINT SRID 4326", class: ofGeometry, values: []string{"ST_GeomFromText('POINT(52.5 13.4)', 4326)"}},
}

var mariadbColumns = []differColumn{
	{name: "c_uuid", definition: "UUID", class: ofOther, values: []string{"'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'123e4567-e89b-12d3-a456-426655440000'"}},
	{name: "c_inet4", definition: "INET4", class: ofOther, values: []string{"'0.0.0.0'", "'255.255.255.255'", "'192.168.0.1'"}},
	{name: "c_inet6", definition: "INET6", class: ofOther, values: []string{"'::'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'", "'2001:db8::ff00:42:8329'"}},
	{name: "c_nopad", definition: "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_nopad_ci", class: ofWords, values: []string{"''", "'résumé'", "'Resume'"}},
}

const everyRows = 14

// differSchema are the statements that make the schema differ: rows of NULLs, of extremes, and of what is between.
func differSchema(flavor sandbox.Flavor, random *rand.Rand) []string {
	all := []string{
		"CREATE DATABASE differ CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE differ", "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET sql_mode = ''",
		everyTable(flavor),
	}
	for id := 1; id <= everyRows; id++ {
		all = append(all, everyRow(flavor, id, random))
	}
	all = append(all, fixedTables...)
	all = append(all, items(random)...)
	all = append(all, wideTable(), "INSERT INTO wide (id, c001, c300) VALUES (1, 1, 300), (2, -1, NULL)")
	if flavor == sandbox.MySQL {
		all = append(all, "CREATE VIEW v_table AS SELECT id, name FROM item WHERE id < 9")
	}
	return append(all, "ANALYZE TABLE every, item, kind, label, tree, odd, wide, doc, letter")
}

func everyTable(flavor sandbox.Flavor) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE every (id INT PRIMARY KEY")
	for _, c := range everyColumns(flavor) {
		b.WriteString(", " + c.name + " " + c.definition)
	}
	return b.String() + ") ENGINE=InnoDB ROW_FORMAT=DYNAMIC"
}

// everyRow is all NULL for 1, holds each column's first, second and third value for 2, 3 and 4, and then any.
func everyRow(flavor sandbox.Flavor, id int, random *rand.Rand) string {
	names, values := []string{"id"}, []string{fmt.Sprint(id)}
	for _, c := range everyColumns(flavor) {
		if c.computed || id == 1 {
			continue
		}
		names = append(names, c.name)
		values = append(values, c.value(id, random))
	}
	return "INSERT INTO every (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

func (c differColumn) value(id int, random *rand.Rand) string {
	if id < 5 {
		return c.values[(id-2)%len(c.values)]
	}
	if random.IntN(6) == 0 {
		return "NULL"
	}
	return c.values[random.IntN(len(c.values))]
}

var fixedTables = []string{
	"CREATE TABLE kind (id INT PRIMARY KEY, title VARCHAR(30) NOT NULL, note VARCHAR(30) DEFAULT 'none', UNIQUE (title))",
	"INSERT INTO kind VALUES (1, 'Bücher', NULL), (2, 'Tea', 'green'), (3, 'Shoes', ''), (4, 'empty', 'no items'), (5, 'zero', '0')",
	"CREATE TABLE item (id INT PRIMARY KEY, kind_id INT, name VARCHAR(30) COLLATE utf8mb4_general_ci, price DECIMAL(10,2), made DATE, weight DOUBLE, stock INT UNSIGNED, KEY (kind_id), KEY (name))",
	"CREATE TABLE label (item_id INT, label VARCHAR(20) COLLATE utf8mb4_bin, at DATETIME(3), PRIMARY KEY (item_id, label))",
	"CREATE TABLE nothing LIKE item",
	"CREATE TABLE tree (id INT PRIMARY KEY, parent INT, name VARCHAR(20))",
	"INSERT INTO tree VALUES (1, NULL, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'aa'), (5, 2, 'ab'), (6, 4, 'aaa'), (7, 3, 'ba'), (8, NULL, 'other root'), (9, 8, 'x')",
	"CREATE TABLE odd (`select` INT PRIMARY KEY, `a b` VARCHAR(10), `ü` VARCHAR(10), `back``tick` INT, `dot.dot` INT, `quo\"te` INT)",
	"INSERT INTO odd VALUES (1, 'x', 'y', 2, 3, 4), (2, NULL, 'ß', -2, NULL, 0)",
	"CREATE TABLE `odd table` (`from` INT PRIMARY KEY, `where` INT)",
	"INSERT INTO `odd table` VALUES (1, 10), (2, NULL)",
	"CREATE TABLE doc (id INT PRIMARY KEY, d JSON)",
	`INSERT INTO doc VALUES (1, '{"name": "Ann", "tags": ["a", "b"], "age": 30}'), (2, '{"name": "Ünal", "tags": [], "age": null}'), (3, '[1, [2, [3]]]'), (4, NULL), (5, '{"nested": {"deep": {"x": 1.50}}, "name": "q\\"uote"}')`,
	"CREATE TABLE letter (id INT PRIMARY KEY, body LONGTEXT)",
	"INSERT INTO letter VALUES (1, REPEAT('a', 250)), (2, REPEAT('b', 251)), (3, REPEAT('c', 65535)), (4, REPEAT('d', 65536)), (5, REPEAT('é', 120000)), (6, '')",
	"CREATE VIEW v_item AS SELECT id, name, price, kind_id FROM item WHERE price IS NOT NULL",
	"CREATE VIEW v_kind (kind, items, total) AS SELECT k.title, COUNT(i.id), SUM(i.price) FROM kind k LEFT JOIN item i ON i.kind_id = k.id GROUP BY k.id, k.title",
	"CREATE VIEW v_nested AS SELECT v.id, v.name, k.title FROM v_item v JOIN kind k ON k.id = v.kind_id",
	"CREATE VIEW v_union AS SELECT id, name FROM item UNION ALL SELECT id, title FROM kind",
	"CREATE VIEW v_every AS SELECT id, c_decimal, c_datetime6, c_enum, c_bit64, c_json, c_latin1 FROM every",
}

// items fills the tables that joins are about.
func items(random *rand.Rand) (all []string) {
	names := []string{"pen", "Pen", "Brush", "größe", "tea ", "tea", "", "100% wool", "it''s", "寿司"}
	for id := 1; id <= 40; id++ {
		all = append(all, fmt.Sprintf("INSERT INTO item VALUES (%d, %s, '%s', %s, %s, %s, %d)", id,
			orNull(random, fmt.Sprint(1+random.IntN(7))), names[random.IntN(len(names))],
			orNull(random, fmt.Sprintf("%d.%02d", random.IntN(200)-20, random.IntN(100))),
			orNull(random, fmt.Sprintf("'20%02d-%02d-%02d'", random.IntN(30), 1+random.IntN(12), 1+random.IntN(28))),
			orNull(random, fmt.Sprint(random.IntN(1000)-300)), random.IntN(50)))
	}
	for _, label := range []string{"new", "New", "sale", "ß"} {
		all = append(all, fmt.Sprintf("INSERT INTO label SELECT id, '%s', TIMESTAMP('2024-01-01 00:00:00.125') + INTERVAL id DAY FROM item WHERE id %% %d = 0", label, 2+random.IntN(4)))
	}
	return all
}

func orNull(random *rand.Rand, v string) string {
	if random.IntN(7) == 0 {
		return "NULL"
	}
	return v
}

func wideTable() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE wide (id INT PRIMARY KEY")
	for i := 1; i <= 300; i++ {
		fmt.Fprintf(&b, ", c%03d SMALLINT", i)
	}
	return b.String() + ")"
}
