package cache

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// cell is the exact Last of one tag that entries in tier 1 depend on. The history may make a tag look newer than it is,
// because it has forgotten it; while the tag has a cell, its entries look there.
type cell struct {
	last atomic.Uint64
	refs int32 // entries, guards and keepers that need it; belongs to the lock of the cell's shard
	// guards protect the entries that depend on the tag from eviction. Written under the lock of the cell's shard, read
	// without.
	guards atomic.Int32
}

// dead is the last of a cell that is no longer touched: later than every AsOf, so that what depends on it is not
// servable.
const dead = math.MaxUint64

// touch notes a change at seq, unless a later one is known.
func touch(last *atomic.Uint64, seq Seq) {
	if Seq(last.Load()) < seq {
		last.Store(uint64(seq))
	}
}

// cells finds the cell of a tag. Whoever touches, takes or gives back a cell holds the lock of its shard for that long;
// readers of an entry have its cells at hand, and hold nothing. Three races end there.
//
// A change meets an entry that is just being stored, by [Ledger.register]. The applier touches the history first and looks
// for the cell second; a new cell starts from what the history says, which is asked under the lock:
//
//	the applier is late                        the applier is early
//	1. a cell is to be made: the lock is held  1. the history is touched at 95
//	2. the history is asked: 90                2. the applier finds no cell
//	3. the history is touched at 95            3. a cell is to be made: the lock is held
//	4. the applier waits for the lock          4. the history is asked: 95, or later if it has forgotten that
//	5. the cell is in the table                5. the cell is in the table
//	6. the applier finds the cell: 95
//
// The history may be touched while it is asked, and then say either. But what it says is not less than what was touched
// before it was asked, see [history]; and whoever touches it later looks for the cell later, too, and waits for the lock.
//
// A cell goes while somebody looks at it:
//
//  1. A reader finds an entry. It has not looked at the tags yet.
//  2. The store lets go of the entry. Nobody else needs its cell, which leaves the table.
//  3. The tag is touched, and the applier finds no cell.
//  4. The reader looks at the cell, in which 3 has left no trace.
//
// So a cell is dead before it leaves the table, and the reader in 4 has a miss. If an entry with the same tag is stored
// between 2 and 3, it gets a new cell; the old one stays dead.
//
// The ledger starts anew. [Ledger.Restart] clears the history first and the cells second. The other way round:
//
//  1. Restart clears the cells.
//  2. A cell is made from the history of the old epoch, in which Seqs may have been larger.
//  3. Restart clears the history.
//  4. An entry of the new epoch takes the cell, and looks changed until the stream has got as far as the old one was.
//
// An entry of the old epoch finds its cells cleared, as it would the history, and then that the epoch is another.
type cells struct {
	shards [cellShards]cellShard
	bytes  atomic.Int64 // of all cells, and of the tables that find them

	guards    atomic.Int32  // of all cells
	unguarded atomic.Uint64 // counts the guards that have ended
}

const (
	cellShards   = 256
	minCellTable = 8
	cellSize     = int64(unsafe.Sizeof(cell{}))
	placeSize    = int64(unsafe.Sizeof(cellPlace{}))
)

// of returns the tag's shard.
func (cs *cells) of(t Tag) *cellShard { return &cs.shards[mixed(t)>>56] }

// touch notes a change at seq if the tag has a cell.
func (cs *cells) touch(t Tag, seq Seq) {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.find(t); c != nil {
		touch(&c.last, seq)
	}
}

// take returns the tag's cell, for one more user. A new one starts from what the history says of the tag.
func (cs *cells) take(t Tag, h *history) *cell {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	return cs.taken(s, t, h)
}

func (cs *cells) taken(s *cellShard, t Tag, h *history) *cell {
	c := s.find(t)
	if c == nil {
		c = new(cell)
		cs.bytes.Add(cellSize) // before the history is asked, see reset
		c.last.Store(uint64(h.last(t)))
		cs.bytes.Add(s.insert(t, c))
	}
	c.refs++
	return c
}

// give takes back what take has returned for the tag. The last one to give a cell back ends it.
func (cs *cells) give(t Tag, c *cell) {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	cs.given(s, t, c)
}

func (cs *cells) given(s *cellShard, t Tag, c *cell) {
	if c.refs--; c.refs == 0 {
		c.last.Store(dead)
		cs.bytes.Add(s.remove(t) - cellSize)
	}
}

// compact gives back the tables that have nothing: shards keep a small one, since most need it again.
func (cs *cells) compact() {
	for i := range cs.shards {
		cs.bytes.Add(cs.shards[i].compact())
	}
}

// reset forgets all changes. The history has been cleared before: if there are no bytes of cells yet, one that is just being
// made starts from nothing.
func (cs *cells) reset() {
	if cs.bytes.Load() == 0 {
		return
	}
	for i := range cs.shards {
		cs.shards[i].each(func(_ Tag, c *cell) { c.last.Store(0) })
	}
}
