package proxy

import (
	"slices"
	"testing"

	"weir/proxy/wire"
)

// TestPitfall39RowsHeld: rows come in the pieces that were asked for, numbered anew, and none is lost or told twice. One
// of 16 MiB and more is one.
func TestPitfall39RowsHeld(t *testing.T) {
	large := make([]byte, wire.MaxPayload+10)
	large[0] = 'L'
	var result []byte
	seq := uint8(7)
	for _, row := range [][]byte{[]byte("a"), large, []byte("b"), []byte("c")} {
		result, seq = wire.AppendPacket(result, seq, wire.Payload(row))
	}
	result, _ = wire.AppendPacket(result, seq, wire.EOF{Status: wire.StatusAutocommit})
	for _, c := range []struct {
		steps []uint32
		want  []string // first bytes of the packets that each brings
		last  []bool
	}{
		{[]uint32{1, 1, 5}, []string{"a.", "L\x00.", "bc."}, []bool{false, false, true}},
		{[]uint32{0, 4, 1}, []string{".", "aL\x00bc.", "."}, []bool{false, false, true}},
		{[]uint32{100}, []string{"aL\x00bc."}, []bool{true}},
	} {
		r := rowsHeld{rest: result, status: wire.StatusAutocommit}
		for i, n := range c.steps {
			b, last, err := r.fetch(nil, n)
			if err != nil || last != c.last[i] {
				t.Fatalf("%v, step %d: last is %v, %v", c.steps, i, last, err)
			}
			var got []byte
			for want := uint8(1); len(b) > 0; want++ {
				raw, rest, err := wire.Split(b)
				if err != nil || raw[wire.HeaderSize-1] != want {
					t.Fatalf("%v, step %d: packet %d has number %d, %v", c.steps, i, want, raw[wire.HeaderSize-1], err)
				}
				if b = rest; len(b) > 0 {
					got = append(got, raw[wire.HeaderSize])
					continue
				}
				end, err := wire.DecodeEOF(raw[wire.HeaderSize:])
				if err != nil || end.Status.Has(wire.StatusLastRowSent) != last || end.Status.Has(wire.StatusCursorExists) == last {
					t.Fatalf("%v, step %d ends with %+v, %v", c.steps, i, end, err)
				}
				got = append(got, '.')
			}
			if !slices.Equal(got, []byte(c.want[i])) {
				t.Errorf("%v, step %d: %q, want %q", c.steps, i, got, c.want[i])
			}
		}
	}
}
