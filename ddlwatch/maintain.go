package ddlwatch

import "strings"

// maintenance reads OPTIMIZE, REPAIR, ANALYZE and CHECK TABLE. REPAIR may lose rows; the others change none, though they
// may change how MATCH rates them.
func (r *reader) maintenance() {
	verb := strings.ToLower(r.before[0].src)
	r.skipAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if !r.acceptAny("TABLE", "TABLES", "VIEW") {
		r.analyzed(verb)
		return
	}
	r.effect.Kind, r.effect.Class, r.dataOnly = verb+"_table", Shape, true
	for _, n := range r.names() {
		r.effect.touch(n)
	}
	if r.maintains(verb) {
		r.effect.Class = None
	}
	r.rest()
}

// maintains reports whether what follows the tables is known, and with the verb loses no row.
func (r *reader) maintains(verb string) bool {
	ahead := r.cursor
	ahead.patience()
	switch verb {
	case "repair":
		return false
	case "analyze":
		if ahead.accept("PERSISTENT") || ahead.accept("UPDATE", "HISTOGRAM") || ahead.accept("DROP", "HISTOGRAM") {
			return true
		}
	case "check":
		ahead.checks()
	}
	return ahead.failed == "" && ahead.atEnd()
}

// analyzed reads MariaDB's ANALYZE [FORMAT = JSON] statement, which executes the statement and is logged with it.
func (r *reader) analyzed(verb string) {
	if r.accept("FORMAT") {
		r.acceptMark('=')
		r.ident()
	}
	if verb != "analyze" || !r.dataStatement() {
		r.giveUp("an unknown form of " + strings.ToUpper(verb))
	}
}

// flush reads FLUSH. Named tables are touched: for some engines it is how an administrator puts other files in place.
func (r *reader) flush() {
	r.effect.Kind, r.effect.Class, r.dataOnly = "flush", Data, true
	r.skipAny("NO_WRITE_TO_BINLOG", "LOCAL")
	if r.acceptAny("TABLE", "TABLES") {
		r.flushTables()
		return
	}
	r.scan(r.flushed)
}

func (r *reader) flushTables() {
	if r.tok.kind != end && !r.tok.is("WITH") && !r.tok.isMark(';') {
		for _, n := range r.names() {
			r.effect.touch(n)
		}
	}
	r.rest()
}

// flushed reads one word of what FLUSH lists. Only privileges matter.
func (r *reader) flushed() {
	switch {
	case r.tok.is("PRIVILEGES"):
		r.effect.Kind, r.effect.Class = "account", Account
		r.effect.everything("account")
	case r.tok.isMark(','), r.keyword(
		"BINARY", "CACHE", "CLIENT_STATISTICS", "DES_KEY_FILE", "ENGINE", "ERROR", "GENERAL", "HOSTS",
		"INDEX_STATISTICS", "LOGS", "OPTIMIZER_COSTS", "QUERY", "RELAY", "SLOW", "STATUS", "TABLE_STATISTICS",
		"USER_RESOURCES", "USER_STATISTICS"):
	default:
		r.giveUp("an unknown FLUSH")
	}
}
