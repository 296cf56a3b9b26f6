package bufferpool

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// script is a server that a test plays, and what Weir makes of it.
type script struct {
	t      *testing.T
	judge  *judge
	now    sample
	busy   bool
	states []State
}

// newScript begins with a server that has been up for a day.
func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, judge: newJudge("db", Config{}.withDefaults())}
	s.now = sample{
		at: time.Unix(1000, 0), uptime: 86400, requests: 1e9, reads: 1e6, total: 1000, free: 100, dirty: 50, data: 890, pageSize: 16384,
	}
	s.judge.next(s.now, time.Minute, false)
	return s
}

// run plays n samples, interval apart, with that many page requests a second and that share of misses.
func (s *script) run(n int, interval time.Duration, perSecond, miss float64) Reading {
	s.t.Helper()
	var r Reading
	for range n {
		s.now.at = s.now.at.Add(interval)
		s.now.uptime += interval.Seconds()
		requests := perSecond * interval.Seconds()
		s.now.requests += requests
		s.now.reads += requests * miss
		r = s.judge.next(s.now, 3*interval+time.Second, s.busy)
		s.states = append(s.states, r.State)
	}
	return r
}

// restart begins a new run of the server, whose pool holds data pages of 1000.
func (s *script) restart(data float64) {
	s.now.uptime, s.now.requests, s.now.reads, s.now.waitFree = 0, 900, 160, 0
	s.now.data, s.now.free, s.now.dirty = data, 1000-data, 0
}

// told is the sequence of states since it was asked last, without repetitions.
func (s *script) told() string {
	var names []string
	for i, state := range s.states {
		if i == 0 || s.states[i-1] != state {
			names = append(names, string(state))
		}
	}
	s.states = nil
	return strings.Join(names, " ")
}

func (s *script) expect(want string) {
	s.t.Helper()
	if got := s.told(); got != want {
		s.t.Errorf("states are %q, want %q", got, want)
	}
}

// usual is a minute of the traffic that makes the baseline: one miss in a hundred.
func (s *script) usual() {
	s.t.Helper()
	s.run(12, 5*time.Second, 10000, .01)
	s.expect("warm")
}

// TestPitfall55States plays what happens to pools, and expects the states that the package's documentation gives it.
func TestPitfall55States(t *testing.T) {
	const busy = 250 * time.Millisecond
	for _, c := range []struct {
		name string
		play func(*script)
		want string
	}{
		{"steady", func(s *script) { s.run(20, busy, 10000, .012) }, "warm"},
		{"restart, misses, recovers", func(s *script) {
			s.restart(20)
			s.run(9, busy, 10000, .6)
			s.run(9, busy, 10000, .3)
			s.run(9, busy, 10000, .011)
		}, "cold warming warm"},
		{"restart without traffic is cold by what the pool holds", func(s *script) { s.restart(20); s.run(9, busy, 0, 0) }, "cold"},
		{"restart with a dump loaded, without traffic", func(s *script) { s.restart(700); s.run(9, busy, 0, 0) }, "unknown warm"},
		{"restart with a load that runs", func(s *script) {
			s.restart(20)
			s.now.load = "Loaded 12/345 pages"
			s.run(9, busy, 10000, .6)
			s.now.load, s.now.data = "Buffer pool(s) load completed at 261201 11:29:12", 800
			s.run(9, busy, 10000, .012)
		}, "warming warm"},
		{"failover to a server with a colder pool of the same size", func(s *script) {
			s.now.uptime += 100000
			s.now.requests, s.now.reads = 5e9, 5e8
			s.run(9, busy, 10000, .7)
		}, "unknown cold"},
		{"failover to a server that has read the same", func(s *script) { s.now.uptime += 100000; s.run(9, busy, 10000, .01) }, "unknown warm"},
		{"counters go backwards though the age is not told", func(s *script) {
			s.now.uptime = math.NaN()
			s.now.requests, s.now.reads = 100, 50
			s.run(9, busy, 10000, .5)
		}, "unknown cold"},
		{"rebuild drops the pages that were read", func(s *script) {
			s.busy = true
			s.now.data, s.now.free = 300, 600
			s.run(9, busy, 10000, .5)
			s.run(9, busy, 10000, .01)
		}, "cold warming warm"},
		{"half of the pool goes, and nobody misses it", func(s *script) { s.now.data, s.now.free = 300, 600; s.run(9, busy, 10000, .01) }, "warm"},
		{"rebuild fills the pool with others' pages", func(s *script) { s.busy = true; s.run(9, busy, 10000, .2) }, "pressed"},
		{"waits for free pages", func(s *script) { s.now.waitFree = 3; s.run(1, busy, 10000, .01) }, "pressed"},
		{"waits are over", func(s *script) { s.now.waitFree = 3; s.run(9, busy, 10000, .01) }, "pressed warm"},
		{"no free pages and most dirty", func(s *script) { s.now.free, s.now.dirty = 10, 800; s.run(3, busy, 10000, .01) }, "pressed"},
		{"no free pages is usual", func(s *script) { s.now.free = 0; s.run(3, busy, 10000, .01) }, "warm"},
		{"traffic ends", func(s *script) { s.run(30, 5*time.Second, 0, 0) }, "warm"},
		{"a few requests that all miss say nothing", func(s *script) { s.run(9, busy, 100, 1) }, "warm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t)
			s.t = t
			s.usual()
			c.play(s)
			s.expect(c.want)
		})
	}
}

// TestPitfall55NoBaseline: Weir and the server have started together.
func TestPitfall55NoBaseline(t *testing.T) {
	s := &script{t: t, judge: newJudge("db", Config{}.withDefaults())}
	s.now = sample{at: time.Unix(1000, 0), uptime: 5, requests: 900, reads: 160, total: 1000, free: 950, data: 50}
	s.run(3, 5*time.Second, 0, 0)
	s.expect("unknown warm") // nobody reads
	s.run(3, 5*time.Second, 1000, .5)
	s.run(3, 5*time.Second, 1000, .15)
	s.run(3, 5*time.Second, 1000, .02)
	s.expect("cold warming warm")
}

// TestPitfall55NewNormal: a pool that never gets as good again does not count as cold for ever, nor as pressed.
func TestPitfall55NewNormal(t *testing.T) {
	s := newScript(t)
	s.usual()
	s.restart(500)
	s.run(119, 5*time.Second, 10000, .5)
	s.expect("unknown cold")
	s.run(10, 5*time.Second, 10000, .5)
	s.expect("cold warm")
}

// TestBaselineStays: what a schema change does to the pool is not what is usual.
func TestBaselineStays(t *testing.T) {
	s := newScript(t)
	s.usual()
	before := s.judge.base.reading("db")
	if math.Abs(before.HitRatio-.99) > .001 || math.Abs(before.Data-.89) > .001 || math.Abs(before.Requests-10000) > 1 {
		t.Fatalf("the baseline is %+v", before)
	}
	s.busy = true
	s.run(100, 250*time.Millisecond, 10000, .3)
	if after := s.judge.base.reading("db"); after != before {
		t.Errorf("the baseline went from %+v to %+v", before, after)
	}
	s.busy = false
	s.run(200, 5*time.Second, 10000, .02)
	if after := s.judge.base.reading("db"); math.Abs(after.HitRatio-.98) > .001 {
		t.Errorf("it did not learn afterwards: %+v", after)
	}
}

// TestPitfall55Gaps: silence and lateness are marked, and what happened meanwhile is counted for the whole time.
func TestPitfall55Gaps(t *testing.T) {
	s := newScript(t)
	s.usual()
	if r := s.judge.silent(s.now.at.Add(time.Second)); r.State != Unknown || !r.Gap || !math.IsNaN(r.HitRatio) {
		t.Errorf("silence reads as %+v", r)
	}
	if r := s.run(1, 20*time.Second, 1000, .01); !r.Gap || r.State != Warm || math.Abs(r.Requests-1000) > 1 {
		t.Errorf("after it: %+v", r)
	}
	if r := s.run(1, time.Second, 1000, .01); r.Gap {
		t.Errorf("the gap goes on: %+v", r)
	}
	s.now.at, s.now.uptime = s.now.at.Add(time.Minute), s.now.uptime+60
	if r := s.judge.next(s.now, time.Second, false); !r.Gap {
		t.Errorf("a late sample is no gap: %+v", r)
	}
}

// TestReadingOfWindow: a sample that comes right after another is not judged by what happened in between alone.
func TestReadingOfWindow(t *testing.T) {
	s := newScript(t)
	s.run(4, 5*time.Second, 10000, .01)
	if r := s.run(1, time.Millisecond, 1e6, 1); !(r.HitRatio < .98 && r.HitRatio > .96) {
		t.Errorf("after a long interval the hit ratio is %v, want about 0.97", r.HitRatio)
	}
	s.run(8, 250*time.Millisecond, 10000, .01)
	if r := s.run(1, time.Millisecond, 1e6, 1); !(r.HitRatio < .91 && r.HitRatio > .89) {
		t.Errorf("the hit ratio is %v, want about 0.9", r.HitRatio)
	}
	if n := len(s.judge.past); n > 7 {
		t.Errorf("%d samples are kept for a window of a second", n)
	}
}

// TestMissingCounters: what a server does not tell is unknown, not zero.
func TestMissingCounters(t *testing.T) {
	rows := [][]string{{"Innodb_buffer_pool_read_requests", "1000"}, {"INNODB_BUFFER_POOL_READS", "10"}, {"Innodb_buffer_pool_pages_free", "-"}}
	first, err := parse(time.Unix(1, 0), rows)
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge("db", Config{}.withDefaults())
	j.next(first, time.Minute, false)
	second := first
	second.at, second.requests = first.at.Add(time.Second), 11000
	r := j.next(second, time.Minute, false)
	if r.State != Warm || r.HitRatio != 1 || r.Requests != 10000 {
		t.Errorf("the reading is %+v", r)
	}
	for name, v := range map[string]float64{"free": r.Free, "dirty": r.Dirty, "data": r.Data, "waits": r.WaitFree} {
		if !math.IsNaN(v) {
			t.Errorf("%s is %v", name, v)
		}
	}
	if _, err := parse(time.Unix(1, 0), [][]string{{"Uptime", "12"}}); err == nil {
		t.Error("a server without a buffer pool has one")
	}
}

func TestLoading(t *testing.T) {
	for status, want := range map[string]bool{
		"":                                       false,
		"Loading of buffer pool not started":     false,
		"Loading buffer pool(s) from ib_buffer":  true,
		"Loaded 12/345 pages":                    true,
		"Buffer pool(s) load completed at 26120": false,
		"Buffer pool(s) load aborted on request": false,
	} {
		if got := (sample{load: status}).loading() != ""; got != want {
			t.Errorf("loading(%q) = %v", status, got)
		}
	}
}

func TestLows(t *testing.T) {
	var l lows
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	values := []float64{.9, .5, .7, .6, .8, .8}
	for i, v := range values {
		l.add(at(i), v)
	}
	for from := range len(values) + 1 {
		want := math.NaN()
		for _, v := range values[from:] {
			if !(v >= want) {
				want = v
			}
		}
		if got := l.since(at(from)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the lowest since %d is %v, want %v", from, got, want)
		}
	}
	for i := range 3 * maxLows {
		l.add(at(100+i), 1+float64(i))
	}
	if len(l.kept) != maxLows {
		t.Errorf("%d are kept", len(l.kept))
	}
}
