package wire_test

import (
	"bytes"
	"testing"

	"weir/proxy/wire"
)

func TestLenencInt(t *testing.T) {
	tests := []struct {
		value uint64
		bytes string
	}{
		{0, "00"}, {250, "fa"}, {251, "fcfb00"}, {65535, "fcffff"}, {65536, "fd000001"}, {1<<24 - 1, "fdffffff"},
		{1 << 24, "fe0000000100000000"}, {1<<64 - 1, "feffffffffffffffff"},
	}
	for _, tc := range tests {
		b := unhex(t, tc.bytes)
		if got := wire.AppendLenencInt(nil, tc.value); !bytes.Equal(got, b) {
			t.Errorf("%d is % x, want % x", tc.value, got, b)
		}
		if v, n := wire.LenencInt(append(b, 0xFF)); v != tc.value || n != len(b) {
			t.Errorf("% x is %d in %d bytes, want %d", b, v, n, tc.value)
		}
	}
}

func TestLenencRefused(t *testing.T) {
	for _, s := range []string{"", "fb", "ff", "fc01", "fd0102", "fe01020304050607"} {
		if v, n := wire.LenencInt(unhex(t, s)); n != 0 {
			t.Errorf("%q is %d in %d bytes, want none", s, v, n)
		}
	}
	for _, s := range []string{"", "fb", "0261", "fefffffffffffffffff0", "feffffffffffffff7f61"} {
		if v, n := wire.LenencString(unhex(t, s)); n != 0 {
			t.Errorf("%q is the string %q, want none", s, v)
		}
	}
}

func TestLenencString(t *testing.T) {
	b := wire.AppendLenencString(nil, "abc")
	if s, n := wire.LenencString(append(b, 'x')); string(s) != "abc" || n != 4 {
		t.Errorf("%q in %d bytes, want abc in 4", s, n)
	}
}
