package dep

import "weir/cache"

// Grain says how finely a result depends on a table.
type Grain uint8

// Grains, from coarse to fine.
const (
	// ByTable: any change to the table counts.
	ByTable Grain = iota
	// ByColumns: inserted and deleted rows count, and changes to some columns.
	ByColumns
	// ByRange: rows count whose value in some column is in a range.
	ByRange
	// ByRow: rows count that have certain values in some columns.
	ByRow
)

// String names a grain, as for a metric label.
func (g Grain) String() string {
	return [...]string{"table", "columns", "range", "row"}[g]
}

// Interest is what must be known of a column's changes.
type Interest uint8

// Interests, which add up.
const (
	// InValue: the tags of rows, before and after.
	InValue Interest = 1 << iota
	// InRange: the tags of the buckets, before and after.
	InRange
	// InChange: whether an update changed the column.
	InChange
	// InCell: of rows by their value in the column, which other columns an update changed, of those that are followed by
	// InChange.
	InCell
)

// Want is an interest in a column, whose name is in lower case.
type Want struct {
	Column   string
	Interest Interest
}

// Dependency is what a result takes from one table.
type Dependency struct {
	Table Name
	Grain Grain
	// Tags are what [Grain] says; nil for ByTable.
	Tags []cache.Tag
	// Layout says that it also depends on how the table is stored: see [Name.Layout].
	Layout bool
	// Wants are what must be watched for the tags to be touched.
	Wants []Want
}

// Coarse returns the dependency on the table as a whole.
func (d Dependency) Coarse() Dependency { return Dependency{Table: d.Table, Layout: d.Layout} }

// ByTables returns the dependencies on tables as a whole.
func ByTables(names []Name) []Dependency {
	all := make([]Dependency, len(names))
	for i, n := range names {
		all[i] = Dependency{Table: n}
	}
	return all
}

// Anchors returns the tags on which a result depends whatever it takes from the tables: everything, the schemas, and the
// anchors of the tables.
func Anchors(names []Name) []cache.Tag { return tags(names, Name.Anchor) }

// TagsOf returns the tags of a result with these dependencies, and how many of them, from the front, are anchors.
// Those of layouts are the last.
func TagsOf(all []Dependency) (tags []cache.Tag, anchors int) {
	names := make([]Name, len(all))
	for i, d := range all {
		names[i] = d.Table
	}
	tags = Anchors(names)
	anchors = len(tags)
	for _, d := range all {
		if d.Grain == ByTable {
			tags = append(tags, d.Table.Tag())
		} else {
			tags = append(tags, d.Tags...)
		}
	}
	for _, d := range all {
		if d.Layout {
			tags = append(tags, d.Table.Layout())
		}
	}
	return tags, anchors
}
