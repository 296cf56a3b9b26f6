package wire

// Scanner follows a response packet by packet and finds its end. It needs only the start of each physical packet in
// memory at a time, decodes no more than it must, and allocates nothing once its list of offsets has grown.
//
// It understands the classic format only; see the package comment. It is for one goroutine at a time.
type Scanner struct {
	step  step // what the next logical packet is given to
	shape Shape
	open  bool // the last physical packet is continued
	size  int  // bytes of the response so far
	at    int  // offset of the payload of the current packet

	left    int // definitions still to come before an EOF packet
	then    int // definitions still to come after it
	columns int

	kind     Kind
	results  int
	rows     uint64
	status   Status
	warnings uint16
	cursor   bool
	out      bool // the result set has the OUT parameters of a procedure
	offsets  []int
}

// step handles the first physical packet of a logical one and says whether the response ends with it.
type step func(s *Scanner, payload []byte) (done bool, err error)

// Begin starts on a new response. A Scanner must be begun before its first use.
func (s *Scanner) Begin(shape Shape) {
	*s = Scanner{shape: shape, step: firstStep(shape), offsets: s.offsets[:0]}
}

// firstStep returns what to do with the first packet of a response.
func firstStep(shape Shape) step {
	switch shape {
	case ShapeQuery, ShapeExecute:
		return (*Scanner).first
	case ShapePrepare:
		return (*Scanner).prepared
	case ShapeFetch:
		return (*Scanner).row
	case ShapeFieldList:
		return (*Scanner).fieldList
	case ShapeSimple:
		return (*Scanner).simple
	case ShapeText:
		return (*Scanner).text
	}
	return (*Scanner).after
}

// Next takes the next physical packet with its header, and whether it continues the one before: what
// [Reader.ReadRaw] returns. It keeps no part of raw. It is done when the response has ended. An error wraps
// [ErrMalformed] and means that where the response ends is not known any more, so its connection must be closed.
func (s *Scanner) Next(raw []byte, continuation bool) (done bool, err error) {
	if len(raw) < HeaderSize || len(raw) != HeaderSize+payloadSize(raw) {
		return false, malformed("response: %d bytes are not one packet", len(raw))
	}
	if continuation != s.open {
		return false, malformed("response: continuation is %t where %t is due", continuation, s.open)
	}
	s.at = s.size + HeaderSize
	s.size += len(raw)
	s.open = len(raw) == HeaderSize+MaxPayload
	if continuation {
		return false, nil
	}
	s.results = max(s.results, 1)
	return s.step(s, raw[HeaderSize:])
}

// Kind says what the last result of the response is. An error in the middle of a result set makes it KindError.
func (s *Scanner) Kind() Kind { return s.kind }

// Results returns how many results the response has so far, counting the one it is in and one that is announced.
func (s *Scanner) Results() int { return s.results }

// Columns returns the number of columns of the last result set, or of a prepared statement.
func (s *Scanner) Columns() int { return s.columns }

// Rows returns the number of rows of the last result set so far.
func (s *Scanner) Rows() uint64 { return s.rows }

// Status returns the flags of the last OK or EOF packet.
func (s *Scanner) Status() Status { return s.status }

// Warnings returns the number of warnings in the last OK or EOF packet. It stays 0 in an error.
func (s *Scanner) Warnings() uint16 { return s.warnings }

// Cursor says that the last result set left its rows in a cursor.
func (s *Scanner) Cursor() bool { return s.cursor }

// Size returns the length of the response so far, headers included, in bytes.
func (s *Scanner) Size() int { return s.size }

// StatusOffsets returns where in the response the status flags are: each offset is that of two bytes, little-endian,
// counted from the first byte of the first header. The slice is valid until Begin.
func (s *Scanner) StatusOffsets() []int { return s.offsets }

// note takes over the flags of an OK or EOF packet.
func (s *Scanner) note(status Status, warnings uint16, offset int) {
	s.status, s.warnings = status, warnings
	s.offsets = append(s.offsets, s.at+offset)
}

// IsError says whether the first packet of a response, or a server's first packet of all, is an ERR packet.
func IsError(payload []byte) bool { return len(payload) > 0 && payload[0] == HeaderErr }

// isEnd says whether a packet ends rows or definitions. A row that starts with 0xFE has a value of 16 MiB or more,
// so it has nine bytes and more.
func isEnd(payload []byte) bool {
	return len(payload) > 0 && len(payload) < 9 && payload[0] == HeaderEOF
}
