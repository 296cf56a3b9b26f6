package replicator

import "weir/cache/dep"

// cells adds the tags by which results depend on single columns of rows, see [dep.Name.CellKey]. It is false if a value
// that they need is missing or cannot be read.
func (s *saying) cells() bool {
	p := s.plan
	for i := range p.columns {
		if p.columns[i].cells == nil {
			continue
		}
		moved := s.kind != updated || s.changed(&p.before[i], &p.after[i])
		if s.kind != inserted && !s.cellsBy(i, &p.before[i], moved) {
			return false
		}
		if s.kind != deleted && moved && !s.cellsBy(i, &p.after[i], moved) {
			return false
		}
	}
	return true
}

// cellsBy adds the tags of a row by one of the values of its column i. With moved, rows that have the value are not the
// same as before.
func (s *saying) cellsBy(i int, v *value, moved bool) bool {
	p := s.plan
	c := &p.columns[i]
	switch v.state {
	case isNull:
		return true
	case absent:
		return false
	}
	if known, ok := s.encode(c, c.cells[i], v.raw); !known {
		return ok
	}
	if moved {
		s.tags = add(s.tags, c.cells[i].Row(p.scratch))
	}
	for j := range p.columns {
		if j != i && s.kind == updated && p.columns[j].interest&dep.InChange != 0 && s.changed(&p.before[j], &p.after[j]) {
			s.tags = add(s.tags, c.cells[j].Row(p.scratch))
		}
	}
	return true
}
