package wire

// Type is the type of a column or of a parameter.
type Type uint8

// Types, as in the protocol page "enum_field_types".
const (
	TypeDecimal    Type = 0x00
	TypeTiny       Type = 0x01
	TypeShort      Type = 0x02
	TypeLong       Type = 0x03
	TypeFloat      Type = 0x04
	TypeDouble     Type = 0x05
	TypeNull       Type = 0x06
	TypeTimestamp  Type = 0x07
	TypeLongLong   Type = 0x08
	TypeInt24      Type = 0x09
	TypeDate       Type = 0x0A
	TypeTime       Type = 0x0B
	TypeDatetime   Type = 0x0C
	TypeYear       Type = 0x0D
	TypeVarchar    Type = 0x0F
	TypeBit        Type = 0x10
	TypeVector     Type = 0xF2 // MySQL 9
	TypeJSON       Type = 0xF5
	TypeNewDecimal Type = 0xF6
	TypeEnum       Type = 0xF7
	TypeSet        Type = 0xF8
	TypeTinyBlob   Type = 0xF9
	TypeMediumBlob Type = 0xFA
	TypeLongBlob   Type = 0xFB
	TypeBlob       Type = 0xFC
	TypeVarString  Type = 0xFD
	TypeString     Type = 0xFE
	TypeGeometry   Type = 0xFF
)

// ColumnFlag is the set of flags in a column definition.
type ColumnFlag uint16

// The column flags that a proxy needs for results of its own.
const (
	ColumnNotNull  ColumnFlag = 0x0001
	ColumnUnsigned ColumnFlag = 0x0020
	ColumnBinary   ColumnFlag = 0x0080
)
