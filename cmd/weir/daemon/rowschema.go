package daemon

import (
	"weir/cache/dep"
	"weir/replicator/catalog"
)

// rowSchema is the catalogue as the reader of rows asks for it.
type rowSchema struct{ *catalog.Catalog }

// Shape implements [replicator.RowSchema]. The rows of a table with system versioning are not told one by one: its
// events have columns that no statement names, and rows of the past.
func (s rowSchema) Shape(n dep.Name) *dep.Shape {
	if r := s.Relation(n); r.Kind == dep.BaseTable {
		return r.Shape
	}
	return nil
}

// Referenced implements [replicator.RowSchema]: the catalogue does not know columns of foreign keys, so that any change
// to a parent may reach its children.
func (rowSchema) Referenced(dep.Name) []string { return nil }
