package cache

import (
	"sync"
	"sync/atomic"
)

// room shares out a store's budget. Cells belong to no shard, since entries of several may need one; so the shards get
// what the cells leave. The cells' part changes in steps: as soon as they need more, and once they need much less.
type room struct {
	cells *cells
	mu    sync.Mutex // one change of the parts at a time
	size  atomic.Int64
	part  atomic.Int64 // of the cells
}

func (r *room) step() int64 { return r.size.Load()/64 + 1 }

// fits reports whether the cells' part is what it should be.
func (r *room) fits() bool {
	spare := r.part.Load() - r.cells.bytes.Load()
	return spare >= 0 && spare <= 2*r.step()
}

// Resize changes the budget, and evicts until it holds. A size below zero counts as zero.
func (s *Store) Resize(size int64) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.size.Store(max(size, 0))
	s.shareOut()
}

// makeRoom sees to it that cells and entries together keep the budget.
func (s *Store) makeRoom() {
	if s.room.fits() {
		return
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if !s.room.fits() {
		s.shareOut()
	}
}

// shareOut gives each shard its part, and evicts until it holds. The lock of room is held.
func (s *Store) shareOut() {
	step := s.room.step()
	part := (s.room.cells.bytes.Load() + step - 1) / step * step
	s.room.part.Store(part)
	each := max(s.room.size.Load()-part, 0) / int64(len(s.shards))
	for i := range s.shards {
		s.shards[i].resize(each)
	}
}
