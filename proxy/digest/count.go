package digest

import (
	"strings"
	"time"
)

// update counts for a label; for the others, if that has lost its row.
func (t *Table) update(l Label, change func(*counts)) {
	if r := t.rows[l.row()].Load(); r != nil && r.update(l.generation(), change) {
		return
	}
	t.rows[0].Load().update(0, change)
}

// Miss counts a cacheable read that was sent to a server.
func (t *Table) Miss(l Label) { t.update(l, func(c *counts) { c.misses++ }) }

// Joined counts a read that was answered with what another one was just reading.
func (t *Table) Joined(l Label) { t.update(l, func(c *counts) { c.joined++ }) }

// Stored counts a result of so many bytes that was stored.
func (t *Table) Stored(l Label, size int) {
	t.update(l, func(c *counts) { c.stores, c.bytes = c.stores+1, c.bytes+uint64(size) })
}

// Refused counts a result that was not stored.
func (t *Table) Refused(l Label, why string) {
	t.update(l, func(c *counts) { c.refused = addTo(c.refused, why, 1) })
}

// NotCached counts an execution that was sent on without a look at storing its result.
func (t *Table) NotCached(l Label, why string) {
	t.update(l, func(c *counts) { c.notCached = addTo(c.notCached, why, 1) })
}

// maxExample bounds the memory of examples, in bytes each.
const maxExample = 4 << 10

// Example keeps a text as the digest's last one. Only who has been told to may show literals.
func (t *Table) Example(l Label, text string) {
	if l == Others {
		return
	}
	if len(text) > maxExample {
		text = strings.ToValidUTF8(text[:maxExample], "") + " ..."
	}
	t.update(l, func(c *counts) { c.example = text })
}

// Changed counts a stored result that a change has ended.
func (t *Table) Changed(l Label) { t.update(l, func(c *counts) { c.changed++ }) }

// Answered counts the time that a server took.
func (t *Table) Answered(l Label, took time.Duration) {
	t.update(l, func(c *counts) { c.backend += took; c.took.observe(took) })
}

// WouldHit counts an execution that would have been a hit. It counts as a miss, too, since it was sent to a server.
func (t *Table) WouldHit(l Label) { t.update(l, func(c *counts) { c.wouldHits++ }) }

// WouldStore counts a result of so many bytes that would have been stored.
func (t *Table) WouldStore(l Label, size int) {
	t.update(l, func(c *counts) { c.wouldBytes += uint64(size) })
}
