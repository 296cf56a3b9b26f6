package wire_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"weir/proxy/wire"
)

// fuzz checks a decoder: it returns a known error or a message, and a message that it accepted comes through
// appending and decoding unchanged.
func fuzz(f *testing.F, message string) {
	for _, c := range codecs {
		if c.message != message {
			continue
		}
		for _, tc := range c.cases {
			f.Add(unhex(f, tc.payload))
		}
		f.Fuzz(func(t *testing.T, payload []byte) { checkCodec(t, c.codec, payload) })
		return
	}
	f.Fatalf("no table of messages named %s", message)
}

func checkCodec(t *testing.T, c codec, payload []byte) {
	first, err := c.decode(payload)
	if err != nil {
		if !errors.Is(err, wire.ErrMalformed) && !errors.Is(err, wire.ErrOldProtocol) {
			t.Fatalf("error %v", err)
		}
		return
	}
	first = appended(first)
	second, err := c.decode(c.append(first))
	if err != nil || !reflect.DeepEqual(appended(second), first) {
		t.Fatalf("decoded %+v, after appending %+v, %v", first, second, err)
	}
}

// appended takes away what is decoded and not appended.
func appended(m any) any {
	switch m := m.(type) {
	case wire.Column:
		m.Default = nil
		return m
	case *wire.Error:
		if m.State == "" {
			m.State = m.Code.State()
		}
	}
	return m
}

func FuzzHandshake(f *testing.F)         { fuzz(f, "Handshake") }
func FuzzHandshakeResponse(f *testing.F) { fuzz(f, "HandshakeResponse") }
func FuzzSSLRequest(f *testing.F)        { fuzz(f, "SSLRequest") }
func FuzzAuthSwitchRequest(f *testing.F) { fuzz(f, "AuthSwitchRequest") }
func FuzzAuthMoreData(f *testing.F)      { fuzz(f, "AuthMoreData") }
func FuzzOK(f *testing.F)                { fuzz(f, "OK") }
func FuzzEOF(f *testing.F)               { fuzz(f, "EOF") }
func FuzzError(f *testing.F)             { fuzz(f, "Error") }
func FuzzColumnCount(f *testing.F)       { fuzz(f, "ColumnCount") }
func FuzzColumn(f *testing.F)            { fuzz(f, "Column") }
func FuzzRow(f *testing.F)               { fuzz(f, "Row") }
func FuzzPrepared(f *testing.F)          { fuzz(f, "Prepared") }
func FuzzChangeUser(f *testing.F)        { fuzz(f, "ChangeUser") }

func FuzzLenenc(f *testing.F) {
	f.Add([]byte{0xFC, 0xFB, 0x00})
	f.Add([]byte("\x03abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := wire.LenencInt(b)
		if again, m := wire.LenencInt(wire.AppendLenencInt(nil, v)); n > 0 && (again != v || m > n) {
			t.Fatalf("%d in %d bytes became %d in %d", v, n, again, m)
		}
		s, n := wire.LenencString(b)
		if n > 0 && !bytes.HasSuffix(b[:n], s) {
			t.Fatalf("string %q is not at the end of % x", s, b[:n])
		}
	})
}

// FuzzReader reads the same stream in two ways: the packets are the same, however it arrives.
func FuzzReader(f *testing.F) {
	f.Add(packets(0, wire.OK{}, wire.EOF{}))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole := wire.NewReader(bytes.NewReader(stream))
		parts := wire.NewReader(iotest.OneByteReader(bytes.NewReader(stream)))
		for {
			a, errA := whole.ReadPacket(1 << 20)
			b, errB := parts.ReadPacket(1 << 20)
			if !bytes.Equal(a, b) || reflect.TypeOf(errA) != reflect.TypeOf(errB) {
				t.Fatalf("at once: %q, %v; byte by byte: %q, %v", a, errA, b, errB)
			}
			if errA != nil {
				checkReaderError(t, errA)
				return
			}
		}
	})
}

func checkReaderError(t *testing.T, err error) {
	for _, known := range []error{io.EOF, io.ErrUnexpectedEOF, wire.ErrMalformed, wire.ErrPacketTooLarge} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Fatalf("error %v", err)
}

// FuzzScanner: whatever comes, the Scanner ends or returns an error, and its offsets are those of status flags that it
// saw.
func FuzzScanner(f *testing.F) {
	for _, c := range captures {
		f.Add(uint8(c.shape), unhex(f, c.response))
	}
	f.Fuzz(func(t *testing.T, shape uint8, response []byte) {
		var s wire.Scanner
		_, err := scanInto(&s, wire.Shape(shape), response)
		if err != nil && !errors.Is(err, wire.ErrMalformed) && err != errNoEnd {
			t.Fatalf("error %v", err)
		}
		checkOffsets(t, &s, response)
	})
}

func checkOffsets(t *testing.T, s *wire.Scanner, response []byte) {
	offsets := s.StatusOffsets()
	if len(offsets) == 0 {
		return
	}
	last := offsets[len(offsets)-1]
	if last+2 > len(response) {
		t.Fatalf("offset %d is outside of %d bytes", last, len(response))
	}
	if got := wire.Status(response[last]) | wire.Status(response[last+1])<<8; got != s.Status() {
		t.Fatalf("flags at %d are %#x, status is %#x", last, got, s.Status())
	}
}
