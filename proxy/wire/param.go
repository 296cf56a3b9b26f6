package wire

// Param is the value of a parameter as COM_STMT_EXECUTE has it.
type Param struct {
	Type     Type
	Unsigned bool
	// Null says that it is NULL. Ahead says that its value was sent with COM_STMT_SEND_LONG_DATA. Neither has a Value.
	Null, Ahead bool
	// Value is in the form of the protocol page "Binary Protocol Value", without the length in front of a text. It is a
	// part of the message.
	Value []byte
}

// Params takes the values apart. ahead tells of which parameters the values were sent before.
func (m Execute) Params(ahead func(param int) bool) ([]Param, error) {
	f := fields{message: "COM_STMT_EXECUTE", rest: m.Values}
	params := make([]Param, len(m.Types)/2)
	for i := range params {
		p := Param{Type: Type(m.Types[2*i]), Unsigned: m.Types[2*i+1]&0x80 != 0}
		p.Null = p.Type == TypeNull || m.Nulls[i/8]>>(i%8)&1 != 0
		p.Ahead = ahead(i)
		if !p.Null && !p.Ahead {
			p.Value = f.param(p.Type)
		}
		params[i] = p
	}
	return params, f.err()
}

// param takes one value.
func (f *fields) param(t Type) []byte {
	switch t {
	case TypeTiny:
		return f.bytes(1, "value")
	case TypeShort, TypeYear:
		return f.bytes(2, "value")
	case TypeLong, TypeInt24, TypeFloat:
		return f.bytes(4, "value")
	case TypeLongLong, TypeDouble:
		return f.bytes(8, "value")
	case TypeDate, TypeTime, TypeDatetime, TypeTimestamp:
		return f.bytes(int(f.uint8("length of a value")), "value")
	}
	return f.lenencBytes("value")
}
