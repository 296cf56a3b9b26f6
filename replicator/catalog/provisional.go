package catalog

import (
	"context"

	"weir/cache/dep"
)

// Foresee reads the schema as the source has it now, so that the epoch which the next Restart begins can tell rows by it
// although its stream begins in the past: see "The schema of now for rows of then" in the package comment. The caller
// vouches that the source shows every definition that was changed before the place where that stream begins, and begins the
// stream only after Foresee has returned. It is called from the goroutine that calls Restart.
func (c *Catalog) Foresee(ctx context.Context) error {
	c.loading.Lock()
	defer c.loading.Unlock()
	s, err := loadAll(ctx, c.querier, c.log, &c.progress)
	c.progress.end()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.foreseen = s
	return nil
}

// Fell reports, once, that something was redefined while rows were told by what Foresee had read. Whatever was told so
// before may be wrong, and the transaction that redefines it must end everything from before.
func (c *Catalog) Fell() bool { return c.fell.Load() && c.fell.Swap(false) }

// Rows is the catalogue as those ask it who tell changes by their rows, and nobody else. It answers what the catalogue
// answers, but for the time between a Restart for which there was a Foresee and the first change of a definition, or the
// first load that is published; then it answers what Foresee has read. It may be used from anywhere.
type Rows struct{ catalog *Catalog }

// Rows returns the catalogue for the reader of rows and for the recorder.
func (c *Catalog) Rows() Rows { return Rows{c} }

// Shape is [State.Shape].
func (r Rows) Shape(n dep.Name) *dep.Shape {
	s := r.catalog.State()
	if s.provisional != nil {
		return s.provisional.Relation(n).Shape
	}
	return s.Shape(n)
}

// Cascades is [State.Cascades].
func (r Rows) Cascades(n dep.Name) []dep.Name {
	s := r.catalog.State()
	if s.provisional != nil {
		return s.provisional.Cascades(n)
	}
	return s.Cascades(n)
}

// Referenced is [State.Referenced].
func (r Rows) Referenced(n dep.Name) (columns []string, known bool) {
	s := r.catalog.State()
	if s.provisional != nil {
		return s.provisional.Referenced(n)
	}
	return s.Referenced(n)
}

// Uncertain is [State.Uncertain].
func (r Rows) Uncertain() bool {
	s := r.catalog.State()
	return s.provisional == nil && s.Uncertain()
}

// Blank is [State.Blank]. What Foresee has read counts as read.
func (r Rows) Blank() bool {
	s := r.catalog.State()
	return s.provisional == nil && s.Blank()
}

// Version is [State.Version].
func (r Rows) Version() uint64 { return r.catalog.Version() }

// leavesRows reports whether what was read before a change says of rows what is so after it: if nothing changed but indexes,
// or partitions.
func (a alteration) leavesRows() bool {
	return len(a.names) == 0 && len(a.schemas) == 0 && !a.all && !a.keys
}
