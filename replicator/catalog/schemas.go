package catalog

// HasSchema reports whether the source has a schema of that name, in lower case, with a table, view or sequence in it.
// Before anything was read it may have any. It looks at all names, and is for statements that are few.
func (s *State) HasSchema(schema string) bool {
	return s.marks.all > 0 && s.snapshot.Len() == 0 || s.snapshot.hasSchema(schema)
}

func (s *Snapshot) hasSchema(schema string) bool {
	for n := range s.relations {
		if n.Schema == schema {
			return true
		}
	}
	return false
}
