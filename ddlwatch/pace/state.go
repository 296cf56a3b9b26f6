package pace

import (
	"cmp"
	"slices"
	"time"
)

// Phase is why a table's gate is up. If there are several reasons, it is the first of those below.
type Phase string

// The phases.
const (
	// PhaseStalled: reads do not come back, and a verdict is waited for. Nobody is let in.
	PhaseStalled Phase = "stalled"
	// PhasePileUp: readers pile up behind a metadata lock.
	PhasePileUp Phase = "pile-up"
	// PhaseDDL: a DDL is under way.
	PhaseDDL Phase = "ddl"
	// PhaseRefill: results have become unservable, or readers waited when the other reasons went.
	PhaseRefill Phase = "refill"
	// PhaseBurst: none of these, but more readers have come at once than the table's window takes.
	PhaseBurst Phase = "burst"
)

// State is a gate that is up, or a refill that has ended.
type State struct {
	Table string `json:"table"`
	Phase Phase  `json:"phase"`
	// Limit is how many reads may be at servers now.
	Limit int `json:"limit"`
	// Inside is how many are there, with those that were there before, and those that went through.
	Inside int `json:"inside"`
	// Waiting is how many stand in the table's queue.
	Waiting int `json:"waiting"`
	// Since is when the refill began, in that phase, and in others when the gate came up.
	Since time.Time `json:"since"`
	// Ended is when the refill ended; zero if it has not.
	Ended time.Time `json:"ended,omitzero"`

	// Of the refill, if there is one: its highest limit, and how many reads it let in. Of these Through went through
	// because they had waited for as long as a reader may. Waited is how many had to wait; a reader of several tables
	// that comes back to the queue counts again.
	Peak    int    `json:"peak,omitempty"`
	Entered uint64 `json:"entered,omitempty"`
	Waited  uint64 `json:"waited,omitempty"`
	Through uint64 `json:"through,omitempty"`
}

// State returns the gates that are up, the oldest first.
func (g *Gates) State() []State {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]State, 0, len(g.up))
	for t := range g.up {
		all = append(all, g.state(t))
	}
	slices.SortFunc(all, func(a, b State) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Table, b.Table))
	})
	return all
}

// state is that of a table with a gate. The lock is held.
func (g *Gates) state(t *table) State {
	gt := t.gate
	s := State{
		Table: t.name.String(), Phase: gt.phase(), Limit: g.limit(t), Inside: t.inside, Waiting: len(gt.queue), Since: gt.since,
	}
	if r := gt.refill; r != nil {
		s.Peak, s.Entered, s.Waited, s.Through = r.peak, r.entered, r.waits, r.through
		if s.Phase == PhaseRefill {
			s.Since = r.since
		}
	}
	return s
}

func (gt *gate) phase() Phase {
	switch {
	case gt.verdict != nil:
		return PhaseStalled
	case gt.piled:
		return PhasePileUp
	case gt.holds > 0:
		return PhaseDDL
	case gt.refill != nil:
		return PhaseRefill
	}
	return PhaseBurst
}
