package ddlwatch

import "slices"

// Class is what a statement in the binlog does to cached results, in one word.
type Class string

// The classes, from the weakest to the strongest. Where a statement does several things, or can be read in several ways,
// it is of the strongest class.
const (
	// None: results stay as they are. Rows, and what they look like, are the same; at most it changed how the table is
	// stored and found: see [dep.Name.Layout].
	None Class = "none"
	// Routine: a procedure, function, package or event. No cached result depends on one.
	Routine Class = "routine"
	// Trigger: what is written from now on changes more, or less, than it says.
	Trigger Class = "trigger"
	// Data: rows may be others, definitions are not. DML in statement format, and what else is not DDL.
	Data Class = "data"
	// View: a view means something else.
	View Class = "view"
	// Shape: the columns, the types or the rows of a table are others.
	Shape Class = "shape"
	// Swap: names stand for other tables: RENAME, and partitions that become tables or the other way round.
	Swap Class = "swap"
	// Gone: tables, views or sequences are no more.
	Gone Class = "gone"
	// Schema: a database as a whole.
	Schema Class = "schema"
	// Account: who may see what.
	Account Class = "account"
	// Unknown: it may be anything.
	Unknown Class = "unknown"
)

// Classes returns all classes, the weakest first.
func Classes() []Class {
	return []Class{None, Routine, Trigger, Data, View, Shape, Swap, Gone, Schema, Account, Unknown}
}

// or returns the stronger of two. The empty class is weaker than all others.
func (c Class) or(d Class) Class {
	if all := Classes(); slices.Index(all, d) > slices.Index(all, c) {
		return d
	}
	return c
}
