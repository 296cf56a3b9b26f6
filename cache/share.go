package cache

// Share is the part that one table has in what a result depends on.
type Share struct {
	// Yield is the one to tell how it went; nil tells nobody.
	Yield *Yield
	// Tags is how many of the entry's tags are the table's own. They come after the anchors and after those of the
	// shares before it; tags of no share may follow the last.
	Tags int
}

// ended tells the tables that are to blame that a change has ended an entry. The store calls it, before the entry gives
// its cells back, for each entry that is replaced or swept, whatever the reason.
//
// To blame are tables of whose own tags one has changed: in a join of a table that never changes with one that changes
// all the time, only the second is. An anchor tells of one table only if there is just one.
func (c *Cache) ended(it *item) {
	e := it.entry
	if len(e.Shares) == 0 || e.promoted || e.At.Epoch != c.ledger.Epoch() || !c.ledger.changed(e, e.At.Seq) {
		return
	}
	hits := it.hits()
	c.metrics.end(hits)
	next := len(e.anchors())
	for _, s := range e.Shares {
		own := e.cells[min(next, len(e.cells)):min(next+s.Tags, len(e.cells))]
		next += s.Tags
		if len(e.Shares) == 1 || changed(own, e.At.Seq) {
			c.blame(s.Yield, e, hits)
		}
	}
}

func (c *Cache) blame(y *Yield, e *Entry, hits uint32) {
	paused, first := y.end(c.ledger.Now(), e.stored, hits)
	if paused {
		c.metrics.pauses.Inc()
		if c.OnPause != nil {
			c.OnPause(y.Stats(c.ledger.Now()))
		}
	}
	if first {
		c.yields.wasPaused(y)
	}
}

// paused reports whether results of one of e's tables are refused at the moment.
func (c *Cache) paused(e *Entry) bool {
	for _, s := range e.Shares {
		if s.Yield.Paused(e.stored) {
			return true
		}
	}
	return false
}

func (e *Entry) countStore() {
	for _, s := range e.Shares {
		if s.Yield != nil {
			s.Yield.stores.Add(1)
		}
	}
}

// keptBy tells the tables that one more entry is in memory, or one less.
func (e *Entry) keptBy(n int64) {
	for _, s := range e.Shares {
		if s.Yield != nil {
			s.Yield.kept.Add(n)
		}
	}
}
