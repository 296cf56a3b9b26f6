package statement

import (
	"weir/cache"
	"weir/cache/dep"
)

// layout reports whether it matters to a cacheable statement how its tables are stored: see [readSet].
func (st Statement) layout() bool { return st.Plan == nil || st.Plan.layout }

// Whole returns what a cacheable statement depends on if each table that it reads counts as a whole.
func (st Statement) Whole() []dep.Dependency {
	all := dep.ByTables(st.Tables)
	for i := range all {
		all[i].Layout = st.layout()
	}
	return all
}

// Layouts returns the tags of how the tables of a cacheable statement are stored, if that matters to it; else none.
func (st Statement) Layouts() []cache.Tag {
	if !st.layout() {
		return nil
	}
	tags := make([]cache.Tag, len(st.Tables))
	for i, n := range st.Tables {
		tags[i] = n.Layout()
	}
	return tags
}
