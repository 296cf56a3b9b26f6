package cache

import (
	"bytes"
	"slices"
	"time"
)

// fewCells is enough for a result that depends on everything, on a schema, on the anchor of a table, and on one row of it:
// a hit on it looks at no list of its own.
const fewCells = 4

// Entry is a result: the bytes that answer a client, what they depend on, and the snapshot they were read from. But for its
// heat it is immutable once stored, and it must not be copied.
type Entry struct {
	// What a hit looks at comes first, so that it is on few cache lines.

	// At is the epoch, and the Seq such that the snapshot contains every change up to it (AsOf in the design).
	At Mark
	// read is when a server gave it, on the ledger's clock, or a moment after that; max_age counts from it. Of what comes
	// from another tier it is what that says, and good for nothing else.
	read time.Duration
	// cells are the tags' cells while the entry is in tier 1, in the order of the tags; empty before. What has left tier 1
	// keeps them, of which some may be dead.
	cells []*cell
	few   [fewCells]*cell // what cells points to if that is enough
	// data is the key and then the wire bytes: one allocation, without pointers. Its capacity is what the heap gave, so
	// that the store can count that.
	data   []byte
	keyLen uint32

	// Label is for whoever counts hits by statement; the cache does not look at it.
	Label uint64

	// Versioned: every table it was read from shows a transaction the rows of its snapshot. Only such an entry is served
	// inside a transaction.
	Versioned bool
	// Private: it is for this process alone, and not for a second tier.
	Private bool
	// promoted: it comes from another tier, so that what becomes of it does not say whether it pays to store what is read.
	promoted bool
	// ghost: it has no result, see [NewGhost], and size is how large that would be.
	ghost bool
	size  int64

	// Tags are what the result depends on. Entries of one statement may share the slice.
	Tags []Tag
	// Anchors says how many of the tags, from the front, stand for what a transaction must have read itself before it is
	// answered from the cache, see [Ledger.FreshAt]: everything, the schemas, and each table. Zero stands for all tags.
	Anchors int
	// Shares are the tables' shares in the tags. Entries of one statement may share the slice.
	Shares []Share

	// stored is when Put or Promote took it, on the ledger's clock: whoever made it had read it by then.
	stored time.Duration
	// heat is last, away from what a hit looks at: it is written to now and then.
	heat heat
}

// NewEntry copies key and wire, which the caller may use again; it keeps tags.
func NewEntry(key, wire []byte, tags []Tag, at Mark) *Entry {
	data := slices.Grow([]byte(nil), len(key)+len(wire))
	data = append(append(data, key...), wire...)
	return &Entry{At: at, Tags: tags, data: data, keyLen: uint32(len(key))}
}

// Key returns the whole key. It must not be changed.
func (e *Entry) Key() []byte { return e.data[:e.keyLen:e.keyLen] }

// Wire returns the packets that answer the client, complete with headers and sequence numbers. They must not be
// changed.
func (e *Entry) Wire() []byte { return e.data[e.keyLen:len(e.data):len(e.data)] }

func (e *Entry) hasKey(key []byte) bool { return bytes.Equal(e.data[:e.keyLen], key) }

// anchors are the first tags, as many as Anchors says.
func (e *Entry) anchors() []Tag {
	if e.Anchors <= 0 || e.Anchors > len(e.Tags) {
		return e.Tags
	}
	return e.Tags[:e.Anchors]
}
