package wire

import (
	"reflect"
	"testing"
)

func TestParams(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Execute
		long int // the parameter that was sent ahead
		want []Param
	}{
		{"integers of every width", Execute{
			Nulls: []byte{0}, Types: []byte{1, 0, 2, 0x80, 3, 0, 8, 0x80},
			Values: []byte{0xff, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0},
		}, -1, []Param{
			{Type: TypeTiny, Value: []byte{0xff}},
			{Type: TypeShort, Unsigned: true, Value: []byte{1, 0}},
			{Type: TypeLong, Value: []byte{2, 0, 0, 0}},
			{Type: TypeLongLong, Unsigned: true, Value: []byte{3, 0, 0, 0, 0, 0, 0, 0}},
		}},
		{"texts, dates and a double", Execute{
			Nulls: []byte{0}, Types: []byte{0xfd, 0, 0x0c, 0, 5, 0, 0xf6, 0},
			Values: []byte{2, 'a', 'b', 4, 0xea, 7, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, '7'},
		}, -1, []Param{
			{Type: TypeVarString, Value: []byte("ab")},
			{Type: TypeDatetime, Value: []byte{0xea, 7, 1, 2}},
			{Type: TypeDouble, Value: make([]byte, 8)},
			{Type: TypeNewDecimal, Value: []byte("7")},
		}},
		{"NULL by the bitmap and by the type, and one that was sent ahead, have no value", Execute{
			Nulls: []byte{0b1}, Types: []byte{8, 0, 6, 0, 0xfc, 0, 1, 0}, Values: []byte{9},
		}, 2, []Param{
			{Type: TypeLongLong, Null: true}, {Type: TypeNull, Null: true}, {Type: TypeBlob, Ahead: true},
			{Type: TypeTiny, Value: []byte{9}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.m.Params(func(i int) bool { return i == c.long })
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
			for short := range c.m.Values {
				m := c.m
				m.Values = m.Values[:short]
				if _, err := m.Params(func(i int) bool { return i == c.long }); err == nil {
					t.Errorf("%d bytes of the values are taken", short)
				}
			}
		})
	}
}

func FuzzParams(f *testing.F) {
	f.Add([]byte{0}, []byte{1, 0, 0xfd, 0x80}, []byte{1, 1, 'a'})
	f.Fuzz(func(t *testing.T, nulls, types, values []byte) {
		m := Execute{Nulls: nulls, Types: types[:len(types)&^1], Values: values}
		if len(nulls)*8 < len(m.Types)/2 {
			return // DecodeExecute does not give that
		}
		params, err := m.Params(func(i int) bool { return i%5 == 4 })
		var all int
		for _, p := range params {
			all += len(p.Value)
		}
		if err == nil && all > len(values) {
			t.Errorf("%d bytes of values out of %d", all, len(values))
		}
	})
}
