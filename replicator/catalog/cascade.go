package catalog

import (
	"cmp"
	"slices"

	"weir/cache/dep"
)

// foreignKey is one that changes rows of the child when rows of the parent change.
type foreignKey struct {
	parent, child dep.Name
	// columns are those of the parent that it refers to, in lower case; nil if any change of the parent may change the
	// child.
	columns []string
}

// closure returns, for each parent, every table that its changes may reach. Cycles and keys of a table to itself are
// no special case.
func closure(keys []foreignKey) map[dep.Name][]dep.Name {
	children := map[dep.Name][]dep.Name{}
	for _, k := range keys {
		children[k.parent] = append(children[k.parent], k.child)
	}
	all := make(map[dep.Name][]dep.Name, len(children))
	for parent := range children {
		all[parent] = reach(children, parent)
	}
	return all
}

// reach walks down from one table.
func reach(children map[dep.Name][]dep.Name, from dep.Name) []dep.Name {
	seen := map[dep.Name]bool{}
	var found []dep.Name
	open := []dep.Name{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, child := range children[at] {
			if !seen[child] {
				seen[child] = true
				found = append(found, child)
				open = append(open, child)
			}
		}
	}
	slices.SortFunc(found, compareNames)
	return found
}

func compareNames(a, b dep.Name) int {
	return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table))
}
