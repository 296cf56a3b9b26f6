package dep

// LiteralKind is what a constant is to the server.
type LiteralKind uint8

// Kinds of literals.
const (
	// OtherLiteral is a constant that gives no tags: a floating-point number, a date of the binary protocol.
	OtherLiteral LiteralKind = iota
	// NullLiteral is NULL.
	NullLiteral
	// WholeLiteral is an integer.
	WholeLiteral
	// DecimalLiteral is a number with a point and without an exponent.
	DecimalLiteral
	// TextLiteral is a text in quotes, or a parameter of a text type.
	TextLiteral
	// BytesLiteral is x'1f', 0x1f, or a parameter of a binary type.
	BytesLiteral
)

// Literal is a constant of a statement, or the value of a parameter.
type Literal struct {
	Kind LiteralKind
	// Magnitude and Negative are an integer's value.
	Magnitude uint64
	Negative  bool
	// Text is that of a decimal number, with its sign, the characters of a text without quotes and escapes, or bytes.
	Text string
	// UTF8 says that a text reaches the server's comparison as the UTF-8 that it is: the client and the connection both use
	// utf8mb4 or utf8mb3. Without it a text of ASCII still has these characters, but perhaps not these bytes.
	UTF8 bool
}
