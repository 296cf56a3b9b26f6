package dep

// Class says how a server compares the values of a column with a constant, as far as Weir knows it exactly.
type Class uint8

// Classes of types.
const (
	// Opaque values are not compared by Weir: FLOAT, DOUBLE, TIME, TIMESTAMP, YEAR, BIT, SET, JSON, geometry, and whatever
	// is not known. There are no row tags for them.
	Opaque Class = iota
	// Whole is for TINYINT, SMALLINT, MEDIUMINT, INT and BIGINT, signed or not.
	Whole
	// Decimal is for DECIMAL and NUMERIC.
	Decimal
	// Text is for CHAR, VARCHAR and the TEXT types, under a collation that is known.
	Text
	// Bytes is for BINARY, VARBINARY and the BLOB types.
	Bytes
	// Enum is for ENUM, whose values compare with texts by their names.
	Enum
	// Date is for DATE.
	Date
	// DateTime is for DATETIME with any number of fractional digits.
	DateTime
)

// Type is what must be known of a column's type to tell which of its values are equal. It does not change once made.
type Type struct {
	Class Class
	// Name is DATA_TYPE of information_schema.COLUMNS in lower case: int, varchar.
	Name string
	// Unsigned is for numbers.
	Unsigned bool
	// Scale is the number of digits behind the point, of DECIMAL and DATETIME.
	Scale int
	// Collation is its name, for Text and Enum.
	Collation string
	// Members are the names of an ENUM's values, the first of which is stored as 1.
	Members []string

	// size is the largest number of bytes of CHAR, VARCHAR, BINARY and VARBINARY, and the number of digits of DECIMAL; -1
	// if it is not declared.
	size int
	// text is how Text and Enum compare.
	text *collation
	// names are the encodings of an ENUM's values, that of the error value '' first.
	names [][]byte
}

// Described is what information_schema.COLUMNS says of a column's type, and which flavor says it.
type Described struct {
	DataType, ColumnType string
	Charset, Collation   string
	MariaDB              bool
}

// TypeOf reads a description. What it does not know is Opaque.
func TypeOf(d Described) Type {
	return typeOf(d)
}

// Field is the type of a column as a table map event gives it: the code of the protocol (enum_field_types), and the
// metadata that belongs to it.
type Field struct {
	Code byte
	Meta uint16
}
