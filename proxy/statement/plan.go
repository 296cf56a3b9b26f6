package statement

import (
	"slices"

	"weir/cache"
	"weir/cache/dep"
)

// maxRows is how many rows' tags a result may have for one table.
const maxRows = 64

// A Plan says what a statement depends on, for any values of its literals and parameters. It does not change, and is
// shared by all texts that differ in literals alone. A nil Plan is one of a statement that is not understood: it depends
// on all that it reads as a whole.
type Plan struct {
	tables []tablePlan
	layout bool // see [dep.Dependency]
}

// tablePlan is what a statement takes from one table: certain rows, if there is a candidate for each mention of it whose
// tags can be made; else some columns, if columns are known; else the table.
type tablePlan struct {
	name    dep.Name
	refs    [][]candidate
	columns *columnsPlan
	why     string // columns are not known
	// named are the columns that the statement may use, also where columns does not say what a result depends on because
	// it is left open which rows make it; nil if they are not known.
	named []string
}

// A candidate is a restriction of a mention: rows count that satisfy one of the atoms.
type candidate []boundAtom

// boundAtom is an atom by the column of the mention that it restricts. It holds on to no part of the text.
type boundAtom struct {
	low, high int
	rule      rule
	key       dep.RowKey
	column    *dep.Column
	// typ is that of the column which is compared with the literal, whose encoding is that of all columns of its class.
	typ  *dep.Type
	cost int
}

func bind(table dep.Name, on attr, a atom) boundAtom {
	return boundAtom{
		low: a.low, high: a.high, rule: a.rule,
		key: table.RowKey(on.col().Name), column: on.col(), typ: &a.attr.col().Type, cost: cost(on, a.rule),
	}
}

// tells reports whether the column's values in row events tell which rows an atom is about.
func tells(on attr, a atom) bool {
	c, from := on.col(), a.attr.col()
	switch {
	case c.Virtual || from.Virtual || c.Type.Class == dep.Opaque || from.Type.Class == dep.Opaque:
		return false
	case !a.rule.ranged():
		return true
	case !ordered(c.Type.Class):
		return false
	}
	// Positions of equal values are the same only within one type.
	return c == from || c.Type.Name == from.Type.Name && c.Type.Unsigned == from.Type.Unsigned && c.Type.Scale == from.Type.Scale
}

// ordered reports whether values of the class have a place in an order.
func ordered(c dep.Class) bool { return c == dep.Whole || c == dep.Date || c == dep.DateTime }

// Dependencies returns what the statement depends on with these values of its literals, which are in the order of the
// text: one for each table and view that it reads.
func (p *Plan) Dependencies(values []dep.Literal) []dep.Dependency {
	out := make([]dep.Dependency, len(p.tables))
	for i := range p.tables {
		out[i] = p.tables[i].dependency(values)
		out[i].Layout = p.layout
	}
	return out
}

func (t *tablePlan) dependency(values []dep.Literal) dep.Dependency {
	d := dep.Dependency{Table: t.name}
	switch c := t.choose(values); {
	case c != nil:
		if d.Grain, d.Tags, d.Wants = c.grain, c.tags, c.wants; t.byCell(c) {
			d.Tags, d.Wants = c.cells(t.name, t.named)
		}
	case t.columns != nil:
		d.Grain, d.Tags, d.Wants = dep.ByColumns, t.columns.tags, t.columns.wants
	}
	return d
}

// choice is what was chosen for a table: the rows of all its mentions together.
type choice struct {
	grain   dep.Grain
	tags    []cache.Tag
	wants   []dep.Want
	atoms   []boundAtom
	values  [][]byte // the atoms' encoded literals; nil for ranges
	buckets int
	// several says that a mention may have more than one row.
	several bool
}

// choose takes the first candidate of each mention whose tags can be made; nil if a mention has none.
func (t *tablePlan) choose(values []dep.Literal) *choice {
	if len(t.refs) == 0 {
		return nil
	}
	c := &choice{grain: dep.ByRow}
	for _, candidates := range t.refs {
		if !slices.ContainsFunc(candidates, func(one candidate) bool { return c.take(one, values) }) {
			return nil
		}
	}
	return c
}

// take adds a candidate; false if its tags cannot be made, or are too many.
func (c *choice) take(one candidate, values []dep.Literal) bool {
	next := *c
	next.tags, next.wants = slices.Clip(c.tags), slices.Clip(c.wants)
	next.atoms, next.values = slices.Clip(c.atoms), slices.Clip(c.values)
	next.several = c.several || len(one) > 1 || one.cost() > 0
	if !one.comparable(values) {
		return false
	}
	for i := range one {
		if !next.add(&one[i], values) {
			return false
		}
	}
	*c = next
	return true
}

func (c *choice) add(a *boundAtom, values []dep.Literal) bool {
	low, high := values[a.low], values[a.high]
	before := len(c.tags)
	var b []byte
	if !a.rule.ranged() {
		var ok bool
		b, ok = a.typ.AppendLiteral(make([]byte, 0, 64), low)
		if !ok {
			return false
		}
		c.tag(a.key.Row(b))
		if a.column.Type.Partial() {
			c.tag(a.key.Unread())
		}
		c.want(a.column.Name, dep.InValue)
	} else if !c.addRange(a, low, high) {
		return false
	}
	if len(c.tags) > before {
		c.atoms, c.values = append(c.atoms, *a), append(c.values, b)
	}
	return len(c.tags)-c.buckets <= maxRows && c.buckets <= dep.MaxBuckets
}

func (c *choice) addRange(a *boundAtom, low, high dep.Literal) bool {
	from, ok1 := a.column.Type.LiteralPosition(low)
	to, ok2 := a.column.Type.LiteralPosition(high)
	buckets, ok := dep.Buckets(from, to)
	if !ok1 || !ok2 || !ok {
		return false
	}
	for _, b := range buckets {
		if c.tag(a.key.Bucket(b)) {
			c.buckets++
		}
	}
	c.grain = dep.ByRange
	c.want(a.column.Name, dep.InRange)
	return true
}

// tag adds a tag; false if it is there.
func (c *choice) tag(t cache.Tag) bool {
	if slices.Contains(c.tags, t) {
		return false
	}
	c.tags = append(c.tags, t)
	return true
}

func (c *choice) want(column string, i dep.Interest) {
	if w := (dep.Want{Column: column, Interest: i}); !slices.Contains(c.wants, w) {
		c.wants = append(c.wants, w)
	}
}
