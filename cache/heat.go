package cache

import (
	"math"
	"sync/atomic"
	"time"
)

// sampledHits is how many hits stand behind each that is noted in an entry's heat.
const sampledHits = 64

// heatHalf is how long it takes until a hit counts half.
const heatHalf = time.Minute

// leastAge is how long a key is taken to have been there at least: what was noted in a shorter time says too little.
const leastAge = 10 * time.Second

// Served notes a hit on e, for [Cache.Hottest]. The hits of a caller, or of some that share a counter, are numbered; n is
// this one's number. One in 64 is noted, which costs an atomic write that other clients' hits on e meet. The others cost
// a multiplication.
//
// It is not every 64th: a client that asks for the same 64 things in turn would have the same one noted each time. The
// multiples of the golden ratio, modulo 1, are spread evenly, and so are every second of them, every third and so on.
func (c *Cache) Served(e *Entry, n uint64) {
	if n*0x9e3779b97f4a7c15 < math.MaxUint64/sampledHits {
		c.noteHeat(e)
	}
}

//go:noinline
func (c *Cache) noteHeat(e *Entry) { e.heat.add(tickOf(c.ledger.Now()), sampledHits) }

// tick is a moment on the ledger's clock, in units of 1/16 s: 32 bits last for eight years.
type tick uint32

const tickLength = time.Second / 16

func tickOf(now time.Duration) tick { return tick(now / tickLength) }

// after returns how long it was from then to now; no time if the clocks of two who note are read in another order than
// they write.
func (now tick) after(then tick) time.Duration {
	return time.Duration(max(int32(now-then), 0)) * tickLength
}

// heat counts the hits on an entry, of which each counts for less as time goes by: half after [heatHalf]. In one word are
// the count, as a float32, and the tick as of which it is that.
type heat struct{ word atomic.Uint64 }

func (h *heat) add(now tick, hits float64) {
	for {
		old := h.word.Load()
		if h.word.CompareAndSwap(old, heatWord(heatAt(old, now)+hits, now)) {
			return
		}
	}
}

// inherit starts with what another one has; h is not shared yet.
func (h *heat) inherit(from *heat) {
	if word := from.word.Load(); word != 0 {
		h.word.Store(word)
	}
}

func heatWord(count float64, now tick) uint64 {
	return uint64(math.Float32bits(float32(count)))<<32 | uint64(now)
}

func heatAt(word uint64, now tick) float64 {
	count := float64(math.Float32frombits(uint32(word >> 32)))
	return count * left(now.after(tick(word)))
}

// left is what is left after a time of something that halves each heatHalf.
func left(after time.Duration) float64 { return math.Exp2(-float64(after) / float64(heatHalf)) }

// rate estimates how often a key is asked for in a second. Hits at an even rate r, noted since the key came, add up to
// r * heatHalf/ln 2 * (1 - left). A key that has not been sampled may still be known to have been asked for.
func (it *item) rate(now tick) float64 {
	age := max(now.after(it.since), leastAge)
	noted := heatAt(it.entry.heat.word.Load(), now)
	sampled := noted * math.Ln2 / heatHalf.Seconds() / (1 - left(age))
	return max(sampled, float64(max(it.hits(), it.rounds()))/age.Seconds())
}
