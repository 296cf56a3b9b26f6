package ddlwatch

import (
	"time"

	"weir/cache/dep"
	"weir/ddlwatch/inflight"
)

// lingering is for how long what is done for a change that runs goes on after it is gone from its server: it may still be
// on its way through the stream.
const lingering = 2 * time.Second

// hold is what is done for a table while a change on it runs.
type hold struct {
	ends  []func()
	gated bool
	// idle is since when nothing is known to run on the table; zero while something does.
	idle time.Time
}

// flew is told of all that runs on the servers, whenever that changes; follow looks at it.
func (w *Watcher) flew(all []inflight.DDL) {
	w.mu.Lock()
	w.flies = all
	w.mu.Unlock()
	w.wake()
}

// hold does for the tables of all that runs what is to be done, and ends it for those that have been idle for long.
//
// A tool that copies a table works for hours on another one, and takes the table itself only at its end, with statements
// that are seen for themselves: its tables are protected, and no gate is closed.
func (f *following) hold(all []inflight.DDL, now time.Time) {
	for _, d := range all {
		for _, n := range d.Tables {
			f.held[n] = f.begin(f.held[n], n, d.Tool == "")
		}
	}
	piled := piledUp(all)
	for n, h := range f.held {
		waiting, runs := piled[n]
		f.gates.Piled(n, waiting)
		if h.over(runs, now) {
			h.end()
			delete(f.held, n)
		}
	}
}

// begin protects the results of a table, if they are not, and closes its gate, unless only a tool works on a copy.
func (f *following) begin(h *hold, n dep.Name, itself bool) *hold {
	if h == nil {
		h = &hold{ends: []func(){f.parts.Cache.Protect(n.Anchor()), f.pool.Busy()}}
	}
	if itself && !h.gated {
		h.gated = true
		h.ends = append(h.ends, f.gates.Hold(n))
	}
	return h
}

// over reports whether nothing has run on the table for long.
func (h *hold) over(runs bool, now time.Time) bool {
	switch {
	case runs:
		h.idle = time.Time{}
	case h.idle.IsZero():
		h.idle = now
	}
	return !runs && now.Sub(h.idle) >= lingering
}

func (h *hold) end() {
	for _, end := range h.ends {
		end()
	}
}
