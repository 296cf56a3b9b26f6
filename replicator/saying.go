package replicator

import (
	"bytes"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
)

// saying is what the rows of one event come to.
type saying struct {
	plan    *plan
	kind    rowKind
	guess   bool // see [rowEvent]
	tags    []cache.Tag
	how     told // not toldByRows: the anchor is touched
	rows    int  // that were read
	reached bool // foreign keys may have passed the change on
}

// settled reports that the table counts as a whole and that no further row can add to it. A change to the table as a
// whole reaches its children; so while it is not certain that they are reached, one goes on to look.
func (s *saying) settled() bool {
	return s.how != toldByRows && (s.plan.children == noChildren || s.reached)
}

// row adds what the row in the plan's before and after comes to.
func (s *saying) row() {
	s.rows++
	if s.how == toldByRows && !s.told() {
		s.how = notLogged
	}
	if s.plan.children == childrenOfColumns {
		s.reached = s.reached || s.kind == deleted || s.kind == updated && s.referencedChanged()
	}
}

// byRows notes a table whose rows have told everything.
func (s *saying) byRows(t *change.Transaction) {
	t.Tell(s.plan.name)
	if s.how != toldByRows {
		t.Tags = add(t.Tags, s.plan.name.Anchor())
	}
	if s.reached {
		t.Reach(s.plan.name)
	}
}

// told adds the tags of a row. It is false if a value that they need is missing or cannot be read.
func (s *saying) told() bool {
	p := s.plan
	if p.rowset && s.kind != updated {
		s.tags = add(s.tags, p.rowsetTag)
	}
	for i := range p.columns {
		if !s.column(&p.columns[i], &p.before[i], &p.after[i]) {
			return false
		}
	}
	return s.cells()
}

// column: under a row image that is not FULL, a column that is logged before an update and not after it has kept its
// value, unless that is a guess; one that is logged after it and not before may have changed; and one that is not logged
// at all is one whose value nobody knows, though the row has changed.
func (s *saying) column(c *watchedColumn, before, after *value) bool {
	switch s.kind {
	case inserted:
		return s.values(c, after)
	case deleted:
		return s.values(c, before)
	}
	changed := s.changed(before, after)
	if changed && c.interest&dep.InChange != 0 {
		s.tags = add(s.tags, c.changed)
	}
	return s.values(c, before) && (!changed || s.values(c, after))
}

// values adds the tags of a row by the value of one of its columns. NULL has none: no condition that has tags holds for it.
func (s *saying) values(c *watchedColumn, v *value) bool {
	if c.interest&(dep.InValue|dep.InRange) == 0 || v.state == isNull {
		return true
	}
	if v.state == absent {
		return false
	}
	return (c.interest&dep.InValue == 0 || s.byValue(c, v.raw)) && (c.interest&dep.InRange == 0 || s.byRange(c, v.raw))
}

func (s *saying) byValue(c *watchedColumn, raw []byte) bool {
	known, ok := s.encode(c, c.key, raw)
	if known {
		s.tags = add(s.tags, c.key.Row(s.plan.scratch))
	}
	return ok
}

// encode puts the encoding of a value into the plan's scratch. If it is not known, and the value may be any, the key's tag
// for such values is touched; ok is false if even that would not do.
func (s *saying) encode(c *watchedColumn, k dep.RowKey, raw []byte) (known, ok bool) {
	p := s.plan
	p.scratch, known = c.kind.AppendImage(p.scratch[:0], raw, c.field)
	if !known && c.kind.Partial() {
		s.tags = add(s.tags, k.Unread())
		return false, true
	}
	return known, known
}

func (s *saying) byRange(c *watchedColumn, raw []byte) bool {
	position, ok := c.kind.ImagePosition(raw, c.field)
	if !ok {
		return false
	}
	for level := range uint8(dep.Levels) {
		s.tags = add(s.tags, c.key.Bucket(dep.BucketOf(position, level)))
	}
	return true
}

func (s *saying) referencedChanged() bool {
	p := s.plan
	for i := range p.columns {
		if p.columns[i].referenced && s.changed(&p.before[i], &p.after[i]) {
			return true
		}
	}
	return false
}

// changed compares bytes: two values that are equal to the server and not the same count as a change.
func (s *saying) changed(before, after *value) bool {
	if after.state == absent {
		return s.guess
	}
	return before.state != after.state || !bytes.Equal(before.raw, after.raw)
}

// lookBack is how far back a tag is looked for before it is added: a statement over many rows touches the same tags of
// columns, and of ranges, with every row.
const lookBack = 16

func add(tags []cache.Tag, tag cache.Tag) []cache.Tag {
	for _, t := range tags[max(len(tags)-lookBack, 0):] {
		if t == tag {
			return tags
		}
	}
	return append(tags, tag)
}
