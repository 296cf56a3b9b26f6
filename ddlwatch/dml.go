package ddlwatch

import (
	"slices"
	"strings"

	"weir/cache/dep"
)

// dml notes that the statement writes rows and cannot change definitions: a stored function may write rows anywhere,
// but the servers allow no DDL in it.
func (r *reader) dml() {
	r.effect.Kind, r.effect.Class, r.effect.Rows, r.dataOnly = "dml", Data, true, true
}

// insert reads INSERT and REPLACE, [modifiers] [INTO] table ...
func (r *reader) insert(start cursor) {
	r.dml()
	r.skipAny("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE")
	r.accept("INTO")
	r.write(r.name())
	r.expressions(start)
}

// update reads UPDATE [modifiers] table [[AS] alias] SET ...; other forms may write several tables.
func (r *reader) update(start cursor) {
	r.dml()
	r.skipAny("LOW_PRIORITY", "IGNORE")
	if !r.oneTable("SET") {
		r.many(start)
		return
	}
	r.expressions(start)
}

// delete reads DELETE [modifiers] [HISTORY] FROM table [[AS] alias] [WHERE ...]; other forms may write several
// tables.
func (r *reader) delete(start cursor) {
	r.dml()
	r.skipAny("LOW_PRIORITY", "QUICK", "IGNORE")
	r.accept("HISTORY")
	if !r.accept("FROM") || !r.oneTable("WHERE", "ORDER", "LIMIT", "RETURNING", "BEFORE") {
		r.many(start)
		return
	}
	r.expressions(start)
}

// with reads a data change that begins with common table expressions.
func (r *reader) with(start cursor) {
	r.dml()
	r.many(start)
}

// load reads LOAD DATA and LOAD XML, also as the servers write them into Execute_load_query events.
func (r *reader) load(start cursor) {
	r.dml()
	if !r.acceptAny("DATA", "XML") {
		r.giveUp("an unknown LOAD")
	}
	r.skipTo("INTO")
	r.expect("TABLE")
	r.write(r.name())
	r.expressions(start)
}

// oneTable reads table [[AS] alias] if one of the keywords or the end follows, and writes the table. Otherwise it
// reads nothing and returns false. A string in place of the table ends the reading.
func (r *reader) oneTable(followers ...string) bool {
	ahead := r.cursor
	name := ahead.name()
	if !ahead.follows(followers) {
		ahead.accept("AS")
		ahead.ident()
	}
	if !ahead.follows(followers) && !ahead.impossible {
		return false
	}
	r.cursor = ahead
	r.write(name)
	return true
}

// follows says whether one of the keywords or the end of the statement is next.
func (c *cursor) follows(keywords []string) bool {
	return c.failed == "" && (c.tok.kind == end || c.tok.isMark(';') || slices.ContainsFunc(keywords, c.tok.is))
}

// expressions looks through the rest of a statement that writes one table, for calls and for queries.
func (r *reader) expressions(start cursor) {
	query := false
	r.scan(func() {
		query = query || r.keyword("SELECT", "TABLE")
		r.noteCall()
	})
	if query {
		r.parse(start)
	}
}

// many reads a statement that writes tables which only a parser finds.
func (r *reader) many(start cursor) {
	r.scan(r.noteCall)
	r.parse(start)
	if len(r.effect.Tables) == 0 {
		r.giveUp("a data change that writes no table")
	}
}

// queried reads the query of a CREATE TABLE, from here to the end.
func (r *reader) queried() {
	start := r.cursor
	r.scan(r.noteCall)
	r.parse(start)
}

// parse finds the tables that the statement from start on reads and writes. A view may call a function that writes.
func (r *reader) parse(start cursor) {
	if r.failed != "" {
		return
	}
	tables, err := tablesOf(start)
	if err != nil {
		r.giveUp(err.Error())
		return
	}
	for _, n := range tables.written {
		r.write(n)
	}
	for _, n := range tables.read {
		if r.mayBeView(n) {
			r.effect.everything("reads " + n.String() + ", which may be a view that calls a function")
		}
	}
}

// write touches a table whose rows the statement writes. Through a view it writes other tables.
func (r *reader) write(n dep.Name) {
	if r.failed != "" {
		return
	}
	r.touch(n)
	if r.mayBeView(n) {
		r.effect.everything("writes " + n.String() + ", which may be a view")
	}
}

func (r *reader) mayBeView(n dep.Name) bool { return r.known == nil || r.known.IsView(n) }

// noteCall touches everything if the token opens the arguments of a function that may be a stored one, and with it
// write anywhere. So it is unless the name is built into both servers, is not quoted, has no schema, and is next to
// the parenthesis: with a blank between, COUNT (x) is a stored function count.
func (r *reader) noteCall() {
	if r.tok.is("NEXTVAL") || r.tok.is("FOR") && r.before[0].is("VALUE") {
		r.effect.everything("moves a sequence")
	}
	if r.tok.isMark('(') && r.mayCall() {
		r.effect.everything("calls " + r.before[0].unquote() + ", which may be a stored function")
	}
}

func (r *reader) mayCall() bool {
	name := r.before[0]
	if name.kind == quoted || name.kind == word && r.before[1].isMark('.') {
		return true
	}
	if name.kind != word {
		return false
	}
	upper := strings.ToUpper(name.src)
	return !beforeParen[upper] && !(builtin[upper] && r.tok.next(name))
}

// selectText reads a SELECT. Both servers log one as text only for what it writes: SELECT `schema`.`function`(...)
// for a stored function that writes, and MariaDB's sequences.
func (r *reader) selectText() {
	ahead := *r
	if ahead.sequence() {
		*r = ahead
		return
	}
	r.data("select", "a stored function wrote", Data)
}

// sequence reads SELECT SETVAL(name, ...) or NEXTVAL(name) and nothing else, and says whether that was all. Neither
// is a stored function: those are logged with their schema.
func (r *reader) sequence() bool {
	r.effect.Kind, r.effect.Class, r.dataOnly = "sequence", Data, true
	if !r.acceptAny("SETVAL", "NEXTVAL") || !r.acceptMark('(') {
		return false
	}
	r.touch(r.name())
	for r.acceptMark(',') || r.acceptMark('-') || r.tok.kind == word {
		if r.tok.kind == word {
			r.advance()
		}
	}
	r.acceptMark(')')
	r.finish()
	return r.failed == ""
}
