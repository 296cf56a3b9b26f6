package cache

import "sync"

// cellShard finds cells by open addressing with linear probing, and is at most two thirds full. The tags are in the
// table, since most of what the applier looks for has no cell: it then goes no further.
type cellShard struct {
	mu    sync.Mutex
	table []cellPlace // a power of two of them, or none
	live  int
	kept  map[Tag]int32 // how many of a cell's users are not entries, see [Ledger.Keep]

	_ [64]byte // shards that different cores lock stay off each other's cache lines
}

type cellPlace struct {
	tag  Tag
	cell *cell // nil if the place is free
}

// home is where a table of a shard has the tag, or would have it if nothing was in the way.
func home(t Tag, mask int) int { return int(mixed(t)>>20) & mask }

// mixed spreads tags over all bits, whatever they were made of.
func mixed(t Tag) uint64 { return uint64(t) * 0x9e3779b97f4a7c15 }

// each calls f for each cell, and holds the lock for that long.
func (s *cellShard) each(f func(Tag, *cell)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.table {
		if p.cell != nil {
			f(p.tag, p.cell)
		}
	}
}

func (s *cellShard) find(t Tag) *cell {
	if s.live == 0 {
		return nil
	}
	return s.table[s.place(t)].cell
}

// place returns where the tag is, or the free place where it would go.
func (s *cellShard) place(t Tag) int {
	mask := len(s.table) - 1
	i := home(t, mask)
	for s.table[i].cell != nil && s.table[i].tag != t {
		i = (i + 1) & mask
	}
	return i
}

// insert returns by how much the table has grown, in bytes.
func (s *cellShard) insert(t Tag, c *cell) (grown int64) {
	if 3*(s.live+1) > 2*len(s.table) {
		grown = s.rebuild(max(minCellTable, 2*len(s.table)))
	}
	s.table[s.place(t)] = cellPlace{t, c}
	s.live++
	return grown
}

// remove returns by how much the table has grown, which is not above zero.
func (s *cellShard) remove(t Tag) (grown int64) {
	s.closeGap(s.place(t))
	if s.live--; len(s.table) > minCellTable && s.live < len(s.table)/8 {
		grown = s.rebuild(len(s.table) / 2)
	}
	return grown
}

// closeGap frees a place. What comes after it, up to the next free place, moves up if it may: not before its home.
func (s *cellShard) closeGap(gap int) {
	mask := len(s.table) - 1
	for i := (gap + 1) & mask; s.table[i].cell != nil; i = (i + 1) & mask {
		if away := (i - home(s.table[i].tag, mask)) & mask; away >= (i-gap)&mask {
			s.table[gap] = s.table[i]
			gap = i
		}
	}
	s.table[gap] = cellPlace{}
}

func (s *cellShard) rebuild(size int) (grown int64) {
	old := s.table
	s.table = make([]cellPlace, size)
	for _, p := range old {
		if p.cell != nil {
			s.table[s.place(p.tag)] = p
		}
	}
	return int64(size-len(old)) * placeSize
}

// compact takes the lock, drops a table that has nothing, and returns by how much the table has grown.
func (s *cellShard) compact() (grown int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live > 0 {
		return 0
	}
	grown = -int64(len(s.table)) * placeSize
	s.table = nil
	return grown
}
