package wire

import "slices"

const (
	// HeaderSize is the length of a physical packet's header in bytes: three of payload length, one of sequence.
	HeaderSize = 4
	// MaxPayload is the largest payload of one physical packet, 16 MiB - 1. A payload of this length is continued
	// in the next physical packet, which is empty if nothing is left.
	MaxPayload = 1<<24 - 1
)

// Message is something that can be the payload of a logical packet.
type Message interface {
	// Append adds the payload to dst, without a header, and returns the extended slice. It must leave what dst
	// already holds alone.
	Append(dst []byte) []byte
}

// Payload is a message that is encoded already.
type Payload []byte

// Append implements [Message].
func (p Payload) Append(dst []byte) []byte { return append(dst, p...) }

// AppendPacket adds the message to dst as a logical packet whose first sequence number is seq. It returns the
// extended slice and the sequence number after the last one used. A message of MaxPayload bytes or more becomes
// several physical packets.
func AppendPacket(dst []byte, seq uint8, m Message) ([]byte, uint8) {
	start := len(dst)
	dst = m.Append(append(dst, 0, 0, 0, 0))
	for {
		size := min(len(dst)-start-HeaderSize, MaxPayload)
		putHeader(dst[start:], size, seq)
		seq++
		if size < MaxPayload {
			return dst, seq
		}
		start += HeaderSize + size
		dst = slices.Insert(dst, start, 0, 0, 0, 0)
	}
}

// Split cuts the first physical packet, header included, off b, which holds whole packets as a [Reader] hands them
// out. Both results are parts of b.
func Split(b []byte) (raw, rest []byte, err error) {
	if len(b) < HeaderSize {
		return nil, b, malformed("%d bytes cannot hold a packet header", len(b))
	}
	end := HeaderSize + payloadSize(b)
	if len(b) < end {
		return nil, b, malformed("packet of %d bytes ends after %d", end, len(b))
	}
	return b[:end:end], b[end:], nil
}

func putHeader(b []byte, size int, seq uint8) {
	b[0], b[1], b[2], b[3] = byte(size), byte(size>>8), byte(size>>16), seq
}

// payloadSize reads the payload length of a header.
func payloadSize(header []byte) int {
	return int(header[0]) | int(header[1])<<8 | int(header[2])<<16
}
