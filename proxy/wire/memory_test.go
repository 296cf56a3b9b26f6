package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestClaimCostsNothing: a header that claims 16 MiB and three bytes after it do not make the buffer grow.
func TestClaimCostsNothing(t *testing.T) {
	r := NewReader(bytes.NewReader([]byte{0xFF, 0xFF, 0xFF, 0, 'a', 'b', 'c'}))
	if _, err := r.ReadPacket(1 << 30); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want an unexpected end", err)
	}
	if cap(r.buf) > minBuffer || cap(r.joined) > 0 {
		t.Errorf("buffers of %d and %d bytes, want %d at most", cap(r.buf), cap(r.joined), minBuffer)
	}
}

// TestGrowthFollowsArrival: after n bytes of a large packet, the buffer has a small multiple of n.
func TestGrowthFollowsArrival(t *testing.T) {
	whole, _ := AppendPacket(nil, 0, Payload(make([]byte, 3<<20)))
	for n := 16 << 10; n < len(whole); n *= 4 {
		r := NewReader(bytes.NewReader(whole[:n]))
		if _, err := r.ReadPacket(1 << 30); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("error %v, want an unexpected end", err)
		}
		if cap(r.buf) > 3*n {
			t.Errorf("buffer of %d bytes for %d that arrived", cap(r.buf), n)
		}
	}
}

// TestExpectGivesMemoryBack, but not what has arrived in the meantime.
func TestExpectGivesMemoryBack(t *testing.T) {
	stream, _ := AppendPacket(nil, 0, Payload(make([]byte, MaxPayload+1)))
	r := NewReader(bytes.NewReader(stream))
	if _, err := r.ReadPacket(1 << 30); err != nil {
		t.Fatal(err)
	}
	r.Expect(0)
	if cap(r.buf) > steadyBuffer || cap(r.joined) > steadyBuffer {
		t.Errorf("buffers of %d and %d bytes, want %d at most", cap(r.buf), cap(r.joined), steadyBuffer)
	}
	next, _ := AppendPacket(nil, 0, Payload("next"))
	r = NewReader(bytes.NewReader(append(stream[:len(stream):len(stream)], next...)))
	if _, err := r.ReadPacket(1 << 30); err != nil {
		t.Fatal(err)
	}
	r.Expect(0)
	if got, err := r.ReadPacket(10); string(got) != "next" || err != nil {
		t.Errorf("packet %q, %v, want next", got, err)
	}
}

// endless repeats a response without allocating.
type endless struct {
	response []byte
	at       int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.response[e.at:])
	e.at = (e.at + n) % len(e.response)
	return n, nil
}

// rowsResponse is a result of n rows.
func rowsResponse(n int) []byte {
	result := Result{Columns: []Column{{Name: "id", Type: TypeLong}, {Name: "name", Type: TypeVarString}}}
	for range n {
		result.Rows = append(result.Rows, Row{[]byte("12345"), []byte("some name of a usual length")})
	}
	response, _ := result.AppendPackets(nil, 1)
	return response
}

// follow reads one response.
func follow(r *Reader, s *Scanner) error {
	r.Expect(1)
	s.Begin(ShapeQuery)
	for {
		raw, continuation, err := r.ReadRaw()
		if err != nil {
			return err
		}
		if done, err := s.Next(raw, continuation); done || err != nil {
			return err
		}
	}
}

// TestNoAllocation: passing a response on costs no allocation, once the buffers are there.
func TestNoAllocation(t *testing.T) {
	r := NewReader(&endless{response: rowsResponse(1000)})
	var s Scanner
	allocations := testing.AllocsPerRun(20, func() {
		if err := follow(r, &s); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 || s.Rows() != 1000 {
		t.Errorf("%v allocations for a response of %d rows, want none for 1000", allocations, s.Rows())
	}
}

func BenchmarkFollow(b *testing.B) {
	response := rowsResponse(1000)
	r := NewReader(&endless{response: response})
	var s Scanner
	b.SetBytes(int64(len(response)))
	b.ReportAllocs()
	for b.Loop() {
		if err := follow(r, &s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaderRaw(b *testing.B) {
	packet, _ := AppendPacket(nil, 0, Payload(make([]byte, 100)))
	r := NewReader(&endless{response: packet})
	b.SetBytes(int64(len(packet)))
	b.ReportAllocs()
	for b.Loop() {
		r.Expect(0)
		if _, _, err := r.ReadRaw(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaderPacket(b *testing.B) {
	packet, _ := AppendPacket(nil, 0, Payload(make([]byte, 100)))
	r := NewReader(&endless{response: packet})
	b.SetBytes(int64(len(packet)))
	b.ReportAllocs()
	for b.Loop() {
		r.Expect(0)
		if _, err := r.ReadPacket(1 << 20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanner(b *testing.B) {
	response := rowsResponse(1000)
	var s Scanner
	b.SetBytes(int64(len(response)))
	b.ReportAllocs()
	for b.Loop() {
		s.Begin(ShapeQuery)
		for rest := response; len(rest) > 0; {
			raw, after, _ := Split(rest)
			if _, err := s.Next(raw, false); err != nil {
				b.Fatal(err)
			}
			rest = after
		}
	}
}
