package daemon

import (
	"slices"
	"strings"

	"weir/deployments/sandbox"
)

// bruteKind is a type of column with a small domain: values that a table holds, many of them equal under the type, and
// what statements compare the column with, in all kinds of spelling.
type bruteKind struct {
	sql    string
	values []string
	asked  []string
	// exact says that values which are equal look the same: DISTINCT and MIN have one answer, whatever the plan.
	exact bool
	// whole is for integers.
	whole bool
	// prefix is for what a key can hold only the beginning of; bare for what it cannot hold at all.
	prefix, bare bool
}

// text is for texts, whose collation says which are equal.
func (k bruteKind) text() bool {
	return strings.Contains(k.sql, "CHAR") && !strings.HasPrefix(k.sql, "ENUM") || strings.Contains(k.sql, "TEXT")
}

// small integers lie on both sides of the bounds of buckets.
var smallIntegers = []string{"0", "1", "2", "3", "4", "5", "7", "63", "64", "65"}

// integersAsked has no '5.4': MariaDB finds it equal to 5 if it looks into an index, and to nothing if it does not.
var integersAsked = []string{
	"5", "'5'", "5.0", "5e0", "' 5'", "'05'", "0x05", "TRUE", "FALSE", "'5abc'", "2.5", "-1", "-0", "b'101'", "4 + 1",
	"18446744073709551615", "16777215", "'-1'", "4294967295", "99999999999999999999", "''", "'1e0'", "NULL", "DATE '2024-02-29'",
	"'5 '", "'+5'", "'0x5'", "'.5e1'", "'5.'", "4.9999999999999999999", "'9223372036854775807'", "9.223372036854775807e18", "9223372036854775806", "'18446744073709551615'",
}

func integers(sql string, edges ...string) bruteKind {
	return bruteKind{sql: sql, values: slices.Concat(smallIntegers, edges), asked: slices.Concat(integersAsked, edges), exact: true, whole: true}
}

func bruteNumbers() []bruteKind {
	return []bruteKind{
		integers("TINYINT", "-1", "127", "-128"), integers("TINYINT UNSIGNED", "255", "128"),
		integers("SMALLINT", "-1", "-32768"), integers("SMALLINT UNSIGNED", "65535"),
		integers("MEDIUMINT", "-1", "-8388608", "8388607"), integers("MEDIUMINT UNSIGNED", "16777215"),
		integers("INT", "-1", "-64", "4095", "4096", "2147483647"), integers("INT UNSIGNED", "4294967295", "4096"),
		integers("BIGINT", "-1", "-9223372036854775808", "9223372036854775806", "9223372036854775807"),
		integers("BIGINT UNSIGNED", "18446744073709551615", "9223372036854775808"),
		{sql: "DECIMAL(6,2)", values: []string{"0", "1.10", "1.1", "-1.10", "2", "2.5", "5"}, exact: true,
			asked: []string{"1.1", "'1.10'", "1.10e0", "11e-1", "1.100", "1.105", "-1.1", "5", "'5'", "5.00", "0", "-0.0", "2.5", "NULL"}},
		{sql: "DECIMAL(20,0) UNSIGNED", values: []string{"0", "5", "18446744073709551615", "99999999999999999999"}, exact: true,
			asked: []string{"5", "'5'", "5.0", "18446744073709551615", "99999999999999999999", "'99999999999999999999'", "-1"}},
		{sql: "FLOAT", values: []string{"0", "-0.0", "0.1", "1.5", "5", "16777217"}, asked: []string{"0.1", "'0.1'", "1.5", "5", "0", "-0e0", "16777216", "16777217"}},
		{sql: "DOUBLE", values: []string{"0", "-0e0", "0.1", "1.5", "5", "9007199254740993"}, asked: []string{"0.1", "'0.1'", "1.5", "'5'", "5", "0", "9007199254740992"}},
		{sql: "BIT(3)", values: []string{"b'0'", "b'1'", "b'101'", "7"}, exact: true, asked: []string{"b'101'", "5", "'5'", "0x05", "1", "7"}},
		{sql: "BIT(10)", values: []string{"b'0'", "b'1'", "5", "1000"}, exact: true, asked: []string{"b'101'", "5", "1000", "0x05", "5.0"}},
		{sql: "YEAR", values: []string{"0", "1970", "2024", "2155"}, exact: true, asked: []string{"2024", "24", "'2024'", "'24'", "'0'", "0", "70", "2024.0"}},
	}
}

var words = []string{
	"'a'", "'A'", "'á'", "'a '", "'a  '", "'ß'", "'ss'", "'SS'", "''", "' '", "'b'", "'e'", "'é'", "'5'", "'05'", "'1e0'", "'ab'", "'a\\t'",
}

var wordsAsked = slices.Concat(words, []string{
	"5", "0", "5.0", "0x61", "x'41'", "_latin1'a'", "_utf8mb4'a'", "_binary'a'", "N'a'", "'a' 'b'", "1", "_latin1 0xe9", "NULL", "BINARY 'a'", "'😀'", "'日'", "'Ａ'",
})

func wordy(sql string, more ...string) bruteKind {
	return bruteKind{sql: sql, values: slices.Concat(words, more), asked: slices.Concat(wordsAsked, more), prefix: strings.Contains(sql, "TEXT")}
}

func bruteTexts(flavor sandbox.Flavor) []bruteKind {
	utf8 := func(column, collation string) bruteKind {
		k := wordy(column+" CHARACTER SET utf8mb4 COLLATE "+collation, "'😀'", "'日'", "'Ａ'")
		k.asked = append(k.asked, "'a' COLLATE utf8mb4_bin", "'A' COLLATE utf8mb4_general_ci")
		return k
	}
	all := []bruteKind{
		wordy("VARCHAR(10)"), wordy("CHAR(5)"),
		utf8("VARCHAR(10)", "utf8mb4_general_ci"), utf8("CHAR(6)", "utf8mb4_general_ci"), utf8("TEXT", "utf8mb4_general_ci"),
		utf8("VARCHAR(10)", "utf8mb4_unicode_ci"), utf8("TINYTEXT", "utf8mb4_unicode_520_ci"), utf8("VARCHAR(10)", "utf8mb4_bin"),
		utf8("CHAR(5)", "utf8mb4_bin"), utf8("VARCHAR(300)", "utf8mb4_german2_ci"),
		wordy("VARCHAR(10) CHARACTER SET latin1"), wordy("CHAR(8) CHARACTER SET latin1 COLLATE latin1_german2_ci"),
		wordy("VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_bin"), wordy("VARCHAR(10) CHARACTER SET ascii"),
		wordy("VARCHAR(10) CHARACTER SET utf8mb3"), wordy("VARCHAR(10) CHARACTER SET ucs2"), wordy("VARCHAR(10) CHARACTER SET cp1251"),
	}
	if flavor == sandbox.MySQL {
		return append(all, utf8("VARCHAR(10)", "utf8mb4_0900_ai_ci"), utf8("CHAR(5)", "utf8mb4_0900_ai_ci"), utf8("VARCHAR(10)", "utf8mb4_0900_as_cs"),
			utf8("TEXT", "utf8mb4_0900_as_ci"), utf8("VARCHAR(10)", "utf8mb4_0900_bin"))
	}
	return append(all, utf8("VARCHAR(10)", "utf8mb4_nopad_bin"), utf8("VARCHAR(10)", "utf8mb4_general_nopad_ci"),
		utf8("VARCHAR(10)", "utf8mb4_unicode_520_nopad_ci"), utf8("VARCHAR(10)", "utf8mb4_uca1400_ai_ci"))
}

func bruteBytes() []bruteKind {
	values := []string{"'a'", "'A'", "'a '", "''", "'ab'", "0x6100", "0x610000", "0x00", "0xff", "NULL"}
	asked := slices.Concat(values, []string{"0x61", "x'61'", "_latin1'a'", "_utf8mb4'a'", "5", "'5'"})
	return []bruteKind{
		{sql: "BINARY(3)", values: values, asked: asked, exact: true}, {sql: "VARBINARY(5)", values: values, asked: asked, exact: true},
		{sql: "BLOB", values: values, asked: asked, exact: true, prefix: true},
	}
}

func bruteTimes() []bruteKind {
	days := []string{"'2024-02-29'", "'2024-03-01'", "'1970-01-01'", "'0000-00-00'", "'2024-04-30'"}
	daysAsked := slices.Concat(days, []string{
		"20240229", "'24-2-29'", "'2024-02-29 00:00:00'", "'2024-02-29 10:00:00'", "DATE '2024-02-29'", "'2024.2.29'", "{d '2024-02-29'}", "'20240229'", "0",
		"TIMESTAMP '2024-03-01 00:00:00'", "'2024-02-30'", "' 2024-02-29'",
	})
	moments := []string{
		"'2024-02-29 00:00:00'", "'2024-02-29 00:00:00.5'", "'2024-02-29 10:00:00'", "'2024-02-29 10:00:00.4'", "'2024-02-29 23:59:59.999999'",
		"'2024-03-01 00:00:00'", "'1970-01-02 12:00:00'",
	}
	momentsAsked := slices.Concat(moments, []string{
		"'2024-02-29'", "20240229", "20240229100000", "TIMESTAMP '2024-02-29 10:00:00'", "'2024-02-29T10:00:00'", "DATE '2024-02-29'", "'2024-2-29 10:0:0'",
		"20240229000000.5", "'2024-02-29 10:00:00.000000'", "'20240229100000'", "'2024-02-29 10:00:00.40'", "'2024-02-29 00:00:00.5000001'", "'2024-02-29 00:00:00.4999999'",
	})
	clocks := []string{"'00:00:00'", "'10:00:00'", "'-10:00:00'", "'10:00:00.5'", "'34:00:00'"}
	clocksAsked := slices.Concat(clocks, []string{"100000", "'10:00'", "TIME '10:00:00'", "'1 10:00:00'", "'100000'"})
	var all []bruteKind
	for _, k := range []struct {
		sql           string
		values, asked []string
	}{
		{"DATE", days, daysAsked},
		{"DATETIME", moments, momentsAsked}, {"DATETIME(3)", moments, momentsAsked}, {"DATETIME(6)", moments, momentsAsked},
		{"TIMESTAMP NULL", moments, momentsAsked}, {"TIMESTAMP(6) NULL", moments, momentsAsked},
		{"TIME", clocks, clocksAsked}, {"TIME(3)", clocks, clocksAsked},
	} {
		all = append(all, bruteKind{sql: k.sql, values: k.values, asked: k.asked, exact: true})
	}
	return all
}

// enumeration has its members in the order in which a table begins; a step may order them anew.
const (
	enumeration   = "ENUM('a','b','A2','2','')"
	reenumeration = "ENUM('b','','a','A2','2','new')"
)

func bruteOthers() []bruteKind {
	return []bruteKind{
		{sql: enumeration, values: []string{"'a'", "'b'", "'2'", "1", "2", "''"}, asked: []string{"'a'", "'A'", "1", "2", "'2'", "'b '", "''", "0", "'zz'", "0x61", "5"}},
		{sql: "ENUM('x','y','ß') CHARACTER SET latin1", values: []string{"'x'", "'y'", "'ß'"}, asked: []string{"'x'", "'X'", "1", "'ß'", "'ss'", "2.0"}},
		{sql: "SET('x','y','z')", values: []string{"'x'", "'x,y'", "'z'", "''", "5"}, asked: []string{"'x'", "'y,x'", "'x,y'", "3", "'X'", "''", "5", "'z'"}},
		{sql: "JSON", values: []string{`'{"a": 1}'`, `'[1, 2]'`, `'"a"'`, "'1'", "'null'"}, asked: []string{`'{"a": 1}'`, "'1'", "1", `'"a"'`, "'a'"}, bare: true},
	}
}

func bruteKinds(flavor sandbox.Flavor) []bruteKind {
	return slices.Concat(bruteNumbers(), bruteTexts(flavor), bruteBytes(), bruteTimes(), bruteOthers())
}
