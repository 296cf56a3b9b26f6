package cache

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config is the cache section of the configuration.
type Config struct {
	// Size is the budget of tier 1 in bytes (query_cache_size).
	Size int64
	// Limit is the largest result that is stored, in bytes as sent to the client (query_cache_limit).
	Limit int64
	// MaxAge is how long an entry may be served at most. The rule does not need it: it bounds what a change can do that
	// is not in the binlog at all, such as one under sql_log_bin=0. 0 is no bound.
	MaxAge time.Duration
	// History is how many tags the ledger's history has room for, at least. Each takes 17 bytes of memory, which are not
	// part of Size.
	History int
}

// DefaultConfig returns the defaults: 256 MiB, results of up to 1 MiB, for up to an hour.
func DefaultConfig() Config {
	return Config{Size: 256 << 20, Limit: 1 << 20, MaxAge: time.Hour, History: DefaultHistory}
}

// A smaller history forgets within a moment, a larger one is 17 GiB.
const (
	minHistory = 1 << 10
	maxHistory = 1 << 30
)

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Size < 0:
		return errors.New("query_cache_size must not be negative; 0 stores nothing")
	case c.MaxAge < 0:
		return errors.New("max_age must not be negative; 0 is no bound")
	case c.Limit < 0:
		return errors.New("query_cache_limit must not be negative; 0 stores nothing")
	case c.Limit > c.Size && c.Size > 0:
		return fmt.Errorf("query_cache_limit (%d bytes) is larger than query_cache_size (%d bytes); no such result would fit", c.Limit, c.Size)
	case c.Limit > 1<<30:
		return errors.New("query_cache_limit must not be above 1GiB")
	case c.History < minHistory || c.History > maxHistory:
		return fmt.Errorf("history (%d) must be %d to %d, the number of tags whose last change is remembered", c.History, minHistory, maxHistory)
	}
	return nil
}

// Cache answers from memory what the rule lets it answer. It ties the ledger and tier 1 together; Run reclaims what
// became unservable.
type Cache struct {
	ledger  *Ledger
	store   *Store
	flights flights
	yields  yields
	again   again
	limit   atomic.Int64
	maxAge  time.Duration
	metrics *metrics

	// Second, if set before the first lookup, is the second tier. The cache does not ask it: whoever misses does, and makes
	// an entry of what it finds, see [Cache.Promote].
	Second Tier

	// OnPause, if set before the first result is stored, is told when results of a table stop being stored, see [Yield]. It
	// is called with locks held, and must not wait or call back.
	OnPause func(YieldStats)
}

// New returns a cache over ledger. It starts nothing; a nil registerer counts without exporting.
func New(cfg Config, ledger *Ledger, reg prometheus.Registerer) *Cache {
	c := &Cache{ledger: ledger, maxAge: cfg.MaxAge}
	c.limit.Store(cfg.Limit)
	c.store = newStore(cfg.Size, cfg.Limit, &ledger.cells, c.ended)
	if c.maxAge == 0 {
		c.maxAge = math.MaxInt64
	}
	c.flights.init()
	c.metrics = newMetrics(reg, c)
	return c
}

// Ledger returns the ledger that decides what may be served.
func (c *Cache) Ledger() *Ledger { return c.ledger }

// Limit returns the largest result that may be stored, in bytes.
func (c *Cache) Limit() int64 { return c.limit.Load() }

// Get returns the entry for key if it may be served now, given that an answer must contain every change committed
// before now - bound; else nil. It is the hot path: no parsing, no allocation, no lock.
func (c *Cache) Get(key []byte, bound time.Duration) *Entry {
	it := c.store.find(Hash(key), key)
	if it == nil {
		return nil
	}
	if !c.mayServe(it.entry, bound) {
		it.used()
		return nil
	}
	it.hit()
	return it.entry
}

// Refusal says why a result was not stored; empty if it was.
type Refusal string

// Refusals, as the label of weir_cache_stores_refused_total.
const (
	Stored           Refusal = ""
	RefusedBehind    Refusal = "snapshot_behind" // the backend has not applied the last change to the tags
	RefusedUnproved  Refusal = "unproved"        // the backend's position cannot be compared with the ledger's
	RefusedNoStream  Refusal = "not_current"     // the stream is not current
	RefusedOwnWrite  Refusal = "own_write"       // the session has just written, and the ledger is not complete as of that
	RefusedTooLarge  Refusal = "too_large"       // over query_cache_limit, or over the budget of its shard
	RefusedWarnings  Refusal = "warnings"        // the statement raised warnings
	RefusedError     Refusal = "error"           // the statement failed
	RefusedOtherRows Refusal = "several_results" // more than one result set, or none
	RefusedNotPaying Refusal = "not_paying"      // results of one of its tables are seldom used before a change ends them
)

// Put stores e, unless it could not be served anyway. The caller shares e with nobody before.
func (c *Cache) Put(e *Entry, bound time.Duration) Refusal {
	why := c.put(e, bound)
	c.Refuse(why)
	return why
}

func (c *Cache) put(e *Entry, bound time.Duration) Refusal {
	e.stored = c.ledger.Now()
	e.read = e.stored
	switch {
	case e.resultSize() > c.Limit():
		return RefusedTooLarge
	case !c.ledger.Current(c.ledger.Now(), bound):
		return RefusedNoStream
	}
	c.ledger.register(e)
	why := c.keep(e)
	if why == Stored {
		e.countStore()
	} else {
		c.ledger.cells.release(e)
	}
	return why
}

// keep stores an entry that has cells. Its need is judged by them, since they are what it will be judged by.
func (c *Cache) keep(e *Entry) Refusal {
	hash, need := e.storeHash(), c.ledger.needOf(e)
	switch {
	case e.At.Epoch != need.Epoch:
		return RefusedUnproved
	case e.At.Seq < need.Seq:
		return RefusedBehind
	case c.paused(e) && !c.again.asked(hash, e.At, need):
		return RefusedNotPaying
	case !c.store.Put(hash, e):
		return RefusedTooLarge
	}
	return Stored
}

// Refuse counts a result that was not offered to Put, or one that was.
func (c *Cache) Refuse(why Refusal) {
	if why == Stored {
		c.metrics.stores.Inc()
	} else {
		c.metrics.refused.WithLabelValues(string(why)).Inc()
	}
}

// Clear takes every entry out of memory.
func (c *Cache) Clear() { c.store.Clear() }

// Stats returns tier 1's figures.
func (c *Cache) Stats() Stats {
	st := c.store.Stats()
	st.Tables = c.yields.tables()
	return st
}
