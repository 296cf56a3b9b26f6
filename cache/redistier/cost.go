package redistier

import (
	"sync/atomic"
	"time"

	"weir/cache"
)

const (
	costSlots = 1 << 13
	// costSamples are needed before a class is judged.
	costSamples = 4
	// costUnit is what costs are counted in: 32 bits are seven minutes.
	costUnit = 100 * time.Nanosecond
	// costWeight is the weight of the past in a moving average, less one: a new sample counts one eighth.
	costWeight = 7
)

// costs learns what servers take for each class of statements, and what Redis takes for a lookup. Two classes with one slot
// take it away from each other, and are judged by nothing then. Everybody reads and writes it without locks; a sample that is
// lost to another one, coming at the same time, does no harm.
//
// A class that was found cheap goes to the servers each time and each result is offered, so that it is found out when it is
// cheap no longer. What Redis takes is learned from lookups, and by the prober while there are none.
type costs struct {
	min   time.Duration // MinCostAuto: what Redis takes
	redis atomic.Int64
	slots [costSlots]atomic.Uint64 // 28 bits of the class, 4 bits for how many samples, 32 bits of costUnit
}

func newCosts(minCost time.Duration) *costs { return &costs{min: minCost} }

// learn takes what a server took for a statement.
func (c *costs) learn(class cache.Class, cost time.Duration) {
	if class == 0 {
		return
	}
	slot, mark := c.slot(class)
	now := uint64(max(0, min(cost/costUnit, 1<<32-1)))
	old := slot.Load()
	if old&^(1<<36-1) != mark || old == 0 {
		slot.CompareAndSwap(old, mark|1<<32|now)
		return
	}
	samples, mean := old>>32&15, old&(1<<32-1)
	mean = (mean*costWeight + now) / (costWeight + 1)
	slot.CompareAndSwap(old, mark|min(samples+1, 15)<<32|mean)
}

// cheap reports whether a server answers the class in less time than a lookup has to save. What is not known is not cheap.
func (c *costs) cheap(class cache.Class) bool {
	limit := c.min
	if limit == MinCostAuto {
		limit = c.lookup()
	}
	if class == 0 || limit == 0 {
		return false
	}
	slot, mark := c.slot(class)
	known := slot.Load()
	return known&^(1<<36-1) == mark && known>>32&15 >= costSamples && time.Duration(known&(1<<32-1))*costUnit < limit
}

// slot spreads classes, of which nobody promises that all their bits are as good.
func (c *costs) slot(class cache.Class) (slot *atomic.Uint64, mark uint64) {
	h := uint64(class) * 0x9e3779b97f4a7c15
	return &c.slots[h>>(64-13)], h << 13 &^ (1<<36 - 1)
}

// looked takes what a lookup took, whatever came of it.
func (c *costs) looked(took time.Duration) {
	old := c.redis.Load()
	if old == 0 {
		c.redis.CompareAndSwap(0, int64(max(took, 1)))
		return
	}
	c.redis.CompareAndSwap(old, max(1, (old*costWeight+int64(took))/(costWeight+1)))
}

// lookup is what Redis takes; 0 if that is not known.
func (c *costs) lookup() time.Duration { return time.Duration(c.redis.Load()) }
