package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"weir/proxy/wire"
)

// sources are ways in which the same bytes may arrive.
var sources = []struct {
	name string
	of   func(io.Reader) io.Reader
}{
	{"at once", func(r io.Reader) io.Reader { return r }},
	{"byte by byte", iotest.OneByteReader},
	{"in halves", iotest.HalfReader},
	{"end together with data", iotest.DataErrReader},
}

func TestReadPacket(t *testing.T) {
	stream := packets(0, wire.Payload("one"), wire.Payload{}, wire.Payload(pattern(70<<10)), wire.Payload("four"))
	want := []string{"one", "", string(pattern(70 << 10)), "four"}
	for _, src := range sources {
		t.Run(src.name, func(t *testing.T) {
			r := wire.NewReader(src.of(bytes.NewReader(stream)))
			for i, w := range want {
				got, err := r.ReadPacket(1 << 20)
				if err != nil || string(got) != w {
					t.Fatalf("packet %d: %d bytes, %v, want %d", i, len(got), err, len(w))
				}
			}
			if _, err := r.ReadPacket(1 << 20); err != io.EOF {
				t.Errorf("after the last packet: %v, want io.EOF", err)
			}
		})
	}
}

// TestReadRaw: the physical packets together are the stream, byte for byte.
func TestReadRaw(t *testing.T) {
	stream := packets(0, wire.Payload("one"), wire.Payload(pattern(wire.MaxPayload+5)), wire.Payload("three"))
	want := []bool{false, false, true, false}
	r := read(stream, 0)
	var got []byte
	for i, w := range want {
		raw, continuation, err := r.ReadRaw()
		if err != nil || continuation != w {
			t.Fatalf("packet %d: continuation %t, %v, want %t", i, continuation, err, w)
		}
		got = append(got, raw...)
	}
	if !bytes.Equal(got, stream) {
		t.Error("the raw packets differ from the stream")
	}
}

func TestReaderErrors(t *testing.T) {
	full := packets(0, wire.Payload(pattern(wire.MaxPayload)))
	tests := []struct {
		name   string
		stream []byte
		want   error
	}{
		{"nothing", nil, io.EOF},
		{"ends inside the header", []byte{1, 0}, io.ErrUnexpectedEOF},
		{"ends inside the payload", []byte{2, 0, 0, 0, 'a'}, io.ErrUnexpectedEOF},
		{"ends before a continuation", full[:wire.HeaderSize+wire.MaxPayload], io.ErrUnexpectedEOF},
		{"wrong number", []byte{1, 0, 0, 1, 'a'}, wire.ErrMalformed},
		{"wrong number in a continuation", append(full[:len(full)-1:len(full)-1], 0), wire.ErrMalformed},
		{"web browser", []byte("GET / HTTP/1.1\r\n"), wire.ErrMalformed},
		{"too large", packets(0, wire.Payload(pattern(1<<24+1))), wire.ErrPacketTooLarge},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, err := read(tc.stream, 0).ReadPacket(1 << 24)
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}

func TestSequenceError(t *testing.T) {
	_, err := read([]byte("GET / HTTP/1.1\r\n"), 1).ReadPacket(10)
	var sequence *wire.SequenceError
	if !errors.As(err, &sequence) || *sequence != (wire.SequenceError{Got: ' ', Want: 1}) {
		t.Errorf("error %v, want number 32 in place of 1", err)
	}
}

// TestTooLarge: the limit is for the logical packet and known from the headers; a packet of just the limit passes.
func TestTooLarge(t *testing.T) {
	tests := []struct {
		name   string
		stream []byte
		limit  int
		size   int // 0 if it passes
	}{
		{"just fits", packets(0, wire.Payload("abc")), 3, 0},
		{"one more, of which only the header has arrived", []byte{4, 0, 0, 0}, 3, 4},
		{"continued packet that just fits", packets(0, wire.Payload(pattern(wire.MaxPayload+2))), wire.MaxPayload + 2, 0},
		{"continued packet", packets(0, wire.Payload(pattern(wire.MaxPayload+3))), wire.MaxPayload + 2, wire.MaxPayload + 3},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, err := read(tc.stream, 0).ReadPacket(tc.limit)
			var tooLarge *wire.TooLargeError
			if !errors.As(err, &tooLarge) {
				tooLarge = new(wire.TooLargeError)
			}
			if tooLarge.Size != tc.size {
				t.Errorf("error %v, want a size of %d", err, tc.size)
			}
		})
	}
}

// interrupted fails each second read, as a connection does whose read deadline passes.
type interrupted struct {
	io.Reader
	reads int
}

var errInterrupted = errors.New("interrupted")

func (i *interrupted) Read(p []byte) (int, error) {
	if i.reads++; i.reads%2 == 1 {
		return 0, errInterrupted
	}
	return i.Reader.Read(p)
}

// TestInterrupted: an error of the source loses nothing.
func TestInterrupted(t *testing.T) {
	stream := packets(0, wire.Payload("one"), wire.Payload("two"))
	r := wire.NewReader(&interrupted{Reader: iotest.OneByteReader(bytes.NewReader(stream))})
	var got []byte
	for len(got) < len(stream) {
		raw, _, err := r.ReadRaw()
		if err != nil && err != errInterrupted {
			t.Fatal(err)
		}
		got = append(got, raw...)
	}
	if !bytes.Equal(got, stream) {
		t.Errorf("read %q, want %q", got, stream)
	}
}

// TestPitfall42Wait: the way to notice a client that hangs up while its query runs must not eat what it sends.
func TestPitfall42Wait(t *testing.T) {
	stream := packets(0, wire.Payload("one"))
	r := wire.NewReader(&interrupted{Reader: bytes.NewReader(stream)})
	if err := r.Wait(); err != errInterrupted {
		t.Errorf("while nothing arrives: %v, want the source's error", err)
	}
	for range 2 {
		if err := r.Wait(); err != nil {
			t.Errorf("with a packet: %v", err)
		}
	}
	if got, err := r.ReadPacket(10); string(got) != "one" || err != nil {
		t.Errorf("packet %q, %v, want one", got, err)
	}
	if err := wire.NewReader(strings.NewReader("")).Wait(); err != io.EOF {
		t.Errorf("after the end: %v, want io.EOF", err)
	}
}

// TestBuffered: raw packets stay valid side by side while the next one is buffered.
func TestBuffered(t *testing.T) {
	stream := packets(0, wire.Payload("one"), wire.Payload{}, wire.Payload("three"))
	r := read(append(stream, 3, 0), 0)
	if r.Buffered() {
		t.Error("a packet is buffered before the first read")
	}
	raws := make([][]byte, 0, 3)
	for len(raws) == 0 || r.Buffered() {
		raw, _, err := r.ReadRaw()
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, raw)
	}
	if got := bytes.Join(raws, nil); !bytes.Equal(got, stream) {
		t.Errorf("%d packets, %q, want %q", len(raws), got, stream)
	}
}

// TestSequenceForAnswer: after a packet that cannot be read, the peer can still be told so.
func TestSequenceForAnswer(t *testing.T) {
	for _, stream := range []string{"GET / HTTP/1.1\r\n", "\xff\xff\xff\x05"} {
		r := read([]byte(stream), 5)
		if _, err := r.ReadPacket(100); err == nil {
			t.Errorf("no error for %q", stream)
		}
		if got, want := r.Sequence(), stream[3]+1; got != want {
			t.Errorf("number for an answer to %q is %d, want %d", stream, got, want)
		}
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestNoProgress(t *testing.T) {
	if err := wire.NewReader(stuck{}).Wait(); err != io.ErrNoProgress {
		t.Errorf("error %v, want io.ErrNoProgress", err)
	}
}

func TestSequence(t *testing.T) {
	r := read(packets(254, wire.Payload("a"), wire.Payload("b")), 254)
	for range 2 {
		if _, err := r.ReadPacket(1); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Sequence(); got != 0 {
		t.Errorf("number after 255 is %d, want 0", got)
	}
}
