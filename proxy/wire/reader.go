package wire

import (
	"errors"
	"fmt"
	"io"
)

const (
	// minBuffer is where a Reader starts, so that thousands of idle clients cost little.
	minBuffer = 4 << 10
	// steadyBuffer is how far a buffer grows for the sake of fewer reads, and what it shrinks to. Beyond it, a
	// buffer grows only for a packet that does not fit, and only as the packet's bytes arrive.
	steadyBuffer = 64 << 10
)

// Reader cuts a byte stream into packets. It reads ahead, so nobody else may read from its source. It is for one
// goroutine at a time.
//
// An error from the source leaves what has arrived in place: after a timeout, [Reader.ReadRaw] and [Reader.Wait] go
// on where they were. [Reader.ReadPacket] does so too, unless it was in the middle of a continued packet.
type Reader struct {
	src  io.Reader
	buf  []byte // buf[r:w] has arrived and is not handed out yet
	r, w int
	full bool // the last read filled all the room there was

	seq    uint8  // of the next packet
	more   bool   // the next packet continues the last one
	joined []byte // a logical packet of several physical ones
}

// NewReader returns a Reader that expects sequence number 0.
func NewReader(src io.Reader) *Reader { return &Reader{src: src} }

// Sequence returns the sequence number that the next packet has to have. When the two sides take turns, as during the
// connection phase, it is also the number for the next packet to write; so it is after a [SequenceError] or a
// [TooLargeError], for telling the peer.
func (r *Reader) Sequence() uint8 { return r.seq }

// Expect sets the sequence number that the next packet has to have. Call it when an exchange starts (0 for a
// command, 1 for the response to one), and after writing a packet in the middle of one. It gives back the memory
// that a large packet needed, so call it before waiting for long. Slices handed out before are no longer valid.
func (r *Reader) Expect(seq uint8) {
	r.seq = seq
	r.joined = shrink(r.joined)
	if r.r == r.w {
		r.r, r.w = 0, 0
		r.buf = shrink(r.buf)
	}
}

// shrink drops a buffer that is larger than what is worth keeping.
func shrink(b []byte) []byte {
	if cap(b) > steadyBuffer {
		return nil
	}
	return b
}

// Wait blocks until the first byte of a further packet has arrived. With a read deadline in the past it serves to
// ask whether the peer has sent something or hung up, and loses nothing. At the end of the stream it returns io.EOF.
func (r *Reader) Wait() error { return r.need(1) }

// Buffered says whether a whole physical packet has arrived already, so that reading it does not block.
func (r *Reader) Buffered() bool {
	n := r.w - r.r
	return n >= HeaderSize && n >= HeaderSize+payloadSize(r.buf[r.r:])
}

// ReadRaw returns the next physical packet with its header, and whether it continues the one before. The slice is
// valid until a call that has to read from the source, so as long as [Reader.Buffered] is true before each call,
// several stay valid side by side, and Expect is not called.
//
// It returns io.EOF at the end of the stream, io.ErrUnexpectedEOF when the stream ends inside a logical packet, a
// [SequenceError], or what the source returned.
func (r *Reader) ReadRaw() (raw []byte, continuation bool, err error) {
	continuation = r.more
	raw, err = r.physical(0, MaxPayload)
	return raw, continuation, err
}

// ReadPacket returns the payload of the next logical packet. It is valid until the next call of any method but
// Sequence and Buffered. When the packet has more than limit bytes, it returns a [TooLargeError], as soon as a
// header says so; the other errors are those of ReadRaw. After an error in the middle of a continued packet it only
// returns errors: what is left of the packet must not be taken for one.
func (r *Reader) ReadPacket(limit int) ([]byte, error) {
	if r.more {
		return nil, errContinued
	}
	raw, err := r.physical(0, limit)
	if err != nil {
		return nil, err
	}
	if !r.more {
		return raw[HeaderSize:], nil
	}
	return r.join(raw[HeaderSize:], limit)
}

var errContinued = errors.New("the rest of a packet, whose beginning was given up, cannot be read as one")

// join reads the rest of a logical packet whose first part is given.
func (r *Reader) join(first []byte, limit int) ([]byte, error) {
	r.joined = append(r.joined[:0], first...)
	for r.more {
		raw, err := r.physical(len(r.joined), limit)
		if err != nil {
			return nil, err
		}
		r.joined = append(r.joined, raw[HeaderSize:]...)
	}
	return r.joined, nil
}

// physical reads one packet, of a logical one of which have bytes came before.
func (r *Reader) physical(have, limit int) ([]byte, error) {
	if err := r.need(HeaderSize); err != nil {
		return nil, err
	}
	size := payloadSize(r.buf[r.r:])
	if err := r.check(have+size, limit); err != nil {
		return nil, err
	}
	if err := r.need(HeaderSize + size); err != nil {
		return nil, err
	}
	end := r.r + HeaderSize + size
	raw := r.buf[r.r:end:end]
	r.r, r.seq, r.more = end, r.seq+1, size == MaxPayload
	return raw, nil
}

// check looks at the header that comes next. If that is the last one to be read here, it leaves the sequence number
// that the peer expects in an answer.
func (r *Reader) check(size, limit int) error {
	got, want := r.buf[r.r+3], r.seq
	switch {
	case got != want:
		r.seq = got + 1
		return &SequenceError{Got: got, Want: want}
	case size > limit:
		r.seq = got + 1
		return &TooLargeError{Size: size, Limit: limit}
	}
	return nil
}

// need reads until n bytes are there.
func (r *Reader) need(n int) error {
	for r.w-r.r < n {
		if err := r.fill(n); err != nil {
			return r.inside(err)
		}
	}
	return nil
}

// inside turns the end of the stream into an error unless it is between two logical packets.
func (r *Reader) inside(err error) error {
	if !errors.Is(err, io.EOF) || r.r == r.w && !r.more {
		return err
	}
	return fmt.Errorf("connection ended inside a packet: %w", io.ErrUnexpectedEOF)
}

// fill reads once, for a packet that needs n bytes in all. Reads that return neither data nor an error are allowed to
// sources, if discouraged, so a few of them do not count.
func (r *Reader) fill(n int) error {
	r.makeRoom(n)
	for range 100 {
		got, err := r.src.Read(r.buf[r.w:])
		r.w += got
		r.full = r.w == len(r.buf)
		if got > 0 {
			return nil // an error comes again with the next read
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// makeRoom sees to it that at least one byte can be read.
func (r *Reader) makeRoom(n int) {
	switch {
	case r.buf == nil:
		r.resize(minBuffer)
	case r.full && len(r.buf) < steadyBuffer:
		r.resize(2 * len(r.buf))
	case r.r > 0 && (r.r == r.w || len(r.buf)-r.r < n): // once for a packet, however many reads it takes
		r.w = copy(r.buf, r.buf[r.r:r.w])
		r.r = 0
	}
	if r.w == len(r.buf) {
		r.resize(min(2*len(r.buf), n+minBuffer))
	}
}

// resize moves what is unread to the start of a new buffer.
func (r *Reader) resize(size int) {
	buf := make([]byte, size)
	r.w = copy(buf, r.buf[r.r:r.w])
	r.r, r.buf = 0, buf
}
