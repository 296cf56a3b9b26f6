package wire

// Status is the set of server status flags in OK and EOF packets.
type Status uint16

// Status flags, as in the protocol page "SERVER_STATUS_flags_enum". They belong to the session that a response is
// for, so a cached copy has to take those of the session that it is served to.
const (
	// StatusInTrans: a transaction is open.
	StatusInTrans Status = 1 << iota
	StatusAutocommit
	_
	// StatusMoreResults: another result follows in the same response.
	StatusMoreResults
	StatusNoGoodIndexUsed
	StatusNoIndexUsed
	// StatusCursorExists: COM_STMT_EXECUTE opened a cursor; its rows are fetched with COM_STMT_FETCH.
	StatusCursorExists
	// StatusLastRowSent: the cursor has no more rows.
	StatusLastRowSent
	StatusDBDropped
	StatusNoBackslashEscapes
	StatusMetadataChanged
	StatusQueryWasSlow
	// StatusPSOutParams: the result holds the OUT parameters of a procedure.
	StatusPSOutParams
	StatusInTransReadonly
	// StatusSessionStateChanged: with [ClientSessionTrack] only.
	StatusSessionStateChanged
	// StatusANSIQuotes: MariaDB only.
	StatusANSIQuotes
)

// Has says that all of the given flags are set.
func (s Status) Has(flags Status) bool { return s&flags == flags }
