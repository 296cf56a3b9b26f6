package wire

import (
	"bytes"
	"reflect"
	"testing"
)

func TestExecute(t *testing.T) {
	for _, c := range []struct {
		name   string
		params int
		args   []byte
		want   Execute
	}{
		{"no parameters", 0, []byte{7, 0, 0, 0, 0, 1, 0, 0, 0}, Execute{StatementID: 7}},
		{"a cursor", 0, []byte{7, 0, 0, 0, 1, 1, 0, 0, 0}, Execute{StatementID: 7, Flags: CursorReadOnly}},
		{
			"a number and NULL", 2, []byte{1, 2, 0, 0, 0, 1, 0, 0, 0, 0b10, 1, 8, 0x80, 6, 0, 5, 0, 0, 0, 0, 0, 0, 0},
			Execute{StatementID: 0x201, Nulls: []byte{0b10}, Types: []byte{8, 0x80, 6, 0}, Values: []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		},
		{
			"the types of the time before", 1, []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 'x'},
			Execute{StatementID: 1, Nulls: []byte{0}, Values: []byte{1, 'x'}},
		},
		{
			"nine parameters have two bytes of NULLs", 9, append([]byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0xff, 1, 1}, make([]byte, 18)...),
			Execute{StatementID: 1, Nulls: []byte{0xff, 1}, Types: make([]byte, 18), Values: []byte{}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodeExecute(c.args, c.params)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Fatalf("got %+v, %v; want %+v", got, err, c.want)
			}
			if c.params > 0 && got.Types == nil {
				return // it is not written like this
			}
			if back := got.Append(nil); !bytes.Equal(back[1:], c.args) {
				t.Errorf("appended, it is % x; want % x", back[1:], c.args)
			}
			for short := range c.args[:len(c.args)-len(got.Values)] {
				if _, err := DecodeExecute(c.args[:short], c.params); err == nil {
					t.Errorf("%d bytes of it are taken", short)
				}
			}
		})
	}
}

func TestLongData(t *testing.T) {
	want := LongData{StatementID: 3, Param: 1, Data: []byte("abc")}
	b := want.Append(nil)
	got, err := DecodeLongData(b[1:])
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if _, err := DecodeLongData(b[1:6]); err == nil {
		t.Error("one without a parameter number is taken")
	}
}

func FuzzExecute(f *testing.F) {
	f.Add([]byte{7, 0, 0, 0, 0, 1, 0, 0, 0}, 0)
	f.Add([]byte{1, 2, 0, 0, 0, 1, 0, 0, 0, 0b10, 1, 8, 0x80, 6, 0, 5, 0, 0, 0, 0, 0, 0, 0}, 2)
	f.Fuzz(func(t *testing.T, args []byte, params int) {
		params = max(params, 0) % 0x10000
		m, err := DecodeExecute(args, params)
		if err == nil && (len(m.Nulls) != (params+7)/8 || len(m.Types) != 0 && len(m.Types) != 2*params) {
			t.Errorf("%d parameters: %d bytes of NULL bitmap, %d of types", params, len(m.Nulls), len(m.Types))
		}
		if err != nil || params > 0 && m.Types == nil {
			return
		}
		again, err := DecodeExecute(m.Append(nil)[1:], params)
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("%+v becomes %+v, %v", m, again, err)
		}
	})
}
