package redistier

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/xxh3"

	"weir/cache"
)

func testCodec() *codec { return newCodec("dialect", 1<<20, 4<<10) }

var testPlace = cache.Place{Source: "server-one", Begun: 1000, Seq: cache.At(3, 4000)}

func encoded(c *codec, e *cache.Entry) []byte { return c.encode(nil, e, testPlace, 1234567890123) }

// What is written can be read, compressed or not, and means the same.
func TestValueRoundTrip(t *testing.T) {
	c := testCodec()
	for _, wire := range []string{"", "short", strings.Repeat("a row like the others ", 1000), incompressible(20 << 10)} {
		e := entry("the key", wire, cache.Mark{}, 1, 1<<63, 42)
		e.Versioned = len(wire)%2 == 0
		v, why := c.parse(encoded(c, e))
		if why != readable {
			t.Fatal(why)
		}
		got, why := c.unpack(v)
		if why != readable || string(got) != wire {
			t.Fatalf("unpacked: %q, %d bytes, want %d", why, len(got), len(wire))
		}
		if v.place != testPlace || v.read != 1234567890123 || string(v.key) != "the key" || string(v.dialect) != "dialect" ||
			!reflect.DeepEqual(v.tags, e.Tags) || (v.flags&flagVersioned != 0) != e.Versioned {
			t.Errorf("read as %+v", v)
		}
	}
}

// TestValueLayout: the layout is what other Weirs have written. Whoever changes it has to raise layout.
func TestValueLayout(t *testing.T) {
	c := testCodec()
	got := encoded(c, entry("key", "wire", cache.Mark{}, 0x0102030405060708))
	want := "weir\x01\x00" + "\x00\x07" + "\x00\x0a" + "\x00\x01" + "\x00\x00\x03\xe8" +
		"\x00\x00\x00\x03\x00\x00\x0f\xa0" + "\x00\x00\x01\x1f\x71\xfb\x04\xcb" + "\x00\x00\x00\x03" + "\x00\x00\x00\x04" + "\x00\x00\x00\x04" +
		"dialect" + "server-one" + "\x01\x02\x03\x04\x05\x06\x07\x08" + "key" + "wire"
	if string(got[:len(got)-sumSize]) != want {
		t.Errorf("a value is\n%q, want\n%q", got[:len(got)-sumSize], want)
	}
	if sum := binary.BigEndian.Uint64(got[len(got)-sumSize:]); sum != xxh3.HashString(want) {
		t.Errorf("its checksum is %x", sum)
	}
	name := newNames("weir", "dialect").value("server-one", []byte("key"))
	if want := "weir:4b64761f0c59ed45:b6990815a39298dc748d710b06995dae"; name != want {
		t.Errorf("its name is %q, want %q", name, want)
	}
}

// TestValueDamaged: a value of which any byte has changed, or that was cut off anywhere, is none.
func TestValueDamaged(t *testing.T) {
	c := testCodec()
	good := encoded(c, entry("key", strings.Repeat("row ", 2000), cache.Mark{}, 1, 2))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if _, why := c.parse(bad); why == readable {
			t.Errorf("byte %d is another, and nobody notices", i)
		}
		if _, why := c.parse(good[:i]); why == readable {
			t.Errorf("it ends at byte %d, and nobody notices", i)
		}
	}
	if _, why := c.parse(append(bytes.Clone(good), 0)); why != badLength {
		t.Errorf("one byte more: %q", why)
	}
}

// reseal makes the checksum right again.
func reseal(b []byte) []byte {
	binary.BigEndian.PutUint64(b[len(b)-sumSize:], xxh3.Hash(b[:len(b)-sumSize]))
	return b
}

// TestPitfall48Lies: a value that is well formed and says what is not so, about its lengths, gets no memory for it.
func TestPitfall48Lies(t *testing.T) {
	c := testCodec()
	packed := func() []byte { return encoded(c, entry("key", strings.Repeat("row ", 2000), cache.Mark{})) }
	bomb := func(claim uint32) []byte {
		stored := s2.Encode(nil, make([]byte, 64<<20))
		b := packed()
		head := b[:headerSize+len("dialectserver-onekey")]
		binary.BigEndian.PutUint32(head[36:], claim)
		binary.BigEndian.PutUint32(head[40:], uint32(len(stored)))
		return reseal(append(append(bytes.Clone(head), stored...), make([]byte, sumSize)...))
	}
	for _, l := range []struct {
		name  string
		value []byte
		want  unreadable
	}{
		{"more than MaxValue", bomb(64 << 20), tooLarge},
		{"unpacks to more than it says", bomb(1 << 20), badCompression},
		{"unpacks to less than it says", func() []byte {
			b := packed()
			binary.BigEndian.PutUint32(b[36:], 9000)
			return reseal(b)
		}(), badCompression},
		{"not compressed, and says so wrongly", func() []byte {
			b := packed()
			b[5] = 0
			return reseal(b)
		}(), badLength},
		{"flags of another version", func() []byte { b := packed(); b[5] |= 0x80; return reseal(b) }(), badLayout},
		{"another layout", func() []byte { b := packed(); b[4] = 2; return reseal(b) }(), badLayout},
		{"something else", []byte("a session of somebody's web shop, long enough to have a header"), badMagic},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, why := c.parse(l.value)
		if why == readable {
			_, why = c.unpack(v)
		}
		runtime.ReadMemStats(&after)
		if why != l.want {
			t.Errorf("%s: %q, want %q", l.name, why, l.want)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
			t.Errorf("%s: %d bytes of memory", l.name, got)
		}
	}
}

// FuzzParse: whatever Redis says, it is taken apart without a panic, into no more than it has, and what comes out and is
// written again is the same.
func FuzzParse(f *testing.F) {
	c := testCodec()
	for _, wire := range []string{"", "row", strings.Repeat("row ", 2000)} {
		f.Add(encoded(c, entry("key", wire, cache.Mark{}, 1, 2)), false)
		f.Add(encoded(c, entry("key", wire, cache.Mark{}, 1, 2)), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) >= sumSize {
			b = reseal(bytes.Clone(b))
		}
		v, why := c.parse(b)
		if why != readable {
			return
		}
		wire, why := c.unpack(v)
		if why != readable {
			return
		}
		if len(wire) != v.wireLen || int64(len(wire)) > c.maxValue {
			t.Fatalf("%d bytes, and it says %d", len(wire), v.wireLen)
		}
		e := cache.NewEntry(v.key, wire, v.tags, cache.Mark{})
		e.Versioned = v.flags&flagVersioned != 0
		again, why := c.parse(c.encode(nil, e, v.place, v.read))
		if why != readable || again.place != v.place || again.read != v.read || !bytes.Equal(again.key, v.key) {
			t.Fatalf("written again it is %q, %+v; was %+v", why, again, v)
		}
	})
}
