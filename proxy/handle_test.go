package proxy

import (
	"bytes"
	"testing"

	"weir/proxy/wire"
)

func TestHandlesAreBounded(t *testing.T) {
	var hs handles
	for i := range maxHandles {
		if !hs.add(&handle{text: []byte("SELECT ?")}) {
			t.Fatalf("there is no room for number %d", i)
		}
	}
	if hs.add(&handle{}) {
		t.Error("there is no end to it")
	}
	hs.remove(hs.byID[7])
	if h := (&handle{}); !hs.add(h) || h.id == 7 || hs.last != h {
		t.Errorf("the next one has id %d; an id is not used again soon", h.id)
	}
	hs = handles{lastID: wire.LastPrepared - 1}
	first, second := &handle{}, &handle{text: make([]byte, maxHandleBytes)}
	if !hs.add(first) || !hs.add(second) || first.id != 1 || second.id != 2 {
		t.Errorf("ids behind the largest one are %d and %d, want 1 and 2", first.id, second.id)
	}
	if hs.add(&handle{text: []byte("x")}) {
		t.Error("texts may take any memory")
	}
}

// Values that are sent ahead are bounded together, and a statement that had too much of them says so once.
func TestPitfall39LongDataIsBounded(t *testing.T) {
	var hs handles
	a, b := &handle{params: 2}, &handle{params: 1}
	hs.add(a)
	hs.add(b)
	piece := func(param uint16, n int) wire.LongData {
		return wire.LongData{Param: param, Data: bytes.Repeat([]byte("x"), n)}
	}
	hs.addLong(a, piece(1, 40), 100)
	hs.addLong(a, piece(0, 10), 100)
	hs.addLong(a, piece(1, 30), 100)
	if len(a.long) != 2 || len(a.long[0].Data) != 70 || hs.ahead != 80 {
		t.Fatalf("it has %v, %d bytes", a.long, hs.ahead)
	}
	hs.addLong(b, piece(0, 21), 100)
	hs.addLong(b, piece(0, 1), 100)
	if _, refusal := b.bind(nil); refusal == nil || refusal.Code != wire.CodeUnknown || b.long != nil {
		t.Errorf("too much gives %v", refusal)
	}
	hs.forgetLong(a)
	hs.forgetLong(b)
	hs.addLong(b, piece(0, 100), 100)
	if b.tooLong || hs.ahead != 100 {
		t.Error("there is no room after an execution")
	}
	b.wrongLong = true
	if _, refusal := b.bind(nil); refusal == nil || refusal.Code != wire.CodeWrongArguments {
		t.Errorf("a value for a parameter that is not there gives %v", refusal)
	}
	hs.remove(b)
	if hs.ahead != 0 {
		t.Errorf("%d bytes are left of nothing", hs.ahead)
	}
}
