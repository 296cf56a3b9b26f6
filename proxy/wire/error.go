package wire

import (
	"encoding/binary"
	"fmt"
)

// Error is what a server answers in place of a result. Protocol page "ERR_Packet". It is a Go error, too.
type Error struct {
	Code Code
	// State is the SQLSTATE, five bytes. Empty means that of the code; decoded, that the packet had none, as
	// before the handshake.
	State   string
	Message string
}

// Errorf makes an error with the SQLSTATE that goes with the code.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, State: code.State(), Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	if e.State == "" {
		return fmt.Sprintf("server error %d: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("server error %d (%s): %s", e.Code, e.State, e.Message)
}

// Append implements [Message].
func (e *Error) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, HeaderErr), uint16(e.Code))
	dst = append(append(dst, '#'), e.state()...)
	return append(dst, e.Message...)
}

// AppendBare adds the form without SQLSTATE. It is for what is sent in place of the server's handshake, when clients
// do not look for one yet and would take it for a part of the message.
func (e *Error) AppendBare(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, HeaderErr), uint16(e.Code))
	return append(dst, e.Message...)
}

// state returns five bytes in any case.
func (e *Error) state() string {
	if len(e.State) == stateSize {
		return e.State
	}
	return e.Code.State()
}

// DecodeError decodes an ERR packet with or without SQLSTATE.
func DecodeError(payload []byte) (*Error, error) {
	f := fields{message: "ERR packet", rest: payload}
	if h := f.uint8("header"); h != HeaderErr {
		return nil, malformed("decode ERR packet: its first byte is 0x%02x", h)
	}
	e := &Error{Code: Code(f.uint16("error number"))}
	if len(f.rest) > stateSize && f.rest[0] == '#' {
		e.State = string(f.bytes(1+stateSize, "SQLSTATE")[1:])
	}
	e.Message = string(f.remaining())
	return e, f.err()
}
