package ddlwatch

import (
	"time"

	"weir/cache/dep"
)

// recorded is a change that comes through the stream.
type recorded struct {
	Change
	at         time.Time // when the ledger had heard of it
	unservable int       // results in memory that depended on what it changed
}

// maxRecorded bounds what waits for Run. Beyond it a change is paced like any other, but nobody is told of it.
const maxRecorded = 10000

// Touching implements [Observer]. The gates close before the ledger is touched:
//
//  1. The touch makes the results of T unservable.
//  2. A thousand clients ask for them in the same millisecond, and all go to the server.
//  3. The gate of T closes.
//
// If 3 comes first, the clients of 2 meet it.
func (w *Watcher) Touching(c Change) {
	r := recorded{Change: c, unservable: w.dependents(c.Effect)}
	w.touching = append(w.touching, r) // also one that takes no effect: Touched takes it out
	if r.unservable > 0 && !c.Effect.leavesNothing() {
		w.close(c.Effect)
	}
}

// leavesNothing reports whether there is nothing left that could be read again: a read of it is an error, and costs a
// server nothing.
func (e Effect) leavesNothing() bool { return e.Class == Gone || e.Kind == "drop_database" }

// close closes the gates of what the effect ends the results of.
func (w *Watcher) close(e Effect) {
	if e.Everything != "" {
		w.gates.RefillAll()
		return
	}
	for _, s := range e.Schemas {
		w.gates.RefillSchema(s)
	}
	for _, n := range e.Tables {
		if w.parts.Cache.Dependents(n.Anchor()) > 0 {
			w.gates.Refill(n)
		}
	}
}

// dependents is how many results in memory depend on what an effect changes. One that depends on two of its tables counts
// twice.
func (w *Watcher) dependents(e Effect) (n int) {
	switch {
	case e.Everything != "":
		return w.parts.Cache.Dependents(dep.Everything())
	case !e.endsResults():
		return 0
	}
	for _, s := range e.Schemas {
		n += w.parts.Cache.Dependents(dep.Schema(s))
	}
	for _, t := range e.Tables {
		n += w.parts.Cache.Dependents(t.Anchor())
	}
	return n
}

// endsResults reports whether the effect ends all results of its tables and schemas.
func (e Effect) endsResults() bool {
	switch e.Class {
	case None, Routine, Trigger:
		return false
	}
	return !e.CatalogOnly
}

// Touched implements [Observer].
func (w *Watcher) Touched(Change) {
	r := w.touching[0]
	w.touching = w.touching[1:]
	r.at = time.Now()
	if !r.Phase.TakesEffect() {
		return // an ALTER has begun, and is seen where it runs; or it has failed
	}
	w.mu.Lock()
	if len(w.recorded) < maxRecorded {
		w.recorded = append(w.recorded, r)
	}
	w.mu.Unlock()
	w.wake()
}

// wake lets Run look for changes.
func (w *Watcher) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}
