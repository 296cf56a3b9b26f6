package replicator

import (
	"bytes"
	"testing"
	"time"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

func someCheckpoint(t testing.TB) Checkpoint {
	t.Helper()
	done, err := gtid.Parse(gtid.MySQL, "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-20:tagged:5")
	if err != nil {
		t.Fatal(err)
	}
	return Checkpoint{
		Identity: identity.Identity{Flavor: gtid.MySQL, ID: "3e11fa47"}, File: "binlog.000007", Begun: 1000, Pos: 900, Done: done,
		Unlogged: "0-1-5", Durable: true, Passed: true, Taken: time.UnixMilli(1_700_000_000_123),
	}
}

func TestCheckpointGoesThereAndBack(t *testing.T) {
	c := someCheckpoint(t)
	text := c.Encode()
	back, err := DecodeCheckpoint(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Encode(), text) || !back.Taken.Equal(c.Taken) || back.Identity != c.Identity || !back.Durable {
		t.Errorf("%s became %s", text, back.Encode())
	}
	for i := range text { // whatever byte is another one
		broken := bytes.Clone(text)
		broken[i] ^= 1
		if _, err := DecodeCheckpoint(broken); err == nil {
			t.Errorf("%s is taken for a place", broken)
		}
	}
}

func TestCheckpointsThatAreNone(t *testing.T) {
	for name, spoil := range map[string]func(*Checkpoint){
		"no number":           func(c *Checkpoint) { c.File = "binlog" },
		"no beginning":        func(c *Checkpoint) { c.Begun = 0 },
		"no identity":         func(c *Checkpoint) { c.Identity.ID = "" },
		"in the magic number": func(c *Checkpoint) { c.Pos = 3 },
		"past 4 GiB":          func(c *Checkpoint) { c.Pos = 1<<32 - 1 },
		"another flavour":     func(c *Checkpoint) { c.Identity.Flavor = gtid.MariaDB },
		"no flavour":          func(c *Checkpoint) { c.Identity.Flavor = "" },
	} {
		c := someCheckpoint(t)
		spoil(&c)
		if _, err := DecodeCheckpoint(c.Encode()); err == nil {
			t.Errorf("%s: it is taken for a place", name)
		}
	}
}

func FuzzDecodeCheckpoint(f *testing.F) {
	f.Add(someCheckpoint(f).Encode())
	f.Add([]byte("1 00000000 {}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := DecodeCheckpoint(text)
		if err != nil {
			return
		}
		back, err := DecodeCheckpoint(c.Encode())
		if err != nil || !bytes.Equal(back.Encode(), c.Encode()) {
			t.Errorf("%q is a place, and %q is not: %v", text, c.Encode(), err)
		}
	})
}

// Others see the place a moment late, and never in the middle of being changed.
func TestCheckpointIsACopy(t *testing.T) {
	c := someCheckpoint(t)
	r := &Reader{at: c.checkpoint()}
	if _, ok := r.Checkpoint(); ok {
		t.Error("there is a place before the stream has come to any")
	}
	r.publish()
	r.at.pos = 1000
	r.at.done.Add(gtid.OfMySQL([16]byte{1}, "", 1))
	r.publish() // at once again: it is not copied
	got, ok := r.Checkpoint()
	if !ok || got.Pos != 900 || got.Done.String() != c.Done.String() {
		t.Errorf("the place is %+v (%v)", got, ok)
	}
}
