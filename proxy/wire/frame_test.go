package wire_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"weir/proxy/wire"
)

func TestAppendPacket(t *testing.T) {
	got, seq := wire.AppendPacket([]byte("before"), 255, wire.Payload("abc"))
	if want := "before\x03\x00\x00\xffabc"; string(got) != want || seq != 0 {
		t.Errorf("packet %q, next number %d, want %q and 0", got, seq, want)
	}
}

// TestPitfall38Split: payloads around the limit of a physical packet, there and back.
func TestPitfall38Split(t *testing.T) {
	tests := []struct {
		name string
		size int
		want []int // payloads of the physical packets
	}{
		{"empty", 0, []int{0}},
		{"just fits", wire.MaxPayload - 1, []int{wire.MaxPayload - 1}},
		{"full", wire.MaxPayload, []int{wire.MaxPayload, 0}},
		{"one more", wire.MaxPayload + 1, []int{wire.MaxPayload, 1}},
		{"twice full", 2 * wire.MaxPayload, []int{wire.MaxPayload, wire.MaxPayload, 0}},
		{"40 MB", 40 << 20, []int{wire.MaxPayload, wire.MaxPayload, 40<<20 - 2*wire.MaxPayload}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			payload := pattern(tc.size)
			framed, seq := wire.AppendPacket(nil, 7, wire.Payload(payload))
			if int(seq) != 7+len(tc.want) {
				t.Errorf("next number %d, want %d", seq, 7+len(tc.want))
			}
			if got := sizes(t, framed); !slices.Equal(got, tc.want) {
				t.Errorf("payloads of %v bytes, want %v", got, tc.want)
			}
			got, err := read(framed, 7).ReadPacket(tc.size)
			if err != nil || !bytes.Equal(got, payload) {
				t.Errorf("read %d bytes back, %v, want %d equal ones", len(got), err, tc.size)
			}
		})
	}
}

// pattern makes bytes whose period is a prime, so that a swapped or lost part shows.
func pattern(n int) []byte {
	const prime = 65521
	b := make([]byte, n)
	for i := range min(n, prime) {
		b[i] = byte(i ^ i>>8)
	}
	for i := prime; i < n; i += prime {
		copy(b[i:], b[:prime])
	}
	return b
}

// sizes returns the lengths of the payloads of physical packets.
func sizes(t *testing.T, b []byte) (n []int) {
	t.Helper()
	for len(b) > 0 {
		raw, rest, err := wire.Split(b)
		if err != nil {
			t.Fatal(err)
		}
		n, b = append(n, len(raw)-wire.HeaderSize), rest
	}
	return n
}

func TestSplitRefuses(t *testing.T) {
	for _, b := range []string{"", "\x01\x00\x00", "\x02\x00\x00\x00a"} {
		if _, rest, err := wire.Split([]byte(b)); !errors.Is(err, wire.ErrMalformed) || string(rest) != b {
			t.Errorf("%q: rest %q, error %v", b, rest, err)
		}
	}
}
