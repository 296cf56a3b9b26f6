package cache

// Place is a Seq together with the history that it belongs to, so that another process, or this one after a restart, can
// tell whether it means the same to both. A Seq alone does not: every source numbers its binlog files from one.
type Place struct {
	// Source is the identity of the server whose binlog it is a place in, see package replicator/identity.
	Source string
	// Begun is when the server began the file that Seq is in, in seconds of the Unix time, as the file's first event says.
	// After RESET MASTER, or on a copy that goes its own way, a file of the same number was begun at another time.
	Begun uint32
	Seq   Seq
}

// Places translates between marks, which mean something in this process alone, and places. It is called for each lookup in
// a second tier, from many goroutines, and must not block.
type Places interface {
	// Source returns the identity of the server that is followed; empty if there is none yet.
	Source() string
	// Place tells where in the source's history a mark is. It is false if the mark is of another epoch, or if the file that
	// it is in cannot be told, yet, from another one of the same number.
	Place(at Mark) (Place, bool)
	// Mark is the way back. It is false if the place is not one in the history that is followed, as far as the ledger knows
	// that history: between its floor and its head, in a file with the same beginning and not past its end.
	Mark(p Place) (Mark, bool)
}
