package explain

// Labels of weir_not_cacheable_total that are about the session, and those that stand for several things. Each has a sentence.
const (
	Session     = "session"
	Transaction = "transaction"
	Observing   = "query_cache_observe"
)

// Sentences for what the labels alone do not tell.
const (
	CachedSentence   = "There is an entry for it, and nothing that it depends on has changed since."
	SecondSentence   = "There is a copy of it in the second tier, and nothing that it depends on has changed since."
	RefusedSentence  = "Weir refuses the statement, since writes is reject."
	LockedSentence   = "The session has locked tables, and its reads stay on its connection."
	BypassSentence   = "The session has left something on its connection that Weir does not follow, so nothing is cached for it any more; reset the connection, or open another one."
	AssignedSentence = "It is not known yet what the session's last SET has made of its settings; ask again."
	DoubtsSentence   = "It is not known yet whether a write of the session has fired a trigger that changed the session; ask again."
	UnsafeSentence   = "Nothing is cached under one of the session's settings."
	OneShotSentence  = "The session has said how its next transaction is to be, and the next statement is one."
	SnapshotSentence = "The session is in a transaction; its reads are answered as of the transaction's snapshot, from the cache where that is known to be the same."
	DirtySentence    = "The server's sessions start with an isolation level that shows what was never committed."
)

// SessionSentence says to people why the session's statements are not cached.
func SessionSentence(label string) string {
	if s, ok := sessionSentences[label]; ok {
		return s
	}
	return "The session's statements are not cached."
}

var sessionSentences = map[string]string{
	"query_cache_off":    "query_cache_type is OFF.",
	Observing:            "query_cache_type is OBSERVE: Weir answers nothing from the cache, and counts what it would do.",
	"query_cache_demand": "query_cache_type is DEMAND, and the statement does not say SELECT SQL_CACHE.",
	Session:              "The session's state keeps its statements from the cache.",
	"directive":          "The session has set weir_max_staleness_ms to 0, so that each answer comes from a server.",
	Transaction:          "The session is in a transaction, inside of which nothing is cached.",
	"account":            "Something about accounts has changed since a server let this one in; the next statement asks a server.",
}

// RefusalSentence says why a result is not kept, by the label of weir_cache_stores_refused_total.
func RefusalSentence(label string) string {
	if s, ok := refusalSentences[label]; ok {
		return s
	}
	return label
}

var refusalSentences = map[string]string{
	"own_write":       "The session has just written, and it is not known yet that every change up to then is recorded; ask again.",
	"not_current":     "The change stream is not current, so that nothing is served or kept; see /readyz for why.",
	"unproved":        "What the servers have applied cannot be compared with the change stream; it has just begun.",
	"not_paying":      "Results like this one were seldom used before a change ended them, so for a while they are kept only if they are asked for twice between two changes.",
	"too_large":       "The result is larger than query_cache_limit.",
	"snapshot_behind": "The server that answered lacked the last change to what the result depends on.",
	"warnings":        "The statement raises warnings, which are for whoever runs it.",
	"error":           "The statement fails.",
	"several_results": "The answer is not one result set.",
}

// Inherent reports whether a result is refused for what it is, rather than for when it was read: then it is likely to be so again.
func Inherent(label string) bool {
	switch label {
	case "too_large", "warnings", "error", "several_results":
		return true
	}
	return false
}
