package dep

import "testing"

func TestAgrees(t *testing.T) {
	char := func(dataType, columnType, charset string) Type {
		return TypeOf(Described{DataType: dataType, ColumnType: columnType, Charset: charset, Collation: charset + "_bin"})
	}
	enum := char("enum", "enum('a','b')", "utf8mb4")
	tests := []struct {
		name  string
		typ   Type
		field Field
		want  bool
	}{
		{"INT", describe("int", "int"), Field{codeLong, 0}, true},
		{"INT that was a BIGINT", describe("int", "int"), Field{codeLongLong, 0}, false},
		{"TINYINT", describe("tinyint", "tinyint"), Field{codeTiny, 0}, true},
		{"SMALLINT", describe("smallint", "smallint"), Field{codeShort, 0}, true},
		{"MEDIUMINT", describe("mediumint", "mediumint"), Field{codeInt24, 0}, true},
		{"DECIMAL", describe("decimal", "decimal(10,2)"), Field{codeDecimal, 10<<8 | 2}, true},
		{"DECIMAL of another scale", describe("decimal", "decimal(10,2)"), Field{codeDecimal, 10<<8 | 3}, false},
		{"DECIMAL of more digits", describe("decimal", "decimal(10,2)"), Field{codeDecimal, 11<<8 | 2}, false},
		{"VARCHAR", char("varchar", "varchar(20)", "utf8mb4"), Field{codeVarchar, 80}, true},
		{"VARCHAR of another length", char("varchar", "varchar(20)", "utf8mb4"), Field{codeVarchar, 84}, false},
		{"VARCHAR that was latin1", char("varchar", "varchar(20)", "utf8mb4"), Field{codeVarchar, 20}, false},
		{"VARCHAR, compressed", char("varchar", "varchar(20) /*M!100301 COMPRESSED*/", "utf8mb4"), Field{141, 80}, false},
		{"CHAR", char("char", "char(10)", "utf8mb3"), Field{codeString, codeString<<8 | 30}, true},
		{"CHAR of 300 bytes", char("char", "char(100)", "utf8mb3"), Field{codeString, (codeString^0x10)<<8 | 44}, true},
		{"CHAR of 1020 bytes", char("char", "char(255)", "utf8mb4"), Field{codeString, (codeString^0x30)<<8 | 252}, true},
		{"CHAR of 44 bytes", char("char", "char(44)", "latin1"), Field{codeString, (codeString^0x10)<<8 | 44}, false},
		{"CHAR that was an ENUM", char("char", "char(1)", "latin1"), Field{codeString, codeEnum<<8 | 1}, false},
		{"CHAR that was a VARCHAR", char("char", "char(10)", "latin1"), Field{codeVarchar, 10}, false},
		{"BINARY", describe("binary", "binary(16)"), Field{codeString, codeString<<8 | 16}, true},
		{"VARBINARY", describe("varbinary", "varbinary(300)"), Field{codeVarchar, 300}, true},
		{"TINYTEXT", char("tinytext", "tinytext", "utf8mb4"), Field{codeBlob, 1}, true},
		{"TEXT", char("text", "text", "utf8mb4"), Field{codeBlob, 2}, true},
		{"MEDIUMBLOB", describe("mediumblob", "mediumblob"), Field{codeBlob, 3}, true},
		{"LONGTEXT", char("longtext", "longtext", "utf8mb4"), Field{codeBlob, 4}, true},
		{"LONGTEXT that was a TEXT", char("longtext", "longtext", "utf8mb4"), Field{codeBlob, 2}, false},
		{"TEXT that was JSON", char("text", "text", "utf8mb4"), Field{245, 4}, false},
		{"ENUM", enum, Field{codeString, codeEnum<<8 | 1}, true},
		{"ENUM of more members", enum, Field{codeString, codeEnum<<8 | 2}, false},
		{"ENUM that was a SET", enum, Field{codeString, 248<<8 | 1}, false},
		{"DATE", describe("date", "date"), Field{codeDate, 0}, true},
		{"DATE, the other code", describe("date", "date"), Field{codeNewDate, 0}, true},
		{"DATETIME", describe("datetime", "datetime(3)"), Field{codeDateTime2, 3}, true},
		{"DATETIME of other digits", describe("datetime", "datetime(3)"), Field{codeDateTime2, 0}, false},
		{"DATETIME of before MySQL 5.6", describe("datetime", "datetime"), Field{12, 0}, false},
		{"FLOAT, which nobody reads", describe("float", "float"), Field{4, 4}, true},
	}
	for _, tt := range tests {
		if got := tt.typ.Agrees(tt.field); got != tt.want {
			t.Errorf("%s: %v, expected %v", tt.name, got, tt.want)
		}
	}
}

func TestJoins(t *testing.T) {
	latin1 := TypeOf(Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "latin1", Collation: "latin1_bin"})
	char := TypeOf(Described{DataType: "char", ColumnType: "char(10)", Charset: "utf8mb4", Collation: "utf8mb4_bin"})
	enum := TypeOf(Described{DataType: "enum", ColumnType: "enum('a')", Charset: "utf8mb4", Collation: "utf8mb4_bin"})
	old := TypeOf(Described{DataType: "text", ColumnType: "text", Charset: "utf8", Collation: "utf8_bin"})
	renamed := TypeOf(Described{DataType: "text", ColumnType: "text", Charset: "utf8mb3", Collation: "utf8mb3_bin"})
	tests := []struct {
		name string
		a, b Type
		want bool
	}{
		{"INT and BIGINT UNSIGNED", describe("int", "int"), describe("bigint", "bigint unsigned"), true},
		{"INT and DECIMAL", describe("int", "int"), describe("decimal", "decimal(10,0)"), false},
		{"DECIMALs", describe("decimal", "decimal(10,2)"), describe("decimal", "decimal(10,2)"), true},
		{"DECIMALs of other scales", describe("decimal", "decimal(10,2)"), describe("decimal", "decimal(10,3)"), false},
		{"DECIMALs of other sizes", describe("decimal", "decimal(10,2)"), describe("decimal", "decimal(12,2)"), false},
		{"DECIMALs, one without a sign", describe("decimal", "decimal(10,2)"), describe("decimal", "decimal(10,2) unsigned"), false},
		{"VARCHAR and CHAR", textOf("utf8mb4_bin"), char, true},
		{"two collations", textOf("utf8mb4_bin"), textOf("utf8mb4_general_ci"), false},
		{"two character sets", textOf("utf8mb4_bin"), latin1, false},
		{"two names of one", old, renamed, true},
		{"VARBINARY and BLOB", describe("varbinary", "varbinary(10)"), describe("blob", "blob"), true},
		{"BINARY and VARBINARY", describe("binary", "binary(10)"), describe("varbinary", "varbinary(10)"), false},
		{"BINARY and BINARY", describe("binary", "binary(10)"), describe("binary", "binary(16)"), true},
		{"DATE and DATE", describe("date", "date"), describe("date", "date"), true},
		{"DATE and DATETIME", describe("date", "date"), describe("datetime", "datetime"), false},
		{"DATETIMEs", describe("datetime", "datetime(3)"), describe("datetime", "datetime(3)"), true},
		{"DATETIMEs of other digits", describe("datetime", "datetime"), describe("datetime", "datetime(3)"), false},
		{"ENUMs", enum, enum, false},
		{"FLOATs", describe("float", "float"), describe("float", "float"), false},
		{"nothing", Type{}, Type{}, false},
		{"texts that nobody described", Type{Class: Text}, Type{Class: Text}, false},
	}
	for _, tt := range tests {
		if a, b := tt.a.Joins(&tt.b), tt.b.Joins(&tt.a); a != tt.want || b != tt.want {
			t.Errorf("%s: %v and %v, expected %v", tt.name, a, b, tt.want)
		}
	}
}
