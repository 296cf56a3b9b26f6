package catalog

import (
	"strings"

	"weir/cache/dep"
)

// Snapshot is the schema as one load saw it, or several, see [Snapshot.reloaded]. It does not change. The zero Snapshot
// knows no name.
type Snapshot struct {
	relations  map[dep.Name]dep.Relation
	notes      map[dep.Name]string
	times      map[dep.Name][]string
	cascades   map[dep.Name][]dep.Name
	references map[dep.Name]reference
	// partners are the parents and children of keys.
	partners map[dep.Name]bool
	// passing says that a key is one of a table under a name that it has only while it is altered.
	passing bool

	// myISAM are the MyISAM tables. merging are those that write to them, or may: MERGE tables, and what could not be
	// read.
	myISAM, merging map[dep.Name]bool
	// locked are the names that could not be read because a statement held them.
	locked map[dep.Name]bool
	// untriggered are tables that are dep.Unknown and have no triggers: what writes to them leaves the session as it was.
	untriggered map[dep.Name]bool

	rights rights
}

// connect notes what rows foreign keys change, and MERGE tables.
func (s *Snapshot) connect(keys []foreignKey) {
	keys = append(s.mergeTables(), keys...)
	s.cascades = closure(keys)
	s.references = references(keys, func(n dep.Name) *dep.Shape { return s.relations[n].Shape })
	s.partners = map[dep.Name]bool{}
	for _, k := range keys {
		for _, n := range [...]dep.Name{k.parent, k.child} {
			s.partners[n] = true
			s.passing = s.passing || strings.HasPrefix(n.Table, "#sql")
		}
	}
}

// related reports that the name is a parent or a child of a key that changes rows of the child, be it one of a table that
// does not exist, or that of a MERGE table or one that it may join.
func (s *Snapshot) related(n dep.Name) bool { return s.passing || s.partners[n] || s.merging[n] }

// mergeTables returns what a write through a MERGE table may change without an event for it: any MyISAM table, since
// which ones it joins is nowhere but in its CREATE TABLE.
func (s *Snapshot) mergeTables() []foreignKey {
	var all []foreignKey
	for m := range s.merging {
		for t := range s.myISAM {
			all = append(all, foreignKey{parent: m, child: t})
		}
	}
	return all
}

// Relation tells what a name stands for. It is dep.Unknown for a name that the load did not see or not understand;
// [Snapshot.Note] may say why.
func (s *Snapshot) Relation(n dep.Name) dep.Relation { return s.relations[n] }

// Note says in a clause why a name that exists is dep.Unknown, and is empty for all others.
func (s *Snapshot) Note(n dep.Name) string { return s.notes[n] }

// TimeColumns returns the names, in lower case, of a table's columns of type TIME. It says nothing of views, whose
// columns change with other names than theirs. The caller must not change the slice.
func (s *Snapshot) TimeColumns(n dep.Name) []string { return s.times[n] }

// Cascades returns the tables whose rows may change without an event of their own when rows of n change, through
// foreign keys with ON DELETE or ON UPDATE CASCADE or SET NULL, however far down, sorted. n itself is among them if
// its foreign keys lead back to it. The caller must not change the slice.
//
// Such changes are not in the binlog of MariaDB and of MySQL before 9.6. They are with MySQL 9.6 and later, unless
// innodb_native_foreign_keys is on; the answer is the same there, as such a server may pass on the binlog of an older
// one.
func (s *Snapshot) Cascades(n dep.Name) []dep.Name { return s.cascades[n] }

// Referenced returns the columns of n, in lower case and sorted, to which foreign keys refer that delete or change rows
// of their child: an update that leaves all of these alone has none of the effects that [Snapshot.Cascades] tells of,
// while one that deletes a row has them. None, and known, is a table without such keys. Where known is false, any
// change may have them. The caller must not change the slice.
func (s *Snapshot) Referenced(n dep.Name) (columns []string, known bool) {
	r := s.references[n]
	return r.columns, !r.unknown
}

// Triggers tells whether a table has triggers, and whether that is known.
func (s *Snapshot) Triggers(n dep.Name) (has, known bool) {
	r := s.relations[n]
	if s.untriggered[n] && s.rights.triggers {
		return false, true
	}
	if r.Kind == dep.Unknown || !s.rights.triggers {
		return true, false
	}
	return r.Triggers, true
}

// Len returns the number of names.
func (s *Snapshot) Len() int { return len(s.relations) }

// Warnings says what the account may not see and what follows from that, in sentences for an operator.
func (s *Snapshot) Warnings() []string { return s.rights.warnings() }

// Locked returns how many names are dep.Unknown only because a statement on the source held them for longer than a
// load waits. They must be read again later, even if no change of theirs ever comes: that statement may fail.
func (s *Snapshot) Locked() int { return len(s.locked) }
