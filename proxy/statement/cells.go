package statement

import (
	"weir/cache"
	"weir/cache/dep"
)

// maxCells is how many tags a result may have for single columns of rows of one table.
const maxCells = 12

// byCell reports whether a result is to depend on single columns of the rows that were chosen, and not on all of them:
// an update of another column of a row does not change it. What is said at [readSet.columns] about which columns a
// statement uses holds here too, but for one thing. Where it is left open which rows make the result, in what order
// (LIMIT, GROUP_CONCAT), any column may decide about that; but not if each mention has a single row, by a key that is
// unique.
func (t *tablePlan) byCell(c *choice) bool {
	return t.named != nil && c.grain == dep.ByRow && len(c.atoms)*(len(t.named)+1) <= maxCells && (t.columns != nil || !c.several)
}

// cells returns the tags and interests that take the place of the rows' own.
func (c *choice) cells(table dep.Name, named []string) (tags []cache.Tag, wants []dep.Want) {
	next := choice{}
	for i := range c.atoms {
		key := c.atoms[i].column.Name
		next.tag(table.CellKey(key, key).Row(c.values[i]))
		if c.atoms[i].column.Type.Partial() {
			next.tag(table.CellKey(key, key).Unread())
		}
		next.want(key, dep.InCell)
		for _, column := range named {
			if column != key {
				next.tag(table.CellKey(key, column).Row(c.values[i]))
				next.want(column, dep.InChange)
			}
		}
	}
	return next.tags, next.wants
}
