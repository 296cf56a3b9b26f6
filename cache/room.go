package cache

import (
	"sync"
	"sync/atomic"
)

// room shares out a store's budget. Cells belong to no shard, since entries of several may need one; so the shards get
// what the cells leave. The cells' part changes in steps: as soon as they need more, and once they need much less.
type room struct {
	cells *cells
	size  atomic.Int64
	part  atomic.Int64 // of the cells

	mu     sync.Mutex // one change of the parts at a time
	moving bool       // size or shards are being changed, and who does that sees to the parts as well
}

func (r *room) step() int64 { return r.size.Load()/64 + 1 }

// fits reports whether the cells' part is what it should be.
func (r *room) fits() bool {
	spare := r.part.Load() - r.cells.bytes.Load()
	return spare >= 0 && spare <= 2*r.step()
}

// refit gives the cells the part that they need.
func (r *room) refit() {
	step := r.step()
	r.part.Store((r.cells.bytes.Load() + step - 1) / step * step)
}

// share is what a shard of so many slots may take.
func (r *room) share(slots int) int64 {
	return max(r.size.Load()-r.part.Load(), 0) * int64(slots) / maxShards
}

// makeRoom sees to it that cells and entries together keep the budget.
func (s *Store) makeRoom() {
	if s.room.fits() {
		return
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if !s.room.moving && !s.room.fits() {
		s.room.refit()
		s.visit(func(sh *shard) { sh.resize(s.room.share(sh.span)) })
	}
}
