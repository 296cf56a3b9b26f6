package ddlload

import (
	"math"
	"testing"
	"time"
)

// steady are requests every 10 ms until the end, each answered after a millisecond, unless it falls into the hole: then at
// the hole's end.
func steady(until, from, to time.Duration) (all []sample) {
	for due := time.Duration(0); due < until; due += 10 * time.Millisecond {
		done := due + time.Millisecond
		if due >= from && due < to {
			done = to
		}
		all = append(all, sample{due, done})
	}
	return all
}

func TestFigures(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name     string
		from, to time.Duration // nothing is answered between
		want     figures
	}{
		{"nothing happens", 0, 0, figures{level: 100, lowest: 1, worst: 1, recover: true}},
		{"a whole second during the change", 5500 * time.Millisecond, 6500 * time.Millisecond, figures{level: 100, lowest: 1, worst: 0, recover: true}},
		{"half a second after the change", 8 * s, 8500 * time.Millisecond, figures{level: 100, lowest: 1, worst: .5, back: 500 * time.Millisecond, recover: true}},
		{"two seconds after the change", 8500 * time.Millisecond, 10500 * time.Millisecond, figures{level: 100, lowest: 1, worst: 0, back: 2500 * time.Millisecond, recover: true}},
		{"until the end", 18500 * time.Millisecond, 30 * s, figures{level: 100, lowest: 1, worst: 0, back: 12500 * time.Millisecond, recover: false}},
		{"before the change", 2500 * time.Millisecond, 3500 * time.Millisecond, figures{level: 100, lowest: 0, worst: 1, recover: true}},
	} {
		// The change begins in the middle of a second of the load, and takes 2.5 of its own.
		tr := trace{samples: steady(20500*time.Millisecond, c.from, c.to), begun: 5500 * time.Millisecond, ended: 8 * s, until: 20500 * time.Millisecond, bin: s}
		got := tr.figures()
		if math.Abs(got.level-c.want.level) > 2 || math.Abs(got.lowest-c.want.lowest) > .02 || math.Abs(got.worst-c.want.worst) > .02 ||
			got.back != c.want.back || got.recover != c.want.recover {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A reader that is late is late since the request was due, and what waits keeps a second from being one like before.
func TestFiguresLate(t *testing.T) {
	const s = time.Second
	tr := trace{begun: 5 * s, ended: 6 * s, until: 10 * s, bin: s}
	for _, x := range steady(10*s, 0, 0) {
		if x.due >= 5*s {
			x.done += 2 * s // all at the same rate as before, two seconds behind
		}
		tr.samples = append(tr.samples, x)
	}
	got := tr.figures()
	if math.Abs(got.during) > 2 || math.Abs(got.after-75) > 2 {
		t.Errorf("two seconds behind: %.0f/s during and %.0f/s after, want 0 and 75", got.during, got.after)
	}
	if got.recover || got.p99[0] > 10*time.Millisecond || got.p99[1] < 2*s || got.p99[2] < 2*s {
		t.Errorf("two seconds behind: %+v", got)
	}
	if all := tr.seconds(); all[len(all)-1].backlog < 190 {
		t.Errorf("two seconds behind: the backlog is %d, want 200", all[len(all)-1].backlog)
	}
}
