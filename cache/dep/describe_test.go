package dep

import "testing"

// describe is for columns whose character set does not matter.
func describe(dataType, columnType string) Type {
	return TypeOf(Described{DataType: dataType, ColumnType: columnType})
}

// textOf is a VARCHAR(20) of MySQL under a collation of utf8mb4.
func textOf(collation string) Type {
	return TypeOf(Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "utf8mb4", Collation: collation})
}

func TestTypeOf(t *testing.T) {
	tests := []struct {
		dataType, columnType string
		class                Class
		unsigned             bool
		scale                int
	}{
		{"tinyint", "tinyint", Whole, false, 0},
		{"tinyint", "tinyint(1)", Whole, false, 0},
		{"int", "int(11)", Whole, false, 0},
		{"INT", "INT UNSIGNED", Whole, true, 0},
		{"int", "int(5) unsigned zerofill", Whole, true, 0},
		{"int", "int(5) zerofill", Whole, true, 0},
		{"mediumint", "mediumint(8) unsigned", Whole, true, 0},
		{"bigint", "bigint(20)", Whole, false, 0},
		{"decimal", "decimal(10,2)", Decimal, false, 2},
		{"decimal", "decimal(65,30) unsigned", Decimal, true, 30},
		{"decimal", "decimal", Opaque, false, 0},
		{"decimal", "decimal(x,y)", Opaque, false, 0},
		{"binary", "binary(16)", Bytes, false, 0},
		{"varbinary", "varbinary(300)", Bytes, false, 0},
		{"longblob", "longblob", Bytes, false, 0},
		{"date", "date", Date, false, 0},
		{"datetime", "datetime", DateTime, false, 0},
		{"datetime", "datetime(6)", DateTime, false, 6},
		{"time", "time", Opaque, false, 0},
		{"timestamp", "timestamp", Opaque, false, 0},
		{"year", "year", Opaque, false, 0},
		{"json", "json", Opaque, false, 0},
		{"geometry", "geometry", Opaque, false, 0},
		{"vector", "vector(3)", Opaque, false, 0},
		{"uuid", "uuid", Opaque, false, 0},
		{"inet6", "inet6", Opaque, false, 0},
		{"", "", Opaque, false, 0},
		{"varchar", "varchar(20)", Opaque, false, 0}, // no character set
	}
	for _, tt := range tests {
		got := describe(tt.dataType, tt.columnType)
		if got.Class != tt.class || got.Unsigned != tt.unsigned || got.Scale != tt.scale {
			t.Errorf("%s: %+v, expected class %d, unsigned %v, scale %d", tt.columnType, got, tt.class, tt.unsigned, tt.scale)
		}
	}
}

// TestTextOf: which collations are known depends on the character set and on the flavor.
func TestTextOf(t *testing.T) {
	tests := []struct {
		charset, collation string
		mysql, mariaDB     Class
	}{
		{"utf8mb4", "utf8mb4_general_ci", Text, Text},
		{"utf8mb4", "UTF8MB4_BIN", Text, Text},
		{"utf8mb3", "utf8mb3_unicode_ci", Text, Text},
		{"utf8", "utf8_unicode_520_ci", Text, Text},
		{"utf8mb4", "utf8mb4_german2_ci", Text, Text},
		{"latin1", "latin1_swedish_ci", Text, Text},
		{"latin1", "latin1_german2_ci", Opaque, Opaque},
		{"ascii", "ascii_general_ci", Text, Text},
		{"utf8mb4", "utf8mb4_0900_ai_ci", Text, Opaque},
		{"utf8mb4", "utf8mb4_zh_0900_as_cs", Text, Opaque},
		{"utf8mb4", "utf8mb4_0900_bin", Text, Opaque},
		{"utf8mb4", "utf8mb4_nopad_bin", Opaque, Text},
		{"utf8mb4", "utf8mb4_unicode_nopad_ci", Opaque, Text},
		{"utf8mb4", "utf8mb4_uca1400_ai_ci", Opaque, Text},
		{"utf8mb3", "utf8mb3_uca1400_nopad_as_cs", Opaque, Text},
		{"utf8mb4", "utf8mb4_uca1400_swedish_ai_ci", Opaque, Opaque},
		{"utf8mb4", "utf8mb4_thai_520_w2", Opaque, Opaque},
		{"utf8mb4", "latin1_swedish_ci", Opaque, Opaque},
		{"utf8mb3", "utf8mb3_general_mysql500_ci", Opaque, Opaque},
		{"utf16", "utf16_general_ci", Opaque, Opaque},
		{"sjis", "sjis_japanese_ci", Opaque, Opaque},
		{"", "", Opaque, Opaque},
	}
	for _, tt := range tests {
		d := Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: tt.charset, Collation: tt.collation}
		if got := TypeOf(d); got.Class != tt.mysql {
			t.Errorf("%s on MySQL is of class %d, expected %d", tt.collation, got.Class, tt.mysql)
		}
		d.MariaDB = true
		if got := TypeOf(d); got.Class != tt.mariaDB {
			t.Errorf("%s on MariaDB is of class %d, expected %d", tt.collation, got.Class, tt.mariaDB)
		}
	}
}

func TestEnumMembers(t *testing.T) {
	tests := []struct {
		columnType string
		want       []string // nil: it is not understood
	}{
		{"enum('a')", []string{"a"}},
		{"enum('a','b c','')", []string{"a", "b c", ""}},
		{"enum('it''s','''','a,b','(')", []string{"it's", "'", "a,b", "("}},
		{"enum('é','漢')", []string{"é", "漢"}},
		{`enum('a\\b')`, nil},
		{"enum('a','?')", nil}, // perhaps 😀, which is equal to U+FFFD under some collations
		{"enum('a'", nil},
		{"enum('a',)", nil},
		{"enum(a)", nil},
		{"enum()", nil},
		{"enum('a') x", nil},
		{"set('a')", nil},
		{"", nil},
	}
	for _, tt := range tests {
		got := TypeOf(Described{DataType: "enum", ColumnType: tt.columnType, Charset: "utf8mb4", Collation: "utf8mb4_bin"})
		if (got.Class == Enum) != (tt.want != nil) || len(got.Members) != len(tt.want) {
			t.Errorf("%s: %+v, expected %q", tt.columnType, got, tt.want)
			continue
		}
		for i, m := range got.Members {
			if m != tt.want[i] {
				t.Errorf("%s: member %d is %q, expected %q", tt.columnType, i, m, tt.want[i])
			}
		}
	}
}
