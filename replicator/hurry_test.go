package replicator

import (
	"testing"
	"testing/synctest"
	"time"
)

// questions runs what [Probe.Run] does around its questions, with a regular one each second, and notes when each begins.
func questions(t *testing.T, h *hurry, listen bool, during func(n int)) []time.Duration {
	t.Helper()
	var at []time.Duration
	start := time.Now()
	for n := range 4 {
		h.begin()
		at = append(at, time.Since(start))
		during(n)
		h.pause(t.Context(), time.Second, listen)
	}
	return at
}

func TestHurry(t *testing.T) {
	ms := time.Millisecond
	cases := []struct {
		name   string
		listen bool
		during func(h *hurry, n int)
		want   []time.Duration
	}{
		{"nobody asks", true, func(*hurry, int) {}, []time.Duration{0, 1000 * ms, 2000 * ms, 3000 * ms}},
		{"many ask during one question: one more follows", true, func(h *hurry, n int) {
			for range 100 {
				if n == 0 {
					h.ask()
				}
			}
		}, []time.Duration{0, 4 * ms, 1004 * ms, 2004 * ms}},
		{"somebody asks during each", true, func(h *hurry, n int) { h.ask() }, []time.Duration{0, 4 * ms, 8 * ms, 12 * ms}},
		{"a question that took long is followed at once", true, func(h *hurry, n int) {
			h.ask()
			time.Sleep(10 * ms) //nolint:forbidigo // the test's own clock
		}, []time.Duration{0, 10 * ms, 20 * ms, 30 * ms}},
		{"the source cannot be reached", false, func(h *hurry, n int) { h.ask() }, []time.Duration{0, 1000 * ms, 2000 * ms, 3000 * ms}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHurry()
				got := questions(t, h, c.listen, func(n int) { c.during(h, n) })
				for i := range c.want {
					if got[i] != c.want[i] {
						t.Fatalf("questions begin at %v, want %v", got, c.want)
					}
				}
			})
		})
	}
}

// A request that came before the question began is answered by it; one that comes after needs another.
func TestHurryTakesWhatCameBefore(t *testing.T) {
	h := newHurry()
	h.ask()
	h.begin()
	if len(h.wanted) != 0 {
		t.Error("the question that begins leaves the request from before it")
	}
	h.ask()
	if len(h.wanted) != 1 {
		t.Error("a request that came while the question is under way is lost")
	}
}
