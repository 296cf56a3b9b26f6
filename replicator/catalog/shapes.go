package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"weir/cache/dep"
)

// shapes makes what is known of the columns and keys of tables. Tables that are alike share one shape, and columns
// that are alike their type: a hundred thousand tables are mostly the same few, once for each customer.
type shapes struct {
	texts map[string]string
	types map[dep.Described]dep.Type
	made  map[[sha256.Size]byte]*dep.Shape
}

func newShapes() *shapes {
	return &shapes{texts: map[string]string{}, types: map[dep.Described]dep.Type{}, made: map[[sha256.Size]byte]*dep.Shape{}}
}

// readShapes reads columns and keys, one portion of the tables after the other, so that never all rows are in memory.
func (l *loader) readShapes(ctx context.Context) (int, error) {
	l.shapes, l.times = make(map[rawName]*dep.Shape, len(l.tables)), map[rawName][]string{}
	all, made := 0, newShapes()
	for _, p := range l.everyReadable(l.portion) {
		l.progress.tables(stepShapes, len(l.shapes), len(l.tables))
		columns, err := l.readColumns(ctx, p)
		if err != nil {
			return 0, err
		}
		keys, err := l.readKeys(ctx, p)
		if err != nil {
			return 0, err
		}
		l.notice(made, columns, keys)
		all += len(columns) + len(keys)
	}
	return all, nil
}

// notice keeps of columns and keys what matters.
func (l *loader) notice(made *shapes, columns []column, keys []keyPart) {
	parts := map[rawName][]keyPart{}
	for _, k := range keys {
		parts[k.rawName] = append(parts[k.rawName], k)
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.schema, b.schema), cmp.Compare(a.table, b.table), cmp.Compare(a.position, b.position))
	})
	for len(columns) > 0 {
		n := columns[0].rawName
		end := slices.IndexFunc(columns, func(c column) bool { return c.rawName != n })
		if end < 0 {
			end = len(columns)
		}
		l.noticeTable(columns[:end])
		l.shapes[n] = made.shape(columns[:end], parts[n])
		columns = columns[end:]
	}
}

// noticeTable keeps what matters beside the shape.
func (l *loader) noticeTable(columns []column) {
	for _, c := range columns {
		if c.isTime() {
			l.times[c.rawName] = append(l.times[c.rawName], strings.ToLower(c.name))
		}
		if l.mayDiffer && c.isVirtual() {
			l.virtual = append(l.virtual, c)
		}
	}
}

// shape makes that of one table, whose columns are in order. It is nil if one is missing: MySQL hides the primary key
// that it generated from sessions that do not want to see it, but counts it, and a row event has it.
//
// Where a row event has more columns than the server tells of, nobody notices before the event comes: MariaDB appends
// one for each unique key over a BLOB. They are counted there.
func (s *shapes) shape(columns []column, parts []keyPart) *dep.Shape {
	all, byName := make([]dep.Column, len(columns)), make(map[string]int, len(columns))
	for i, c := range columns {
		if c.position != i+1 {
			return nil
		}
		all[i] = dep.Column{Name: s.text(strings.ToLower(c.name)), Type: s.typeOf(c.described), Virtual: c.isVirtual()}
		byName[all[i].Name] = i
	}
	keys := keysOver(byName, parts)
	id := identify(columns, keys)
	if s.made[id] == nil && len(byName) == len(all) {
		s.made[id] = dep.NewShape(all, keys)
	}
	return s.made[id]
}

// identify tells shapes apart by all that they are made of.
func identify(columns []column, keys []dep.Key) (id [sha256.Size]byte) {
	var b strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&b, "%q %v %#v\n", strings.ToLower(c.name), c.isVirtual(), c.described)
	}
	fmt.Fprintf(&b, "%v", keys)
	return sha256.Sum256([]byte(b.String()))
}

func (s *shapes) typeOf(d dep.Described) dep.Type {
	t, known := s.types[d]
	if !known {
		t = dep.TypeOf(d)
		s.types[d] = t
	}
	return t
}

func (s *shapes) text(text string) string {
	if same, known := s.texts[text]; known {
		return same
	}
	s.texts[text] = text
	return text
}
