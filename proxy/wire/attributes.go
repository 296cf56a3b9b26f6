package wire

// Attribute is one connection attribute, such as program_name.
type Attribute struct {
	Name, Value string
}

// Attributes are a client's connection attributes in the order in which it sent them.
type Attributes []Attribute

// Get returns the value of the first attribute with the name, or an empty string.
func (a Attributes) Get(name string) string {
	for _, attribute := range a {
		if attribute.Name == name {
			return attribute.Value
		}
	}
	return ""
}

// append adds the total length and the attributes.
func (a Attributes) append(dst []byte) []byte {
	var body []byte
	for _, attribute := range a {
		body = AppendLenencString(body, attribute.Name)
		body = AppendLenencString(body, attribute.Value)
	}
	return AppendLenencString(dst, body)
}

// decodeAttributes takes the attributes; a message that ends before them has none.
func decodeAttributes(f *fields) Attributes {
	if len(f.rest) == 0 {
		return nil
	}
	inner := fields{message: f.message, rest: f.lenencBytes("connection attributes")}
	var a Attributes
	for len(inner.rest) > 0 {
		name := inner.lenencString("name of a connection attribute")
		a = append(a, Attribute{name, inner.lenencString("value of a connection attribute")})
	}
	if inner.failed != "" {
		f.fail(inner.failed)
	}
	return a
}
