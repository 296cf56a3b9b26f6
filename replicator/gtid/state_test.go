package gtid

import (
	"math/rand/v2"
	"testing"
)

// TestStateBeyond: what one server has and the other lacks.
func TestStateBeyond(t *testing.T) {
	const a, b = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "4e11fa47-71ca-11e1-9e33-c80aa9429562"
	for _, c := range []struct {
		name         string
		flavor       Flavor
		server, from string
		want         string
	}{
		{"all are there", MySQL, a + ":1-5", a + ":1-9", ""},
		{"one more", MySQL, a + ":1-10", a + ":1-9", a + ":10"},
		{"in a gap", MySQL, a + ":1-10", a + ":1-3:5-7", a + ":4:8-10"},
		{"another server's", MySQL, a + ":1-10," + b + ":1", a + ":1-10", b + ":1"},
		{"with a tag", MySQL, a + ":1-10:x:1", a + ":1-10", a + ":x:1"},
		{"nothing is known", MySQL, a + ":1-2", "", a + ":1-2"},
		{"all are there", MariaDB, "0-1-100", "0-1-100,0-2-150", ""},
		{"number 101 of server 1, which 150 of server 2 does not prove", MariaDB, "0-1-101,0-2-150", "0-1-100,0-2-150", "0-1-101"},
		{"a domain of its own", MariaDB, "0-1-100,7-3-1", "0-1-100", "7-3-1"},
		{"nothing", MariaDB, "", "0-1-1", ""},
	} {
		t.Run(string(c.flavor)+" "+c.name, func(t *testing.T) {
			server, err := ParseState(c.flavor, c.server)
			if err != nil {
				t.Fatal(err)
			}
			from, err := ParseState(c.flavor, c.from)
			if err != nil {
				t.Fatal(err)
			}
			if got := server.Beyond(from); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			from.Union(server)
			if got := server.Beyond(from); got != "" {
				t.Errorf("%q is beyond the union", got)
			}
		})
	}
}

func TestStateOfNonsense(t *testing.T) {
	for _, f := range []Flavor{MySQL, MariaDB, "other"} {
		if _, err := ParseState(f, "nonsense"); err == nil {
			t.Errorf("%s: no error", f)
		}
	}
}

// TestIntervalsWithout against sets of numbers.
func TestIntervalsWithout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var s, o intervals
		want := map[uint64]bool{}
		for range random.IntN(20) {
			n := 1 + random.Uint64N(30)
			s, want[n] = s.add(interval{n, n}), true
		}
		for range random.IntN(20) {
			n := 1 + random.Uint64N(30)
			o = o.add(interval{n, n})
			delete(want, n)
		}
		rest := s.without(o)
		for n := uint64(1); n <= 31; n++ {
			if got := rest.cover(interval{n, n}); got != want[n] {
				t.Fatalf("%v without %v is %v: it has %d: %v", s, o, rest, n, got)
			}
		}
	}
}
