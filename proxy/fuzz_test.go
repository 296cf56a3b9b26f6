package proxy

import (
	"bytes"
	"testing"

	"weir/proxy/wire"
)

// FuzzTextRows: Weir's own queries read rows of as many values as there are columns, or an error, from whatever a
// response holds.
func FuzzTextRows(f *testing.F) {
	var b []byte
	for i, m := range []wire.Message{wire.ColumnCount(1), wire.Column{Name: "a"}, wire.EOF{}, wire.Row{[]byte("1")}, wire.Row{nil}, wire.EOF{}} {
		b, _ = wire.AppendPacket(b, uint8(i+1), m)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := response{kind: wire.KindResultSet, whole: true, buf: b}
		rows, err := r.textRows()
		for _, row := range rows {
			if err != nil || len(row) != len(rows[0]) {
				t.Fatalf("rows %q, %v", rows, err)
			}
		}
		readDefaults(rows)
	})
}

// FuzzExecutionKey: two executions have one key only if they are the same in everything that a server is told.
func FuzzExecutionKey(f *testing.F) {
	f.Add(uint8(1), []byte("\x00\x08\x005"), []byte("\x00\x08\x805"), []byte("long"), []byte(""), true, false)
	f.Add(uint8(9), bytes.Repeat([]byte{1}, 40), bytes.Repeat([]byte{1}, 41), []byte("a"), []byte("a"), true, true)
	f.Fuzz(func(t *testing.T, params uint8, a, b, longA, longB []byte, hasA, hasB bool) {
		x, okX := fuzzExecution(int(params%20), a, longA, hasA)
		y, okY := fuzzExecution(int(params%20), b, longB, hasB)
		if okX && okY && bytes.Equal(x.key(nil), y.key(nil)) != sameExecution(x, y) {
			t.Fatalf("%+v\n%+v\nkeys % x and % x", x, y, x.key(nil), y.key(nil))
		}
	})
}

func fuzzExecution(params int, args, long []byte, hasLong bool) (execution, bool) {
	h := &handle{params: params}
	if hasLong && params > 0 {
		h.long = []wire.LongData{{Param: uint16(len(long)) % uint16(params), Data: long}}
	}
	head := []byte{1, 0, 0, 0, 0, 1, 0, 0, 0}
	if size := (params + 7) / 8; len(args) >= size && params > 0 {
		args = append(append(bytes.Clone(args[:size]), 1), args[size:]...)
	}
	x, refusal := h.bind(append(head, args...))
	return x, refusal == nil
}

func sameExecution(x, y execution) bool {
	same := bytes.Equal(x.Nulls, y.Nulls) && bytes.Equal(x.Types, y.Types) && bytes.Equal(x.Values, y.Values) && len(x.long) == len(y.long)
	for i := range x.long {
		same = same && i < len(y.long) && x.long[i].Param == y.long[i].Param && bytes.Equal(x.long[i].Data, y.long[i].Data)
	}
	return same
}
