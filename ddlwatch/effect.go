package ddlwatch

import (
	"slices"

	"weir/cache/dep"
)

// Effect is what a statement changes.
type Effect struct {
	// Class says what it does to results. It is never empty.
	Class Class
	// Tables had rows, shape or meaning changed, or, if Class is None, at most the way in which they are stored. Views and
	// sequences count as tables. Without duplicates.
	Tables []dep.Name
	// Schemas were changed as a whole, in lower case, without duplicates.
	Schemas []string
	// Everything, if not empty, says why the statement must be taken to have changed everything.
	Everything string

	// Schema says that definitions changed: the catalogue must read Tables and Schemas again, or all of it if
	// Everything is set.
	Schema bool
	// CatalogOnly says that no result changes: Tables and Schemas are there for the catalogue alone. DROP TRIGGER
	// does not name its table, and no row changes with it.
	CatalogOnly bool
	// ForeignKeys says that foreign keys may have been added, removed or renamed, on any table, or that a table may show
	// the rows of others now, as those of the engine MERGE do.
	ForeignKeys bool
	// Moves says that foreign keys from and to Tables may have been removed, or have other names now, and that none was
	// added. Tables has the names of before, of after, and those between.
	Moves bool
	// Rows says that the statement writes rows of Tables, as INSERT, UPDATE, DELETE, REPLACE and LOAD DATA do. Their
	// triggers and the cascades of their foreign keys have then run too, and are not in the text.
	Rows bool
	// Unsure says that the text, or a part of it that matters, was not understood. Everything says which.
	Unsure bool

	// Kind is a short label for metrics and logs, one of a fixed set: create_table, account, dml, unknown.
	Kind string
}

// maxTables is how many tables one statement names. Beyond it everything is touched, so that reading a list stays
// cheap.
const maxTables = 1024

// Empty says that no result changes and that the catalogue has nothing to read.
func (e Effect) Empty() bool {
	return e.Everything == "" && len(e.Tables) == 0 && len(e.Schemas) == 0
}

// phased says that the statement is of a kind that MariaDB writes in two phases, and was understood.
func (e Effect) phased() bool {
	return !e.Unsure && (e.Kind == "alter_table" || e.Kind == "create_index" || e.Kind == "drop_index")
}

// movesOnly says that the statement moves tables, and that all names which that concerns are in Tables.
func (e Effect) movesOnly() bool {
	return e.Moves && !e.ForeignKeys && e.Everything == "" && len(e.Schemas) == 0
}

// or unites what two readings of one text say.
func (e Effect) or(b Effect) Effect {
	for _, n := range b.Tables {
		e.touch(n)
	}
	for _, s := range b.Schemas {
		e.touchSchema(s)
	}
	e.everything(b.Everything)
	e.Class = e.Class.or(b.Class)
	e.Schema = e.Schema || b.Schema
	e.CatalogOnly = e.CatalogOnly && b.CatalogOnly
	e.ForeignKeys = e.ForeignKeys || b.ForeignKeys
	e.Moves = e.Moves || b.Moves
	e.Rows = e.Rows || b.Rows
	e.Unsure = e.Unsure || b.Unsure
	return e
}

// touch adds a table, once.
func (e *Effect) touch(n dep.Name) {
	switch {
	case slices.Contains(e.Tables, n):
	case len(e.Tables) == maxTables:
		e.everything("more tables than are worth naming")
	default:
		e.Tables = append(e.Tables, n)
	}
}

func (e *Effect) touchSchema(s string) {
	if !slices.Contains(e.Schemas, s) {
		e.Schemas = append(e.Schemas, s)
	}
}

// everything keeps the first reason.
func (e *Effect) everything(reason string) {
	if e.Everything == "" {
		e.Everything = reason
	}
}
