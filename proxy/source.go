package proxy

import (
	"errors"
	"slices"
)

// ErrErrant wraps a sampler's error if the server has transactions that the source does not have.
var ErrErrant = errors.New("errant transactions")

// source is the backend that is the source now.
func (s *Server) source() *backend { return s.followed.Load() }

// Follow makes the backend at addr, one of [Config.Sources], the source from now on. silent says that the one before does
// not answer: whoever waits for it learns at once that its connection is lost, and not after a long silence. Else what is
// under way there may end. It does not wait, and may be called from anywhere.
func (s *Server) Follow(addr string, silent bool) {
	i := slices.IndexFunc(s.sources, func(b *backend) bool { return b.addr == addr })
	if i < 0 {
		return
	}
	to := s.sources[i]
	to.errant.Store(false)
	to.lagging.Store(false)
	to.leftAt.Store(0)
	before := s.followed.Swap(to)
	if before == to {
		return
	}
	before.leftAt.Store(s.cache.Ledger().Epoch() + 1)
	before.suspect()
	to.suspect()
	if !silent {
		return
	}
	if n := before.conns.cut(); n > 0 {
		s.log.Warn("the source before does not answer; its connections are given up", "backend", before.addr, "connections", n)
	}
}

// origin is what is known of where a backend's data come from.
//
// A server with transactions that the source does not have answers wrong, cached or not, and gets no reads. A server that
// was the source may be such a one when it comes back, with what it had committed and nobody got:
//
//  1. The source is killed, and another one is followed.
//  2. The old one comes back. A read is routed to it before a check has shown what it has.
//
// So it gets no reads until a check has shown that it has nothing of its own. That check is compared with the new source:
// its answer is of an epoch that began after the other one was followed. Nor does another server that may be the source,
// until the first such check: before Weir was started it may have been.

// mayRead reports whether the backend may answer reads.
func (b *backend) mayRead(source *backend) bool {
	return b == source || !b.errant.Load() && b.leftAt.Load() == 0
}

// vet notes what a check showed of where the backend's data come from.
func (w *watch) vet(epoch uint64, err error) {
	b := w.backend
	switch {
	case errors.Is(err, ErrErrant):
		b.goErrant(err, w.server)
	case err == nil:
		if left := b.leftAt.Load(); left != 0 && epoch >= left && epoch == w.server.cache.Ledger().Epoch() {
			b.leftAt.CompareAndSwap(left, 0)
		}
		if b.errant.Swap(false) {
			w.server.log.Info("a backend has nothing that the source does not have any more; it answers reads again", "backend", b.addr)
		}
	}
}

func (b *backend) goErrant(err error, s *Server) {
	if b != s.source() && !b.errant.Swap(true) {
		s.log.Error("a backend has transactions that the source does not have; no reads go there", "backend", b.addr, "error", err)
	}
}

// readers are the backends that answer reads: those of the configuration, or else the source, whichever that is.
func (s *Server) readers() []*backend {
	if len(s.backends) == 0 {
		return []*backend{s.source()}
	}
	return s.backends
}
