package replicator

import "weir/cache/dep"

// Precision lets changes be told by their rows instead of by their table.
//
// Three things must be done in one order, and the reader and the recorder do them, with the same Watch:
//
//  1. The reader asks the watch what to decode, for each event with rows. From then on a transaction is open.
//  2. The recorder touches the tags, moves the ledger's head, and then tells the watch: [dep.Watch.Recorded]. It does so
//     for progress too, which comes only while no group is open.
//  3. A stream that breaks after 1 and before 2 leaves the watch open. The next one begins with a rotation, which is
//     progress, and delivers the transaction again from its first row. What was decoded of it is gone with its
//     assembler, so that whatever was wanted meanwhile is followed from there: 2 is right. If the place is lost, the
//     epoch's beginning closes the watch: [dep.Watch.Restart].
type Precision struct {
	Watch  *dep.Watch
	Schema RowSchema
}

// RowSchema is what the reader asks the catalogue about the tables whose rows it decodes. What it answers holds for the
// place in the stream that is being applied. All methods are called from the stream's goroutine, and none may block.
type RowSchema interface {
	Schema
	// Shape returns the table's columns; nil if they are not known, or if its rows are not to be told one by one.
	Shape(n dep.Name) *dep.Shape
	// Referenced returns the columns of n, in lower case, that foreign keys with an action refer to: changes to others
	// reach no other table. While that is not known any change to n, inserted rows included, may reach the tables of
	// Cascades.
	Referenced(n dep.Name) (columns []string, known bool)
	// Version increases whenever any answer may change.
	Version() uint64
}
