package catalog

import (
	"slices"

	"weir/cache/dep"
)

// reference is what the foreign keys that change their child refer to in one parent.
type reference struct {
	columns []string // sorted, each once
	unknown bool
}

// references collects what the keys refer to, for each parent.
func references(keys []foreignKey, shapeOf func(dep.Name) *dep.Shape) map[dep.Name]reference {
	all := map[dep.Name]reference{}
	for _, k := range keys {
		r := all[k.parent]
		r.columns = append(r.columns, k.columns...)
		r.unknown = r.unknown || k.columns == nil
		all[k.parent] = r
	}
	for parent, r := range all {
		all[parent] = r.settled(shapeOf(parent))
	}
	return all
}

// settled is what can be said of a table with this shape. A column that it does not have is one that was renamed between
// two queries, or whose name is not folded here as the server folds it; nothing is known then.
func (r reference) settled(s *dep.Shape) reference {
	missing := func(column string) bool {
		_, found := s.Find(column)
		return !found
	}
	if r.unknown || s == nil || slices.ContainsFunc(r.columns, missing) {
		return reference{unknown: true}
	}
	slices.Sort(r.columns)
	return reference{columns: slices.Compact(r.columns)}
}
