package dep

// Codes of types in table map events, enum_field_types of both servers.
const (
	codeTiny      = 1
	codeShort     = 2
	codeLong      = 3
	codeLongLong  = 8
	codeInt24     = 9
	codeDate      = 10
	codeNewDate   = 14
	codeVarchar   = 15
	codeDateTime2 = 18
	codeDecimal   = 246
	codeEnum      = 247
	codeBlob      = 252
	codeString    = 254
)

// agrees compares by class. In the metadata of a string, go-mysql puts the first byte of the event on top.
func (t *Type) agrees(f Field) bool {
	switch t.Class {
	case Opaque:
		return true
	case Whole:
		return f.Code == wholeCode(t.Name)
	case Decimal:
		return f.Code == codeDecimal && int(f.Meta>>8) == t.size && int(f.Meta&0xff) == t.Scale
	case Text, Bytes:
		return t.agreesString(f)
	case Enum:
		return f.Code == codeString && f.Meta>>8 == codeEnum && int(f.Meta&0xff) == t.enumSize()
	case Date:
		return f.Code == codeDate || f.Code == codeNewDate
	case DateTime:
		return f.Code == codeDateTime2 && int(f.Meta) == t.Scale
	}
	return false
}

// agreesString: the event has the length in bytes that the column was declared with.
func (t *Type) agreesString(f Field) bool {
	switch t.Name {
	case "char", "binary":
		n, ok := f.stringSize()
		return ok && n == t.size
	case "varchar", "varbinary":
		return f.Code == codeVarchar && int(f.Meta) == t.size
	}
	return f.Code == codeBlob && f.Meta == blobLength(t.Name)
}

// stringSize reads the size of a CHAR or BINARY in bytes. Where it needs ten bits, the upper two are turned over and hidden
// in the type, whose bits 4 and 5 are otherwise set.
func (f Field) stringSize() (int, bool) {
	kind, low := f.Meta>>8, int(f.Meta&0xff)
	if f.Code != codeString || kind|0x30 != codeString {
		return 0, false
	}
	return low | int(kind&0x30^0x30)<<4, true
}

// blobLength is how many bytes the length of a value has.
func blobLength(name string) uint16 {
	switch name {
	case "tinytext", "tinyblob":
		return 1
	case "text", "blob":
		return 2
	case "mediumtext", "mediumblob":
		return 3
	}
	return 4
}

// enumSize is how many bytes the number of a member has.
func (t *Type) enumSize() int {
	if len(t.Members) < 256 {
		return 1
	}
	return 2
}
