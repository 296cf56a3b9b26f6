package demo

import (
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1) // 1 to 100 ns
	}
	for _, c := range []struct {
		name  string
		added []time.Duration
		q     float64
		want  time.Duration
	}{
		{"none", nil, .5, 0},
		{"one", []time.Duration{7}, .5, 7},
		{"one, p99", []time.Duration{7}, .99, 7},
		{"half of two is the first", []time.Duration{3, 9}, .5, 3},
		{"more than half of two is the second", []time.Duration{3, 9}, .51, 9},
		{"order does not matter", []time.Duration{9, 3, 5}, .5, 5},
		{"exact below 64 ns", hundred, .5, 50},
		{"rounded up above", hundred, .99, 99}, // 98 and 99 share a bucket
		{"all", hundred, 1, 101},               // 100 and 101 do
		{"negative counts as nothing", []time.Duration{-5}, .5, 0},
		{"a microsecond", []time.Duration{1000}, .5, 1007}, // 992 to 1007
		{"longer than a quarter of an hour", []time.Duration{time.Hour}, .5, 1<<40 - 1},
	} {
		var h histogram
		for _, d := range c.added {
			h.add(d)
		}
		got := h.counts()
		if q := got.quantile(c.q); q != c.want {
			t.Errorf("%s: quantile(%v) = %d ns, want %d ns", c.name, c.q, q, c.want)
		}
	}
}

func TestCountsMinus(t *testing.T) {
	var h histogram
	h.add(5)
	h.add(6)
	before := h.counts()
	h.add(9)
	since := h.counts().minus(before)
	if n, q := since.total(), since.quantile(.01); n != 1 || q != 9 {
		t.Errorf("since then: %d durations, the shortest %d ns; want 1 of 9 ns", n, q)
	}
}
