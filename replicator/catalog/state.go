package catalog

import "weir/cache/dep"

// State is what the catalogue knew at one moment, in itself consistent. It does not change.
type State struct {
	version  uint64
	snapshot *Snapshot
	marks    marks
	// provisional, if not nil, is for [Rows] alone.
	provisional *Snapshot
}

// Version is larger for each later state.
func (s *State) Version() uint64 { return s.version }

// Relation tells what a name stands for; dep.Unknown if it has changed and was not read again. Of a table whose indexes
// changed and were not read again, it tells the columns and the primary key.
func (s *State) Relation(n dep.Name) dep.Relation {
	if s.marks.has(n) {
		return dep.Relation{}
	}
	r := s.snapshot.Relation(n)
	if s.marks.reindexed(n) {
		r.Shape = r.Shape.WithoutIndexes()
	}
	return r
}

// Note says why a name is dep.Unknown, in a clause, and is empty for one that is not or that does not exist.
func (s *State) Note(n dep.Name) string {
	if s.marks.has(n) {
		return "its definition has just changed and is being read again"
	}
	return s.snapshot.Note(n)
}

// IsView reports that a name may be a view: true for all that is not certainly a table.
func (s *State) IsView(n dep.Name) bool {
	kind := s.Relation(n).Kind
	return kind != dep.BaseTable && kind != dep.SystemVersioned
}

// IsInnoDB reports that a name is certainly a table of InnoDB.
func (s *State) IsInnoDB(n dep.Name) bool { return s.Relation(n).Versioned }

// TimeColumns is [Snapshot.TimeColumns]. It says nothing of a name whose Relation is dep.Unknown.
func (s *State) TimeColumns(n dep.Name) []string { return s.snapshot.TimeColumns(n) }

// HasPrimaryKey reports that a name is certainly a base table with a primary key, over whole columns.
func (s *State) HasPrimaryKey(n dep.Name) bool {
	shape := s.Shape(n)
	return shape != nil && shape.Primary() != nil
}

// Shape tells the columns and keys of a base table; nil if they are not known, or have changed and were not read again.
func (s *State) Shape(n dep.Name) *dep.Shape { return s.Relation(n).Shape }

// Triggers tells whether a table has triggers, and whether that is known.
func (s *State) Triggers(n dep.Name) (has, known bool) {
	if s.marks.has(n) {
		return true, false
	}
	return s.snapshot.Triggers(n)
}

// Cascades is [Snapshot.Cascades], as of the last load: foreign keys that went away since still count. While foreign
// keys may have been added it is not enough, see [State.Uncertain].
func (s *State) Cascades(n dep.Name) []dep.Name { return s.snapshot.Cascades(n) }

// Referenced is [Snapshot.Referenced]. It is not known of a table that has changed and was not read again, nor of any
// while foreign keys may have been added.
func (s *State) Referenced(n dep.Name) (columns []string, known bool) {
	if s.marks.has(n) || s.Uncertain() {
		return nil, false
	}
	return s.snapshot.Referenced(n)
}

// Uncertain reports that there may be foreign keys that Cascades does not know. A change of any row must then count
// as a change of everything.
func (s *State) Uncertain() bool { return s.marks.keys > 0 }

// Blank reports that nothing has been read since the last Restart.
func (s *State) Blank() bool { return s.snapshot.relations == nil }

// Changing reports that the name has changed and is just being read again.
func (s *State) Changing(n dep.Name) bool { return s.marks.has(n) }

// related reports that foreign keys that Cascades tells of would be others if the name stood for another table, or that
// there may be keys that it does not know.
func (s *State) related(n dep.Name) bool { return s.Uncertain() || s.snapshot.related(n) }

// Settled reports that everything is known: there was a load, and nothing has changed since that was not read again.
func (s *State) Settled() bool { return s.marks.empty() }
