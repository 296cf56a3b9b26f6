package inflight

import (
	"cmp"
	"slices"
	"time"

	"weir/cache/dep"
)

// DDL is a schema change, or the rebuild of a table, that is under way on one server.
type DDL struct {
	// Server is the Addr of the server, and Source says that it is the one whose binlog is read.
	Server string
	Source bool
	// ID is the statement's connection, as in KILL. It is 0 for a tool that is known by its shadow table alone.
	ID uint64
	// Statement is the text, at most 1 KiB of it, and nothing from the first word on that may introduce a secret. It
	// holds literals: it may be shown to who may see the server's statements, and is not for logs.
	Statement string
	// Kind is what the reader of statements calls it; "unknown" for a text that it does not understand.
	Kind string
	// Tables it is about; with Tool the originals. Empty if they are not known.
	Tables []dep.Name
	// Since is when it began, from the time that the server says has elapsed. For a shadow table it is when Watch
	// first saw it. It does not change while the DDL runs.
	Since time.Time

	// Stage is what it does, in the server's words.
	Stage string
	// Progress is from 0 to 1, and NaN if the server does not tell.
	Progress float64
	// Waiting says that it waits for a metadata lock, so that reads of its tables pile up behind it.
	Waiting bool
	// Blocker is whom it waits for; nil if it does not wait, or if that is not known.
	Blocker *Blocker
	// Waiters is how many other statements wait for the metadata locks of its tables. Where the server does not tell
	// for which table a statement waits, one whose text does not show it counts for each DDL.
	Waiters int
	// Tool is "", [GhOst] or [PtOSC].
	Tool string
}

// The tools that change a table through a copy of it.
const (
	GhOst = "gh-ost"
	PtOSC = "pt-online-schema-change"
)

// Blocker is a session that holds the metadata lock which a DDL waits for: of several, the one that has held it for
// longest.
type Blocker struct {
	ID                  uint64
	User, Host, Command string
	// For is how long it has held the lock, or been in its transaction, whichever the server tells.
	For time.Duration
	// Statement is what it runs or, on MySQL, ran last; bounded and cut as that of a [DDL]. It may be empty.
	Statement string
	// Weir says that it is a connection of this process's.
	Weir bool
	// Guess says that the server does not tell who holds the lock. This is the session with the oldest transaction
	// that was open before the DDL began; what holds the lock may be another.
	Guess bool
}

func order(a, b DDL) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Tool, b.Tool), slices.CompareFunc(a.Tables, b.Tables, orderNames))
}

func orderNames(a, b dep.Name) int {
	return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Table, b.Table))
}

// alike says that nothing has changed that [Watch.OnChange] is called for.
func alike(a, b []DDL) bool {
	return slices.EqualFunc(a, b, func(a, b DDL) bool {
		return a.Server == b.Server && a.ID == b.ID && a.Statement == b.Statement && a.Tool == b.Tool &&
			a.Since.Equal(b.Since) && slices.Equal(a.Tables, b.Tables) &&
			a.Waiting == b.Waiting && (a.Waiters > 0) == (b.Waiters > 0) && sameBlocker(a.Blocker, b.Blocker)
	})
}

func sameBlocker(a, b *Blocker) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ID == b.ID && a.Guess == b.Guess
}
