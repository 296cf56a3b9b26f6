package wire_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"weir/proxy/wire"
)

// FuzzExecute: what is accepted has as many bits and types as there are parameters, is no larger than what came, and
// comes through appending and decoding unchanged.
func FuzzExecute(f *testing.F) {
	f.Add(uint16(0), []byte("\x01\x00\x00\x00\x00\x01\x00\x00\x00"))
	f.Add(uint16(1), []byte("\x01\x00\x00\x00\x01\x01\x00\x00\x00\x00\x01\x08\x80\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(uint16(9), []byte("\x01\x00\x00\x00\x00\x01\x00\x00\x00\x01\x01\x00"))
	f.Fuzz(func(t *testing.T, params uint16, args []byte) {
		m, err := wire.DecodeExecute(args, int(params))
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if len(m.Nulls) != (int(params)+7)/8 || m.Types != nil && len(m.Types) != 2*int(params) {
			t.Fatalf("%d parameters: %d bytes of NULL bitmap, %d of types", params, len(m.Nulls), len(m.Types))
		}
		if len(m.Nulls)+len(m.Types)+len(m.Values) > len(args) {
			t.Fatalf("%d bytes became more: %+v", len(args), m)
		}
		if m.Types == nil && params > 0 {
			return // Append needs them
		}
		again, err := wire.DecodeExecute(m.Append(nil)[1:], int(params))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("decoded %+v, after appending %+v, %v", m, again, err)
		}
	})
}

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
