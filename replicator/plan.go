package replicator

import (
	"slices"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/cache/dep"
)

// plan says how changes to one table are told, as long as the table map, what is watched, and the schema stay the same.
type plan struct {
	// The table map. Its bytes are a part of an event, so these are copies.
	schema, table, codes string
	meta                 []uint16

	name    dep.Name
	watched *dep.Watched
	version uint64 // of the schema

	// whole, unless it is toldByRows, is why the rows are not looked at: the table counts as changed as a whole.
	whole told
	// coarse, unless it is toldByRows, is why every change touches the anchor, though rows are looked at for children.
	coarse told

	images    imageReader
	columns   []watchedColumn
	rowset    bool // somebody is interested in inserted and deleted rows
	rowsetTag cache.Tag
	children  children

	before, after []value // of columns, of the row at hand
	scratch       []byte

	said told // of the last event
}

// watchedColumn is a column that somebody is interested in.
type watchedColumn struct {
	index      int // in the table
	kind       *dep.Type
	field      dep.Field
	key        dep.RowKey
	changed    cache.Tag
	interest   dep.Interest
	referenced bool // by a foreign key with an action
	// cells are the keys of the single columns of rows with a value in this one, in the order of the plan's columns; nil if
	// nobody is interested.
	cells []dep.RowKey
}

// children says which changes to a table may change rows of others, through foreign keys.
type children uint8

const (
	noChildren        children = iota
	childrenOfAny              // every change
	childrenOfColumns          // deleted rows, and changes to the referenced columns
)

func newPlan(m *replication.TableMapEvent) *plan {
	name := dep.Fold(string(m.Schema), string(m.Table))
	return &plan{
		schema: string(m.Schema), table: string(m.Table), codes: string(m.ColumnType), meta: slices.Clone(m.ColumnMeta),
		name: name, rowsetTag: name.Rowset(),
	}
}

// about reports whether the plan was made for such a table map. A table's id is not enough: it begins anew when the
// server does.
func (p *plan) about(m *replication.TableMapEvent) bool {
	return p.codes == string(m.ColumnType) && p.schema == string(m.Schema) && p.table == string(m.Table) &&
		slices.Equal(p.meta, m.ColumnMeta)
}

// compile makes the plan for what is watched of the table, nil for nothing. The version is the schema's from before it
// is asked.
func (p *plan) compile(s RowSchema, watched *dep.Watched, version uint64) {
	p.watched, p.version = watched, version
	p.columns, p.rowset, p.coarse = nil, false, toldByRows
	referenced := p.parent(s)
	switch {
	case watched != nil:
		p.whole = p.lay(s.Shape(p.name), watched.Columns, referenced)
	case p.children != childrenOfColumns:
		p.whole = unwatched
	default:
		p.coarse = unwatched
		if p.whole = p.lay(s.Shape(p.name), nil, referenced); p.whole != toldByRows {
			p.whole = unwatched
		}
	}
	p.before, p.after = make([]value, len(p.columns)), make([]value, len(p.columns))
}

// parent asks which changes reach other tables, and returns the columns that are referenced.
func (p *plan) parent(s RowSchema) (referenced []string) {
	p.children = noChildren
	if s.Uncertain() {
		p.children = childrenOfAny
		return nil
	}
	if len(s.Cascades(p.name)) > 0 {
		var known bool
		p.children = childrenOfColumns
		if referenced, known = s.Referenced(p.name); !known || len(referenced) == 0 {
			p.children = childrenOfAny
		}
	}
	return referenced
}

// lay works out where the watched columns are in a row image. The schema is that of now and the rows are of then, though
// the catalogue does what it can to prevent it: they must agree in the number of columns and in every type.
func (p *plan) lay(shape *dep.Shape, interests map[string]dep.Interest, referenced []string) told {
	if shape == nil || len(shape.Columns) != len(p.codes) {
		return otherShape
	}
	if len(p.meta) != len(p.codes) {
		return notRead
	}
	p.images = imageReader{sizes: make([]fieldSize, len(p.codes)), slots: make([]int, len(p.codes))}
	p.rowset = interests[""]&dep.InChange != 0
	for i := range shape.Columns {
		field := dep.Field{Code: p.codes[i], Meta: p.meta[i]}
		size, ok := sizeOf(field)
		if !ok {
			return notRead
		}
		if !shape.Columns[i].Type.Agrees(field) {
			return otherShape
		}
		p.images.sizes[i] = size
		p.images.slots[i] = p.watch(shape, i, field, interests, referenced)
	}
	p.divide(shape)
	return p.missing(shape, referenced)
}

// divide prepares the tags of single columns of rows.
func (p *plan) divide(shape *dep.Shape) {
	for i := range p.columns {
		c := &p.columns[i]
		if c.interest&dep.InCell == 0 {
			continue
		}
		for j := range p.columns {
			c.cells = append(c.cells, p.name.CellKey(shape.Columns[c.index].Name, shape.Columns[p.columns[j].index].Name))
		}
	}
}

// watch adds a column to those that are looked at, if anybody wants it, and returns its place among them.
func (p *plan) watch(shape *dep.Shape, index int, field dep.Field, interests map[string]dep.Interest, referenced []string) int {
	c := &shape.Columns[index]
	w := watchedColumn{index: index, kind: &c.Type, field: field, interest: interests[c.Name], referenced: slices.Contains(referenced, c.Name)}
	if w.interest == 0 && !w.referenced {
		return -1
	}
	if c.Virtual { // computed, and perhaps otherwise by the server that reads it
		p.coarse = notLogged
		if w.referenced {
			p.children = childrenOfAny
		}
		return -1
	}
	w.key, w.changed = p.name.RowKey(c.Name), p.name.Column(c.Name)
	p.columns = append(p.columns, w)
	return len(p.columns) - 1
}

// missing: a referenced column that the table does not have shows that something is not as it was.
//
// A watched column that the table does not have is no such sign. Interests are not given up:
//
//  1. A result depends on t.c = 5.
//  2. ALTER TABLE t DROP COLUMN c. The anchor of t is touched; the result is dead.
//  3. Another result, analysed before 2, takes up the interest once more. Its AsOf is before 2 too.
//  4. Rows of t change. Nobody alive depends on t.c.
func (p *plan) missing(shape *dep.Shape, referenced []string) told {
	for _, name := range referenced {
		if _, ok := shape.Find(name); !ok {
			return otherShape
		}
	}
	return toldByRows
}
