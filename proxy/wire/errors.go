package wire

import (
	"errors"
	"fmt"
)

var (
	// ErrMalformed is wrapped by every error about bytes that do not follow the protocol.
	ErrMalformed = errors.New("malformed packet")
	// ErrPacketTooLarge is wrapped by [TooLargeError].
	ErrPacketTooLarge = errors.New("packet too large")
	// ErrOldProtocol says that a client speaks the protocol from before MySQL 4.1, which has other packets.
	ErrOldProtocol = errors.New("client speaks the protocol from before MySQL 4.1")
)

// TooLargeError says that a logical packet passed the limit of its reader. The packet's payload is still unread, so
// the connection cannot be used any further, except to tell the peer.
type TooLargeError struct {
	// Size is what the packet's headers claim so far, in bytes. A logical packet may have been going to be larger.
	Size int
	// Limit is what was allowed, in bytes.
	Limit int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("packet too large: %d bytes or more, allowed are %d", e.Size, e.Limit)
}

// Unwrap makes the error match [ErrPacketTooLarge].
func (e *TooLargeError) Unwrap() error { return ErrPacketTooLarge }

// SequenceError says that a packet has the wrong sequence number: a packet was lost, or the peer does not speak the
// MySQL protocol at all. The connection cannot be used any further.
type SequenceError struct {
	Got, Want uint8
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("packet has sequence number %d instead of %d: "+
		"a packet was lost, or the peer does not speak the MySQL protocol", e.Got, e.Want)
}

// Unwrap makes the error match [ErrMalformed].
func (e *SequenceError) Unwrap() error { return ErrMalformed }

// malformed makes an error that wraps ErrMalformed.
func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}
