package redistier

import (
	"testing"
	"time"

	"weir/cache"
)

func learn(c *costs, class cache.Class, cost time.Duration, times int) {
	for range times {
		c.learn(class, cost)
	}
}

// A class is cheap once a server has answered it faster than Redis a few times, and again not when that is over.
func TestCosts(t *testing.T) {
	c := newCosts(MinCostAuto)
	const class = 12345
	learn(c, class, 50*time.Microsecond, 20)
	if c.cheap(class) {
		t.Error("cheap, while nobody knows what Redis takes")
	}
	c.looked(200 * time.Microsecond)
	if !c.cheap(class) {
		t.Error("50us are not cheap where Redis takes 200us")
	}
	if c.cheap(99) || c.cheap(0) {
		t.Error("cheap, and nothing is known of it")
	}
	learn(c, class, 10*time.Millisecond, 3)
	if c.cheap(class) {
		t.Error("still cheap, and it takes 10ms now")
	}
	learn(c, class, 50*time.Microsecond, 60)
	if !c.cheap(class) {
		t.Error("it was dear for a while, and stays so")
	}
}

// Redis was slow for a moment, and everything cheap. It comes back without lookups, by what the prober measures.
func TestCostsRedisComesBack(t *testing.T) {
	c := newCosts(MinCostAuto)
	learn(c, 1, time.Millisecond, 10)
	c.looked(5 * time.Millisecond)
	if !c.cheap(1) {
		t.Fatal("1ms is not cheap where Redis takes 5ms")
	}
	for range 30 {
		c.looked(200 * time.Microsecond)
	}
	if c.cheap(1) {
		t.Error("still cheap")
	}
}

func TestCostsGiven(t *testing.T) {
	c := newCosts(2 * time.Millisecond)
	c.looked(time.Hour)
	learn(c, 1, time.Millisecond, costSamples)
	learn(c, 2, 3*time.Millisecond, costSamples)
	learn(c, 3, time.Millisecond, costSamples-1)
	for class, want := range map[cache.Class]bool{1: true, 2: false, 3: false} {
		if c.cheap(class) != want {
			t.Errorf("class %d cheap: %v", class, !want)
		}
	}
	everything := newCosts(0)
	learn(everything, 1, 1, 10)
	if everything.cheap(1) {
		t.Error("cheap, and everything is wanted")
	}
}

// Two classes with one slot: the later one has it, and is not judged by what the other one cost.
func TestCostsShareASlot(t *testing.T) {
	c := newCosts(time.Millisecond)
	const a = 1
	slot, _ := c.slot(a)
	b := cache.Class(2)
	for other, _ := c.slot(b); other != slot; other, _ = c.slot(b) {
		b++
	}
	learn(c, a, time.Microsecond, 10)
	learn(c, b, time.Microsecond, 1)
	if c.cheap(a) || c.cheap(b) {
		t.Errorf("cheap by another's cost: %v, %v", c.cheap(a), c.cheap(b))
	}
}

// Costs beyond what a slot can hold are as much as it can hold.
func TestCostsBounds(t *testing.T) {
	c := newCosts(time.Minute)
	learn(c, 1, time.Hour, 10)
	learn(c, 2, -time.Hour, 10)
	if c.cheap(1) || !c.cheap(2) {
		t.Error("an hour is cheap, or less than nothing dear")
	}
}
