package proxy

import (
	"bytes"
	"errors"
	"testing"

	"weir/proxy/wire"
)

func packet(payload string) []byte {
	b, _ := wire.AppendPacket(nil, 1, wire.Payload(payload))
	return b
}

func TestResponseHoldsBackUpToItsLimit(t *testing.T) {
	a, b := packet("0123456789"), packet("abcdefghij") // 14 bytes each
	cases := []struct {
		name         string
		hold         int
		packets      [][]byte
		written, buf string
		started      bool
	}{
		{"all fits", 28, [][]byte{a, b}, "", string(a) + string(b), false},
		{"one byte too much", 27, [][]byte{a, b}, string(a), string(b), true},
		{"a packet larger than the limit", 10, [][]byte{a, b}, string(a) + string(b), "", true},
		{"nothing held back", 0, [][]byte{a}, string(a), "", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			r := response{hold: c.hold, out: func(p []byte) error { out.Write(p); return nil }}
			for _, p := range c.packets {
				if err := r.add(p); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != c.written || string(r.buf) != c.buf || r.started != c.started {
				t.Errorf("written %q, kept %q, started %v", out.String(), r.buf, r.started)
			}
		})
	}
}

func TestResponsePassesOnTheClientsError(t *testing.T) {
	gone := errors.New("client is gone")
	r := response{hold: 10, out: func([]byte) error { return gone }}
	if err := r.add(packet("0123456789")); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// Pitfall 36: the flags of the run that filled the entry must not reach other sessions.
func TestPitfall36StatusFlagsAreNormalized(t *testing.T) {
	result := wire.Result{
		Columns: []wire.Column{{Name: "v"}}, Rows: []wire.Row{{[]byte("x")}},
		Status: wire.StatusAutocommit | wire.StatusNoIndexUsed | wire.StatusQueryWasSlow | wire.StatusInTrans | wire.StatusNoBackslashEscapes,
	}
	b, _ := result.AppendPackets(nil, 1)
	var s wire.Scanner
	s.Begin(wire.ShapeQuery)
	rest := b
	for len(rest) > 0 {
		raw, after, err := wire.Split(rest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(raw, false); err != nil {
			t.Fatal(err)
		}
		rest = after
	}
	r := response{buf: b, offsets: s.StatusOffsets()}
	r.normalize()
	result.Status = wire.StatusAutocommit | wire.StatusNoBackslashEscapes
	want, _ := result.AppendPackets(nil, 1)
	if !bytes.Equal(r.buf, want) {
		t.Errorf("got  %x\nwant %x", r.buf, want)
	}
}

func TestTextRows(t *testing.T) {
	b, _ := wire.Result{
		Columns: []wire.Column{{Name: "a"}, {Name: "b"}},
		Rows:    []wire.Row{{[]byte("1"), nil}, {[]byte(""), []byte("z")}},
	}.AppendPackets(nil, 1)
	r := response{buf: b, kind: wire.KindResultSet, whole: true}
	rows, err := r.textRows()
	if err != nil || len(rows) != 2 || rows[0][0] != "1" || rows[0][1] != "" || rows[1][1] != "z" {
		t.Errorf("got %q, %v", rows, err)
	}
}

func TestFirstReplyNumber(t *testing.T) {
	cases := map[int]uint8{1: 1, 100: 1, wire.MaxPayload - 1: 1, wire.MaxPayload: 2, 2*wire.MaxPayload + 5: 3}
	for size, want := range cases {
		if got := firstReply(size); got != want {
			t.Errorf("after a command of %d bytes the response starts with %d, want %d", size, got, want)
		}
	}
}
