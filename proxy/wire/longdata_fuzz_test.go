package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"weir/proxy/wire"
)

// FuzzLongData: what is accepted comes through appending and decoding unchanged.
func FuzzLongData(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x02\x00piece"))
	f.Add([]byte("\x01\x00\x00\x00\x02\x00"))
	f.Fuzz(func(t *testing.T, args []byte) {
		m, err := wire.DecodeLongData(args)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if got := m.Append(nil)[1:]; !bytes.Equal(got, args) {
			t.Fatalf("% x became % x", args, got)
		}
	})
}
