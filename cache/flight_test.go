package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
)

var (
	flightKey  = []byte("SELECT v FROM t WHERE id = 1")
	flightTags = []Tag{tagA, tagB}
)

// flightCache has a ledger in its first epoch in which everything up to 1/90 is recorded.
func flightCache() *Cache {
	l := NewLedger(4)
	l.SetComplete(l.Restart(At(1, 4)), 0)
	l.Advance(At(1, 90))
	return New(DefaultConfig(), l, nil)
}

func flightEntry(wire string, at Mark) *Entry {
	return NewEntry(flightKey, []byte(wire), flightTags, at)
}

func needNow(c *Cache) Mark { return c.Ledger().Need(flightTags) }

// wait is what a joiner gets: the result's text, or nothing.
func wait(t *testing.T, f *Flight, need Mark) string {
	t.Helper()
	e, err := f.Wait(t.Context(), need)
	if err != nil {
		t.Fatal(err)
	}
	if e == nil {
		return ""
	}
	return string(e.Wire())
}

func TestFlightWait(t *testing.T) {
	at90 := flightEntry("v", Mark{1, At(1, 90)})
	tests := []struct {
		name string
		e    *Entry
		need Mark
		want string
	}{
		{"needs less", at90, Mark{1, At(1, 50)}, "v"},
		{"needs just that", at90, Mark{1, At(1, 90)}, "v"},
		{"needs a byte more", at90, Mark{1, At(1, 91)}, ""},
		{"needs another epoch", at90, Mark{2, At(1, 50)}, ""},
		{"needs the epoch before", at90, Mark{0, At(1, 50)}, ""},
		{"nothing was brought", nil, Mark{1, At(1, 50)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := flightCache()
			leader, _ := c.Join(flightKey, tt.need)
			joined, lead := c.Join(flightKey, tt.need)
			if lead || joined != leader {
				t.Fatalf("the second has to read too: lead = %v", lead)
			}
			c.Land(leader, tt.e)
			if got := wait(t, joined, tt.need); got != tt.want {
				t.Errorf("Wait brings %q, want %q", got, tt.want)
			}
			if _, lead := c.Join(flightKey, tt.need); !lead {
				t.Error("a flight that has landed can still be joined")
			}
		})
	}
}

func TestFlightJoin(t *testing.T) {
	need := Mark{1, At(1, 50)}
	tests := []struct {
		name    string
		key     string
		sampled *Mark
		need    Mark
		lead    bool
	}{
		{"same key, not sampled yet", string(flightKey), nil, need, false},
		{"same key, not sampled yet, needs more", string(flightKey), nil, Mark{1, At(1, 95)}, false},
		{"sampled, covers", string(flightKey), &Mark{1, At(1, 50)}, need, false},
		{"sampled, does not cover", string(flightKey), &Mark{1, At(1, 49)}, need, true},
		{"sampled in the epoch before", string(flightKey), &Mark{0, At(1, 90)}, need, true},
		{"another key", "SELECT 1", nil, need, true},
		{"no key", "", nil, need, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := flightCache()
			first, lead := c.Join(flightKey, need)
			if !lead {
				t.Fatal("the first does not lead")
			}
			if tt.sampled != nil {
				first.Sampled(*tt.sampled)
			}
			f, lead := c.Join([]byte(tt.key), tt.need)
			if lead != tt.lead || (f == first) == tt.lead {
				t.Errorf("lead = %v, want %v; same flight: %v", lead, tt.lead, f == first)
			}
		})
	}
}

// TestFlightHashCollision: flights are found by their keys, whatever the hash.
func TestFlightHashCollision(t *testing.T) {
	var fs flights
	fs.init()
	a, _ := fs.join(7, []byte("a"), Mark{})
	b, lead := fs.join(7, []byte("b"), Mark{})
	if a == b || !lead {
		t.Fatal("two keys of one hash share a flight")
	}
	fs.land(a, nil)
	if again, lead := fs.join(7, []byte("b"), Mark{}); again != b || lead {
		t.Error("the landing of one has ended the other")
	}
}

// TestFlightReplay is the interleaving in flight.go. Where B comes after A has said what its sample was, B need not
// wait for A.
func TestFlightReplay(t *testing.T) {
	for _, early := range []bool{false, true} {
		t.Run(fmt.Sprintf("A tells its sample before B comes: %v", early), func(t *testing.T) {
			c := flightCache()

			// 1. A misses, samples 90, reads.
			needA := needNow(c)
			a, lead := c.Join(flightKey, needA)
			if !lead {
				t.Fatal("A does not lead")
			}
			sample := c.Ledger().Mark()
			if early {
				a.Sampled(sample)
			}
			read := flightEntry("old", sample)

			// 2. A write commits at 95 and is recorded.
			c.Ledger().Record(At(1, 95), []Tag{tagA})

			// 3. B misses on the same key. It needs 95. So does C.
			needB := needNow(c)
			if want := (Mark{1, At(1, 95)}); needB != want {
				t.Fatalf("B needs %v, want %v", needB, want)
			}
			b, lead := c.Join(flightKey, needB)
			if lead != early || (b == a) == early {
				t.Fatalf("B leads = %v, want %v", lead, early)
			}

			// 4. A's read ends. It is right for A, and for who asked when A did.
			a.Sampled(sample)
			c.Land(a, read)
			if got := wait(t, a, needA); got != "old" {
				t.Errorf("who asked before the write gets %q from A", got)
			}

			// 5. B gets nothing from A.
			if got := wait(t, a, needB); got != "" {
				t.Errorf("B gets %q, which is from before a write that it must see", got)
			}

			// 6. B reads for itself, or has already begun to, and C shares that.
			if !early {
				if b, lead = c.Join(flightKey, needB); !lead {
					t.Fatal("B does not lead after A has landed")
				}
			}
			joined, lead := c.Join(flightKey, needB)
			if joined != b || lead {
				t.Fatal("C does not join B")
			}
			c.Land(b, flightEntry("new", c.Ledger().Mark()))
			if got := wait(t, joined, needB); got != "new" {
				t.Errorf("C gets %q from B, want the new row", got)
			}
		})
	}
}

// TestFlightsOfOneKeyLandInAnyOrder: a flight that replaced another is neither ended nor brought back by its landing.
func TestFlightsOfOneKeyLandInAnyOrder(t *testing.T) {
	for _, order := range permutations([]int{0, 1, 2}) {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			c := flightCache()
			var fs [3]*Flight
			for i := range fs {
				need := Mark{1, At(1, uint64(100+i))}
				f, lead := c.Join(flightKey, need)
				if !lead {
					t.Fatalf("flight %d does not replace the one before", i)
				}
				f.Sampled(need)
				fs[i] = f
			}
			newest, landed := Mark{1, At(1, 102)}, false
			for _, i := range order {
				c.Land(fs[i], flightEntry(fmt.Sprint(i), Mark{1, At(1, uint64(100+i))}))
				landed = landed || i == 2
				f, lead := c.Join(flightKey, newest)
				if lead != landed || (f == fs[2]) == landed {
					t.Fatalf("after landing %d: lead = %v, want %v", i, lead, landed)
				}
				if lead {
					c.Land(f, nil)
				}
			}
			for i, f := range fs {
				if got := wait(t, f, Mark{1, At(1, uint64(100+i))}); got != fmt.Sprint(i) {
					t.Errorf("flight %d brought %q", i, got)
				}
			}
		})
	}
}

func TestFlightWaitEnds(t *testing.T) {
	hungUp := errors.New("the client hung up")
	synctest.Test(t, func(t *testing.T) {
		c := flightCache()
		need := needNow(c)
		f, _ := c.Join(flightKey, need)
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error)
		go func() {
			e, err := f.Wait(ctx, need)
			if e != nil {
				t.Errorf("Wait brings %q before the flight has landed", e.Wire())
			}
			got <- err
		}()
		synctest.Wait()
		cancel(hungUp)
		if err := <-got; !errors.Is(err, hungUp) {
			t.Errorf("Wait returned %v, want the cause", err)
		}
		if _, lead := c.Join(flightKey, need); lead {
			t.Error("a joiner that gives up has ended the flight")
		}
		c.Land(f, nil)
	})
}

func TestFlightManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := flightCache()
		need := needNow(c)
		leader, _ := c.Join(flightKey, need)
		e := flightEntry("v", need)
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				f, lead := c.Join(flightKey, need)
				if lead {
					t.Error("two read the same")
				}
				if got, err := f.Wait(t.Context(), need); got != e || err != nil {
					t.Errorf("Wait = %v, %v", got, err)
				}
			})
		}
		synctest.Wait()
		c.Land(leader, e)
		wg.Wait()
	})
}

// TestStressFlights: however joins, writes and landings fall together, nobody is given what does not cover its need,
// and nobody waits for ever.
func TestStressFlights(t *testing.T) {
	c := flightCache()
	seq := At(1, 90)
	contend(1000, func() {
		need := needNow(c)
		f, lead := c.Join(flightKey, need)
		if lead {
			at := c.Ledger().Mark()
			at.Seq = max(at.Seq, need.Seq) // a change is seen on its tags a moment before the head moves
			f.Sampled(at)
			c.Land(f, flightEntry("v", at))
		}
		if e, err := f.Wait(t.Context(), need); err != nil || e != nil && e.At.Seq < need.Seq || lead && e == nil {
			t.Errorf("who needs %v is given %v, %v", need, e, err)
		}
	}, func() {
		seq++
		c.Ledger().Record(seq, []Tag{tagA})
		f, lead := c.Join(flightKey, needNow(c))
		if lead {
			c.Land(f, nil)
		} else if _, err := f.Wait(t.Context(), needNow(c)); err != nil {
			t.Error(err)
		}
	})
	for i := range c.flights.shards {
		if n := len(c.flights.shards[i].m); n > 0 {
			t.Errorf("%d flights have not ended", n)
		}
	}
}
