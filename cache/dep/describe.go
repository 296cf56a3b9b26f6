package dep

import (
	"strconv"
	"strings"
)

// typeOf reads a description class by class.
func typeOf(d Described) Type {
	t := Type{Name: strings.ToLower(d.DataType)}
	switch t.Name {
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		t.Class, t.Unsigned = Whole, isUnsigned(d.ColumnType)
	case "decimal":
		t.describeDecimal(d)
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		t.describeText(d)
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		t.Class, t.size = Bytes, declared(d.ColumnType, 0)
	case "enum":
		t.describeEnum(d)
	case "date":
		t.Class = Date
	case "datetime":
		t.Class, t.Scale = DateTime, max(0, declared(d.ColumnType, 0))
	}
	return t
}

// isUnsigned: both servers print unsigned wherever ZEROFILL implies it.
func isUnsigned(columnType string) bool {
	return hasWord(columnType, "unsigned") || hasWord(columnType, "zerofill")
}

func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if w == word {
			return true
		}
	}
	return false
}

// declared gives the number at a place between the parentheses of decimal(10,2); -1 if there is none.
func declared(columnType string, place int) int {
	_, rest, _ := strings.Cut(columnType, "(")
	inner, _, _ := strings.Cut(rest, ")")
	numbers := strings.Split(inner, ",")
	if place >= len(numbers) {
		return -1
	}
	n, err := strconv.ParseUint(numbers[place], 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}
