package statement

import "weir/cache/dep"

// Kind is what a proxy must know of a text to route it.
type Kind uint8

// Kinds of statements.
const (
	// Unknown is a text of which Weir cannot tell what it does. It must be taken for a write.
	Unknown Kind = iota
	// Read changes nothing but, if Stateful, the connection: SELECT, TABLE, VALUES, SHOW, EXPLAIN, HELP and so on.
	Read
	// Write changes data, schema, accounts, the server's settings or state, or files of the server.
	Write
	// SetSession is SET without anything global; see Assignments.
	SetSession
	// Use changes the default database to Name.
	Use
	// Begin starts a transaction; Commit and Rollback end it. See Transaction.
	Begin
	Commit
	Rollback
	// Savepoint sets, releases or returns to the savepoint Name.
	Savepoint
	// Prepare, Execute and Deallocate are about the prepared statement Name in the text protocol.
	Prepare
	Execute
	Deallocate
	// Kill ends another connection or its statement; see [Kill].
	Kill
	// Multi is several statements in one text; see Parts.
	Multi
)

// String gives the kind in lower case, as for a metric label.
func (k Kind) String() string {
	names := [...]string{"unknown", "read", "write", "set_session", "use", "begin", "commit", "rollback", "savepoint",
		"prepare", "execute", "deallocate", "kill", "multi"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Statement is what Weir knows of a client's text. It may be shared: nobody changes what its slices hold.
type Statement struct {
	Kind Kind
	// Cacheable says that the result depends on nothing but the text, the session's settings, and Tables.
	Cacheable bool
	// Reason says why it is not cacheable, "" if it is. Detail names the function, table or mode that made it so; for
	// what a view does it starts with the view's name.
	Reason Reason
	Detail string
	// Tables are the tables that the statement reads, in the order in which they were found; a view is followed by
	// the tables it reads. It is complete if Cacheable, and what could be found otherwise.
	Tables []dep.Name
	// Slots are the constants of a cacheable statement, in the order of the text, as far as their value is known.
	Slots []Slot
	// Versioned says that a transaction reads all Tables as they were when its snapshot was fixed. It counts if Cacheable.
	Versioned bool
	// Plan says what of Tables the result depends on. It counts if Cacheable; nil means all of them as a whole.
	Plan *Plan
	// Digest is what the whole text counts as; nil of Parts.
	Digest *Digest
	// SQLCache and SQLNoCache are the hints behind the first SELECT.
	SQLCache, SQLNoCache bool
	// Directives are what comments /* weir: ... */ ask for.
	Directives Directives
	// Stateful says that the statement may leave something on the connection that Kind and the other fields do not
	// tell, such as a user variable, a lock or a temporary table, or that it reads what an earlier statement left
	// there, such as LAST_INSERT_ID(). What every statement leaves for the next one (warnings, row count, insert id)
	// is not meant.
	Stateful bool
	// Brief says, of a Read that is Stateful and of a Write, that nothing of what it leaves is there any more once another
	// read has run, but for LAST_INSERT_ID(): which can be asked for, and set on another connection.
	Brief bool

	// Compound says that a Write is a block or another compound statement of MariaDB's, which may SET what it likes.
	Compound bool
	// Fires names a table for whose sake a Write may fire a trigger, which may do to the session what it likes; empty if
	// it fires none, for all that the catalog knows.
	Fires string
	// Assignments are what SET assigns, in order. Values are not evaluated. The Reason of a SET is NotSelect if that is
	// all it does to the session; StoredFunction if something that it calls, or reads a table through, may do more; and
	// Ambiguous if it depends on the server what it assigns.
	Assignments []Assignment
	// Name is the database, savepoint or prepared statement that the kind says, without quotes.
	Name string
	// Transaction is for Begin, Commit and Rollback.
	Transaction Transaction
	// Kill is for the kind Kill.
	Kill Killing
	// Body is the text that a Prepare names, if it is a literal without escapes.
	Body string
	// Using says that an Execute gives values to parameters.
	Using bool
	// Parts are the statements of a Multi, and the one statement of a Prepare if its text is a literal.
	Parts []Statement
}

// Access is the access mode that a START TRANSACTION asks for.
type Access uint8

// Access modes.
const (
	DefaultAccess Access = iota
	ReadOnly
	ReadWrite
)

// Transaction is what follows BEGIN, START TRANSACTION, COMMIT and ROLLBACK.
type Transaction struct {
	Access   Access
	Snapshot bool // WITH CONSISTENT SNAPSHOT
	Chain    bool // AND CHAIN: the next transaction has begun
	Release  bool // RELEASE: the server closes the connection
}

// Killing is what KILL is aimed at.
type Killing struct {
	// ID is the connection's number, 0 if the text does not give it as a plain number.
	ID uint64
	// Numbered says that the text gives the connection as a plain number, ID.
	Numbered bool
	// Query says that only the statement is to be ended.
	Query bool
	// Hard and Soft are words of MariaDB's.
	Hard, Soft bool
}

// Scope is for whom an assignment holds.
type Scope uint8

// Scopes of assignments.
const (
	// SessionScope is a system variable of the session.
	SessionScope Scope = iota
	// GlobalScope is a system variable of the server; PersistScope also one that is kept over a restart.
	GlobalScope
	PersistScope
	// UserScope is a user variable, @name.
	UserScope
	// NextTransaction is a setting of the next transaction alone: SET TRANSACTION, SET @@transaction_isolation.
	NextTransaction
)

// Assignment is one of SET. SET NAMES, SET CHARACTER SET and SET TRANSACTION appear as the variables that they set.
type Assignment struct {
	Scope Scope
	// Name is the variable in lower case, without @@, scope or quotes.
	Name string
	// Value is the text behind the = sign. With Literal it means the same in every session, so that
	// SET SESSION Name = Value sets the variable again.
	Value string
	// Literal says that the value is a literal, a negative number, or a word such as ON, DEFAULT or utf8mb4.
	Literal bool
}
