package ddlwatch

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
	"weir/replicator/change"
)

// maxWarned bounds the memory for what has been warned of. Beyond it, unknown statements are only counted.
const maxWarned = 256

// Stage turns the statements of each transaction into what they touch. It is a [change.Applier].
type Stage struct {
	catalog Catalog
	next    change.Applier
	metrics *metrics
	log     *slog.Logger
	warned  map[string]bool

	// Observer, if not nil, hears of schema changes. It is set before the first Apply.
	Observer Observer
}

// NewStage returns a stage that tells catalog of changed definitions and passes transactions on to next. A nil reg
// counts for nobody; a nil log is silent.
func NewStage(catalog Catalog, next change.Applier, reg prometheus.Registerer, log *slog.Logger) *Stage {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Stage{catalog: catalog, next: next, metrics: newMetrics(reg), log: log, warned: map[string]bool{}}
}

// Apply reads the statements of t and passes t on, without them. Two orders matter:
//
//  1. The catalogue hears of a changed definition before next does. Else a result could be filled and analysed with
//     the old definition after its tags were touched, and depend on the wrong tables for ever.
//  2. Each statement is read after the catalogue has heard of those before it, so that what they changed counts as
//     unknown.
func (s *Stage) Apply(ctx context.Context, t *change.Transaction) {
	var seen []Change
	for _, st := range t.Statements {
		if c, ok := observed(t, st, s.apply(t, st)); ok {
			seen = append(seen, c)
		}
	}
	t.Statements = nil
	s.touching(seen)
	s.next.Apply(ctx, t)
	s.touched(seen)
}

func (s *Stage) touching(seen []Change) {
	if s.Observer == nil {
		return
	}
	for _, c := range seen {
		s.Observer.Touching(c)
	}
}

func (s *Stage) touched(seen []Change) {
	if s.Observer == nil {
		return
	}
	for _, c := range seen {
		s.Observer.Touched(c)
	}
}

// apply reads one statement, tells the catalogue, and adds to t what it touches.
func (s *Stage) apply(t *change.Transaction, st change.Statement) Effect {
	e := Read(st.Schema, st.SQL, s.catalog)
	s.triggers(&e)
	if !st.Phase.TakesEffect() && e.phased() {
		e = Effect{Class: None, Tables: e.Tables, Kind: e.Kind}
		s.metrics.count(e.Kind, "nothing")
		return e
	}
	s.metrics.count(e.Kind, reach(e))
	if e.Unsure {
		s.warn(e, st.SQL)
	}
	s.tell(t, e)
	touch(t, e)
	return e
}

// triggers: what a trigger writes is not in the text of the statement that fired it.
func (s *Stage) triggers(e *Effect) {
	if !e.Rows {
		return
	}
	for _, n := range e.Tables {
		switch has, known := s.catalog.Triggers(n); {
		case !known:
			e.everything("writes " + n.String() + ", whose triggers are not known")
		case has:
			e.everything("writes " + n.String() + ", which has triggers")
		}
	}
}

// tell tells the catalogue what to read again.
func (s *Stage) tell(t *change.Transaction, e Effect) {
	if e.Class == None {
		if e.Schema {
			s.catalog.Reindexed(t.Seq, slices.Clone(e.Tables))
		}
		return
	}
	names := slices.Clone(e.Tables)
	switch {
	case e.movesOnly():
		s.catalog.Moved(t.Seq, names)
	case e.Schema || e.ForeignKeys:
		s.catalog.Changed(t.Seq, names, slices.Clone(e.Schemas), e.Everything != "", e.ForeignKeys || e.Moves)
	}
}

// touch adds the effect to the transaction. An unknown text may be about accounts.
func touch(t *change.Transaction, e Effect) {
	if t.Everything == "" {
		t.Everything = e.Everything
	}
	if e.Class == Account || e.Unsure && e.Schema {
		t.Touch(dep.Accounts())
	}
	if e.CatalogOnly {
		return
	}
	if e.Class == None {
		rearrange(t, e)
		return
	}
	for _, n := range e.Tables {
		t.Touch(n)
		if e.Schema {
			t.Redefine(n)
		}
		t.Did(n, verbOf(e), 0)
	}
	for _, schema := range e.Schemas {
		if !slices.Contains(t.Schemas, schema) {
			t.Schemas = append(t.Schemas, schema)
		}
	}
}

func verbOf(e Effect) change.Verb {
	if e.Rows {
		return change.InText
	}
	return change.DDL
}

// rearrange adds the tables of which no row has changed.
func rearrange(t *change.Transaction, e Effect) {
	for _, n := range e.Tables {
		t.Rearrange(n)
	}
}

// warn logs a statement that was not understood, once for each kind and first words. The rest of the text may hold
// data or a password.
func (s *Stage) warn(e Effect, sql string) {
	words := firstWords(sql)
	key := e.Kind + " " + words
	if s.warned[key] || len(s.warned) >= maxWarned {
		return
	}
	s.warned[key] = true
	s.log.Warn("a statement in the binlog was not understood and counts as a change of everything",
		"kind", e.Kind, "begins", words, "reason", e.Everything)
}

// firstWords returns up to two words that the text begins with, in upper case. Longer ones are not keywords.
func firstWords(sql string) string {
	c := cursor{lexer: lexer{sql: sql, quoting: quoting{backslash: true}}}
	var words []string
	for c.advance(); c.tok.kind == word && len(c.tok.src) <= 16 && len(words) < 2; c.advance() {
		words = append(words, strings.ToUpper(c.tok.src))
	}
	return strings.Join(words, " ")
}
