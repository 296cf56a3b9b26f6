package pace

import "time"

// everythingFor is for how long after RefillAll a table that is read for the first time gets a refill. Who reads it for
// the first time later than that is no part of the herd.
const everythingFor = 10 * time.Second

// everything is what RefillAll has begun. The lock guards it.
type everything struct {
	round  uint64
	until  time.Time // zero if none is under way
	schema string    // whose tables are meant; "" for all there are
}

// RefillAll says that all results are about to become unservable. Each table that is read within the next ten seconds
// begins a refill with that. It is called as Refill is.
func (g *Gates) RefillAll() { g.refillAll("") }

// RefillSchema is RefillAll for the tables of one schema, in lower case.
func (g *Gates) RefillSchema(schema string) { g.refillAll(schema) }

// refillAll: while a round for other tables is under way, both are for all.
func (g *Gates) refillAll(schema string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := &g.everything
	now := time.Now()
	if e.until.After(now) && e.schema != schema {
		schema = ""
	}
	e.round++
	e.schema, e.until = schema, now.Add(everythingFor)
}

// joinRound begins a refill of a table that is being read, if the round of RefillAll has not reached it. The lock is
// held.
func (g *Gates) joinRound(t *table) {
	e := &g.everything
	if e.until.IsZero() || t.round == e.round || e.schema != "" && e.schema != t.name.Schema {
		return
	}
	if time.Now().After(e.until) {
		e.until = time.Time{}
		return
	}
	t.round = e.round
	g.beginRefill(t)
}
