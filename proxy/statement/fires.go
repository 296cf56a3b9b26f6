package statement

import "weir/cache/dep"

// Cascades is what a [Catalog] may offer on top: the tables whose rows may change, through foreign keys, when rows of a
// table do. From MySQL 9.6 on such changes fire triggers, too.
type Cascades interface {
	Cascades(dep.Name) []dep.Name
}

// Triggers is what a [Catalog] may offer on top: whether a table has triggers, and whether that is known. It is known of
// tables, too, of which no results may be kept, such as those of the engine MEMORY.
type Triggers interface {
	Triggers(dep.Name) (has, known bool)
}

// longHead is how much is looked at of a text that is too long to be analysed, in bytes.
const longHead = 4 << 10

// fires names a table whose triggers a write may fire; empty if there is none. Whatever could be the name of a table is
// taken for one, views may be of any table, and a name that the catalog does not know counts where a table is written to.
func (a *Analyzer) fires(in input, verb string) (table string) {
	switch verb {
	case "INSERT", "REPLACE", "LOAD":
		if len(in.sql) > MaxLength {
			in = in.of(in.sql[:longHead])
		}
	case "UPDATE", "DELETE", "WITH":
		if len(in.sql) > MaxLength {
			return "a long statement"
		}
	default:
		return ""
	}
	if in.env.Catalog == nil {
		return ""
	}
	c := newCursor(in)
	var before [2]token
	for !c.done() {
		target := c.isTarget(before)
		start := c.cur
		if name, ok := c.tableName(); ok && in.mayFire(name, target) {
			return name.String()
		}
		if c.cur == start {
			c.advance()
		}
		before = [2]token{start, before[0]}
	}
	return ""
}

// isTarget tells whether a table may be named here, given the two tokens before. It may follow IGNORE and its like, and
// it does not follow ON DUPLICATE KEY UPDATE.
func (c *cursor) isTarget(before [2]token) bool {
	switch c.upper(before[0]) {
	case "INTO", "FROM", "JOIN", "TABLE", "INSERT", "REPLACE", "IGNORE", "DELAYED", "LOW_PRIORITY", "HIGH_PRIORITY", "USING":
		return !c.atWord("INTO", "FROM", "IGNORE", "DELAYED", "LOW_PRIORITY", "HIGH_PRIORITY", "SELECT", "TABLE", "LATERAL")
	case "UPDATE":
		return !c.is(before[1], "KEY") && !c.atWord("IGNORE", "LOW_PRIORITY")
	}
	return false
}

// tableName takes a name, with its schema if it has one, and tells whether it could be that of a table.
func (c *cursor) tableName() (dep.Name, bool) {
	if c.cur.kind != wordToken && c.cur.kind != quotedToken {
		return dep.Name{}, false
	}
	schema, name := c.in.env.Schema, c.name()
	if c.acceptPunct('.') {
		schema, name = name, c.name()
	}
	return dep.Fold(schema, name), name != ""
}

func (in input) untriggered(name dep.Name) bool {
	more, ok := in.env.Catalog.(Triggers)
	if !ok {
		return false
	}
	has, known := more.Triggers(name)
	return known && !has
}

func (in input) mayFire(name dep.Name, target bool) bool {
	r := in.env.Catalog.Relation(name)
	switch {
	case r.Kind == dep.Unknown && in.untriggered(name):
	case r.Kind == dep.Unknown:
		return target
	case r.Kind == dep.View || r.Triggers:
		return true
	}
	more, ok := in.env.Catalog.(Cascades)
	if !ok {
		return false
	}
	for _, child := range more.Cascades(name) {
		if reached := in.env.Catalog.Relation(child); reached.Kind == dep.Unknown || reached.Triggers {
			return true
		}
	}
	return false
}
