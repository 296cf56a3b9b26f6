package statement

import (
	"slices"

	"weir/cache"
	"weir/cache/dep"
)

// maxColumns is how many columns of a table may count one by one.
const maxColumns = 16

// columnsPlan is a dependency on the set of rows and on some columns.
type columnsPlan struct {
	names []string
	tags  []cache.Tag
	wants []dep.Want
}

// columns returns the columns of a table that the statement may use, or why the whole table counts.
//
// What a statement makes of a table without a restriction is a function of the set of rows and of the columns that it
// names; of the primary key as well, by which rows are told apart. Names are taken from everywhere, the definitions of
// views included, and count for each table that has a column of that name. It is not so
//
//   - where columns are used without being named: *, NATURAL JOIN, _rowid;
//   - where the choice of a partition depends on columns that are not named: PARTITION (p);
//   - for virtual columns, which are made of others and which events do not tell reliably;
//   - where the statement leaves open which rows make the result, or in what order (LIMIT, windows, GROUP_CONCAT,
//     ANY_VALUE), which is for the caller to say: the cached answer would still be one that a server may give, but the one
//     that it does give can change with any column, by way of the index that it chooses.
func (r *readSet) columns(t *tableReads) (*columnsPlan, string) {
	switch {
	case t.star:
		return nil, "all its columns are read with *"
	case t.parts:
		return nil, "PARTITION chooses rows by columns that are not named"
	case r.odd != "":
		return nil, r.odd
	}
	p := &columnsPlan{tags: []cache.Tag{t.name.Rowset()}, wants: []dep.Want{{Interest: dep.InChange}}}
	for i, c := range t.shape.Columns {
		switch {
		case !r.names[c.Name] && !slices.Contains(t.shape.Primary(), i):
			continue
		case c.Virtual:
			return nil, "the column " + c.Name + " is virtual"
		case len(p.names) == maxColumns:
			return nil, "the statement uses many of its columns"
		}
		p.names = append(p.names, c.Name)
		p.tags = append(p.tags, t.name.Column(c.Name))
		p.wants = append(p.wants, dep.Want{Column: c.Name, Interest: dep.InChange})
	}
	return p, ""
}
