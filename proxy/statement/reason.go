package statement

// Reason says why a result may not be kept. Its text is a stable label for metrics; "" stands for no reason, that is,
// for a cacheable statement.
type Reason string

// Reasons.
const (
	// About the text.
	Unparsable     Reason = "unparsable"
	TooLong        Reason = "too_long"
	MultiStatement Reason = "multi_statement"
	VersionComment Reason = "version_comment"
	CharacterSet   Reason = "character_set"
	SQLMode        Reason = "sql_mode"
	Ambiguous      Reason = "ambiguous_text"
	Unsupported    Reason = "unsupported_syntax"

	// About what it does.
	Writes      Reason = "write"
	NotSelect   Reason = "not_select"
	LockingRead Reason = "locking_read"
	Into        Reason = "into"
	FoundRows   Reason = "sql_calc_found_rows"
	NoCache     Reason = "sql_no_cache"
	SetVarHint  Reason = "set_var_hint"
	SetPrefix   Reason = "set_statement"
	Directive   Reason = "directive"

	// About what it calls.
	NonDeterministic Reason = "nondeterministic_function"
	SessionFunction  Reason = "session_function"
	StoredFunction   Reason = "stored_function"
	CurrentDate      Reason = "current_date"
	UserVariable     Reason = "user_variable"
	SystemVariable   Reason = "system_variable"

	// About what it reads.
	NoTable      Reason = "no_table"
	UnknownTable Reason = "unknown_table"
	SystemSchema Reason = "system_schema"
	Sequence     Reason = "sequence"
	DeepView     Reason = "deep_view"
)

// Sentence says the reason to people. It goes with [Statement.Detail], which names the function or table.
func (r Reason) Sentence() string {
	if s, ok := sentences[r]; ok {
		return s
	}
	return string(r)
}

var sentences = map[Reason]string{
	"":             "The result can be cached.",
	Unparsable:     "Weir cannot read the statement, so it cannot tell which tables it reads.",
	TooLong:        "The statement is longer than Weir analyses.",
	MultiStatement: "The text has several statements.",
	VersionComment: "The text has a comment that only some servers run as code, such as /*!80000 ... */.",
	CharacterSet:   "The text is not valid in the connection's character set, or has letters beyond ASCII in one that Weir does not read.",
	SQLMode:        "The session's sql_mode changes the grammar in ways that Weir does not follow.",
	Ambiguous:      "The server may read the text in another way than Weir does.",
	Unsupported:    "The statement uses syntax that Weir does not know to be repeatable.",

	Writes:      "The statement changes data or the server.",
	NotSelect:   "Only SELECT, TABLE and WITH ... SELECT are cached.",
	LockingRead: "The statement locks the rows that it reads.",
	Into:        "The statement stores its result with INTO.",
	FoundRows:   "SQL_CALC_FOUND_ROWS leaves a row count for the next statement.",
	NoCache:     "The statement asks not to be cached with SQL_NO_CACHE.",
	SetVarHint:  "The SET_VAR hint changes session variables for the statement.",
	SetPrefix:   "SET STATEMENT changes session variables for the statement.",
	Directive:   "A comment /* weir: ... */ asks for an answer of the server, or says something that Weir does not understand.",

	NonDeterministic: "The function gives another value each time.",
	SessionFunction:  "The function's value depends on the connection, the account or the server.",
	StoredFunction:   "The function is not a built-in that is known to be deterministic; it may be a stored function or a loadable one.",
	CurrentDate:      "A TIME value is completed with the current date.",
	UserVariable:     "The statement uses user variables.",
	SystemVariable:   "The statement reads system variables.",

	NoTable:      "The statement reads no table, so the server answers it as fast.",
	UnknownTable: "Weir does not know the table, or it is just being changed, or it is of an engine whose rows change without the binlog.",
	SystemSchema: "The schema is kept by the server itself, and its changes are not in the binlog.",
	Sequence:     "Reading a sequence may change it.",
	DeepView:     "The views are nested too deeply.",
}
