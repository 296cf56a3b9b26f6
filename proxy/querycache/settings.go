package querycache

import (
	"sync"
	"sync/atomic"
)

// Tier is where results are kept. Its methods are called one at a time.
type Tier interface {
	// Resize changes the budget in bytes; 0 keeps nothing. It must not make hits wait.
	Resize(size int64)
	// SetLimit changes the largest result that is kept, in bytes.
	SetLimit(limit int64)
	// Clear gives everything up.
	Clear()
}

// Session are a session's own values. It is made by [Settings.Session] when the client logs in.
type Session struct {
	Type            Type
	StripComments   bool
	WlockInvalidate bool
}

// Initial is what the variables are from the start on, and what DEFAULT makes of them again.
type Initial struct {
	Type        Type
	Size, Limit int64
	// MariaDB says to follow MariaDB's rules; otherwise those of MySQL 5.7 hold.
	MariaDB bool
}

// Settings are the global values. Everybody may read them at any time; a reader takes no lock.
type Settings struct {
	initial Initial
	tier    Tier
	tally   func() Tally

	typ                  atomic.Int32
	size, limit, unit    atomic.Int64
	stripComments, wlock atomic.Bool
	serving              atomic.Bool
	notCached            atomic.Uint64
	base                 base
	changing             sync.Mutex
}

// defaultUnit is query_cache_min_res_unit, which says nothing here: results are not kept in blocks.
const defaultUnit = 4096

// New returns settings with these values, which the tier has already. tally may be called by anybody at any time.
func New(initial Initial, tier Tier, tally func() Tally) *Settings {
	s := &Settings{initial: initial, tier: tier, tally: tally}
	s.typ.Store(int32(initial.Type))
	s.size.Store(initial.Size)
	s.limit.Store(initial.Limit)
	s.unit.Store(defaultUnit)
	s.decide()
	return s
}

// Serving reports whether anything may be answered from the cache or kept in it, for whomever: the type is ON or DEMAND,
// and there is room. It is one atomic load, for the hot path.
func (s *Settings) Serving() bool { return s.serving.Load() }

// Observing reports whether the global type is OBSERVE.
func (s *Settings) Observing() bool { return s.Type() == Observe }

// Type is the global query_cache_type.
func (s *Settings) Type() Type { return Type(s.typ.Load()) }

// Size is query_cache_size, in bytes.
func (s *Settings) Size() int64 { return s.size.Load() }

// Limit is query_cache_limit, in bytes.
func (s *Settings) Limit() int64 { return s.limit.Load() }

// Session returns what a session begins with.
func (s *Settings) Session() Session {
	return Session{Type: s.Type(), StripComments: s.stripComments.Load(), WlockInvalidate: s.wlock.Load()}
}

// decide works out Serving, after a change.
func (s *Settings) decide() { s.serving.Store(s.Type().Keeps() && s.Size() > 0) }

// setType switches for all sessions. Serving ends before it returns. With OFF the memory comes back, as on servers; a fill that
// is under way may still store its result, which is as good as any other once it is ON again.
func (s *Settings) setType(t Type) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.typ.Store(int32(t))
	s.decide()
	if t == Off {
		s.tier.Clear()
	}
}

// setSize ends serving first where there is to be no room, and begins it last where there is.
func (s *Settings) setSize(size int64) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.size.Store(size)
	if size == 0 {
		s.decide()
	}
	s.tier.Resize(size)
	s.decide()
}

func (s *Settings) setLimit(limit int64) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.limit.Store(limit)
	s.tier.SetLimit(limit)
}
