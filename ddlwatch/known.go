package ddlwatch

import (
	"weir/cache"
	"weir/cache/dep"
)

// Known answers what a text does not say.
//
// The answers must hold for the place in the stream that is being read, which may be behind the source: a catalogue
// that has read a definition from a later place, where a view may have become a table since, does not know.
type Known interface {
	// IsView says whether the name may be a view: true for a view and for every name that is not certainly a base
	// table. It must not wait for the source.
	IsView(n dep.Name) bool
	// IsInnoDB says whether the name is certainly a table of InnoDB. It must not wait for the source.
	IsInnoDB(n dep.Name) bool
	// HasPrimaryKey says whether the name is certainly a table with a primary key. It must not wait for the source.
	HasPrimaryKey(n dep.Name) bool
}

// Catalog is the schema of the source as the stream has told it. All calls come from the goroutine that applies
// transactions, and none may wait for the source.
type Catalog interface {
	Known
	Definitions

	// Triggers says whether a base table has triggers, and whether that is known, for the place in the stream that
	// is being read.
	Triggers(n dep.Name) (has bool, known bool)
}

// Definitions hears what statements change about definitions. The methods are called before any result is touched that
// depends on what changed, and may keep the slices.
type Definitions interface {
	// Changed says that definitions changed at seq: of the given names, of all names in the given schemas, or all there are.
	// Until they have been read again, the catalogue does not know them. With maybeForeignKeys, foreign keys may have come,
	// or been renamed, anywhere. Without, some of those of the names may have gone; those known before must count on until
	// the stream has passed the place from which they were read again.
	Changed(seq cache.Seq, names []dep.Name, schemas []string, all bool, maybeForeignKeys bool)

	// Moved is Changed for tables of which some may bear the name of another from now on, of them or of none before, or have
	// other names of columns. Foreign keys from and to them, and MERGE tables over them, mean other tables then. None has
	// come.
	Moved(seq cache.Seq, names []dep.Name)

	// Reindexed says that indexes and partitions of tables changed at seq, but neither columns nor rows, nor anything that
	// another method tells.
	Reindexed(seq cache.Seq, names []dep.Name)
}
