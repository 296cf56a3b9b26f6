package wire_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"weir/proxy/wire"
)

// unhex decodes hexadecimal digits; spaces are for the reader.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatalf("bad test data: %v", err)
	}
	return b
}

// packets frames the messages from sequence number seq on.
func packets(seq uint8, messages ...wire.Message) []byte {
	var b []byte
	for _, m := range messages {
		b, seq = wire.AppendPacket(b, seq, m)
	}
	return b
}

// read hands out b with a Reader that expects seq.
func read(b []byte, seq uint8) *wire.Reader {
	r := wire.NewReader(bytes.NewReader(b))
	r.Expect(seq)
	return r
}
