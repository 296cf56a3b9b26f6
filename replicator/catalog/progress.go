package catalog

import "sync/atomic"

// Progress is how far a load of the whole schema is, for people who wait for it.
type Progress struct {
	// Step is what is being done, such as "read views".
	Step string
	// Done are the tables whose columns and keys are read, of Of; both 0 before that step.
	Done, Of int
}

// progress is what a load has said last; nil if none of the whole schema runs. A nil *progress hears nothing.
type progress struct{ at atomic.Pointer[Progress] }

// Progress returns how far the load of the whole schema is that runs now; false if none does.
func (c *Catalog) Progress() (Progress, bool) {
	if p := c.progress.at.Load(); p != nil {
		return *p, true
	}
	return Progress{}, false
}

func (p *progress) begin(step string) { p.tables(step, 0, 0) }

func (p *progress) tables(step string, done, of int) {
	if p != nil {
		p.at.Store(&Progress{Step: step, Done: done, Of: of})
	}
}

func (p *progress) end() { p.at.Store(nil) }
