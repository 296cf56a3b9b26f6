package statement

import "strings"

// writing are the words that begin a statement that changes data, schema, accounts or the server, on either flavor;
// also those that begin a compound statement on MariaDB, which may do so. Most of them are not looked at any closer.
const writing = `
ALTER ANALYZE BACKUP BINLOG CACHE CALL CASE CHANGE CHECK CLONE CREATE DECLARE DELETE DO DROP EXECUTE FLUSH FOR GRANT
HANDLER IF IMPORT INSERT INSTALL LOAD LOCK LOOP OPTIMIZE PURGE RENAME REPAIR REPEAT REPLACE RESET RESTART REVOKE
SHUTDOWN STOP TRUNCATE UNINSTALL UNLOCK UPDATE WHILE XA`

// keeping are those of them that leave something on the connection: locks, handlers, an XA transaction, or whatever a
// procedure or a compound statement does.
const keeping = `BACKUP CALL CASE DECLARE FLUSH FOR HANDLER IF LOCK LOOP REPEAT UNLOCK WHILE XA`

// writingInside are words that make a write of a statement that does not begin with them.
const writingInside = `
DUMPFILE GLOBAL NEXT NEXTVAL OUTFILE PASSWORD PERSIST PERSIST_ONLY SETVAL`

// sessionWords begin statements that change the session.
const sessionWords = `BEGIN COMMIT DEALLOCATE KILL PREPARE RELEASE ROLLBACK SAVEPOINT SET USE`

// A handler looks closer at the statements that begin with one word. The cursor stands behind that word.
type handler func(*Analyzer, *cursor) Statement

// handlers are the words that begin a statement that is not always a plain write.
func handlers() map[string]handler {
	return map[string]handler{
		"SELECT": (*Analyzer).selection, "TABLE": (*Analyzer).selection, "VALUES": (*Analyzer).selection,
		"WITH": (*Analyzer).with, "DO": (*Analyzer).do,
		"EXPLAIN": (*Analyzer).explain, "DESCRIBE": (*Analyzer).explain, "DESC": (*Analyzer).explain,
		"ANALYZE": (*Analyzer).analyzeStatement, "SHOW": (*Analyzer).show, "HELP": plain(Read), "CHECKSUM": plain(Read),
		"GET": getDiagnostics,
		"SET": (*Analyzer).set, "USE": named(Use),
		"BEGIN": begin, "START": start, "COMMIT": finish(Commit), "ROLLBACK": rollback,
		"SAVEPOINT": named(Savepoint), "RELEASE": release,
		"PREPARE": (*Analyzer).prepare, "EXECUTE": execute, "DEALLOCATE": deallocate, "DROP": drop,
		"KILL": kill, "CREATE": create, "LOAD": load,
	}
}

// statement says what one statement does.
func (a *Analyzer) statement(in input) Statement {
	c := newCursor(in)
	if c.punct(c.cur, '(') {
		return a.parenthesis(c)
	}
	verb := c.word()
	if h := a.handlers[verb]; h != nil {
		c.advance()
		return h(a, c)
	}
	if a.writing[verb] {
		return a.write(in, verb)
	}
	return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
}

// parenthesis is a query in parentheses.
func (a *Analyzer) parenthesis(c *cursor) Statement {
	for c.acceptPunct('(') {
	}
	if c.atWord("SELECT", "TABLE", "VALUES", "WITH") {
		return a.query(c.in)
	}
	return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
}

func (a *Analyzer) selection(c *cursor) Statement { return a.query(c.in) }

// with tells WITH ... SELECT from WITH ... UPDATE by the first of these words behind the bodies.
func (a *Analyzer) with(c *cursor) Statement {
	c.seek("SELECT", "TABLE", "VALUES", "UPDATE", "DELETE", "INSERT", "REPLACE")
	if c.atWord("UPDATE", "DELETE", "INSERT", "REPLACE") {
		return a.write(c.in, "WITH")
	}
	return a.query(c.in)
}

// write is a statement that writes. User variables in it may be assigned; a text that is too long to look for them is
// taken to have some if it has an @ at all.
func (a *Analyzer) write(in input, verb string) Statement {
	st := Statement{Kind: Write, Reason: Writes, Stateful: a.keeping[verb]}
	st.Fires = a.fires(in, verb)
	switch verb {
	case "CASE", "DECLARE", "FOR", "IF", "LOOP", "REPEAT", "WHILE":
		st.Compound = true
	}
	if len(in.sql) > MaxLength {
		st.Stateful = st.Stateful || strings.Contains(in.sql, "@")
	} else {
		s := a.scan(in)
		st.Stateful = st.Stateful || s.stateful
		st.Brief = briefWrite(in, s)
	}
	return st
}

func plain(k Kind) handler {
	return func(*Analyzer, *cursor) Statement { return Statement{Kind: k, Reason: NotSelect} }
}

// named is a statement of a word and a name.
func named(k Kind) handler {
	return func(_ *Analyzer, c *cursor) Statement { return Statement{Kind: k, Reason: NotSelect, Name: c.name()} }
}

// explain shows a plan; EXPLAIN ANALYZE runs the statement to do so.
func (a *Analyzer) explain(c *cursor) Statement {
	runs := false
	for !c.done() && !c.atWord("SELECT", "TABLE", "VALUES", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE") && !c.punct(c.cur, '(') {
		runs = runs || c.atWord("ANALYZE")
		c.advance()
	}
	if runs {
		return a.explained(c)
	}
	return Statement{Kind: Read, Reason: NotSelect, Stateful: a.scan(c.in).stateful}
}

// explained is a statement that is run for the sake of its plan.
func (a *Analyzer) explained(c *cursor) Statement {
	st := a.statement(c.in.of(c.rest()))
	if st.Kind != Read && !c.done() {
		return Statement{Kind: Write, Reason: Writes, Stateful: st.Stateful}
	}
	return Statement{Kind: Read, Reason: NotSelect, Stateful: st.Stateful}
}

// analyzeStatement is MariaDB's ANALYZE SELECT, which is a read, and everything else that starts with ANALYZE.
func (a *Analyzer) analyzeStatement(c *cursor) Statement {
	if c.accept("FORMAT") {
		c.acceptPunct('=')
		c.advance()
	}
	if c.atWord("SELECT", "WITH", "VALUES") {
		return a.explained(c)
	}
	return a.write(c.in, "ANALYZE")
}

// show depends on the statement before if it shows what that left.
func (a *Analyzer) show(c *cursor) Statement {
	st := Statement{Kind: Read, Reason: NotSelect}
	for range 6 {
		st.Brief = st.Brief || c.atWord("WARNINGS", "ERRORS")
		st.Stateful = st.Stateful || st.Brief || c.atWord("PROFILE", "PROFILES")
		c.advance()
	}
	return st
}

// do evaluates expressions. It is a read if nothing but built-in functions are called.
func (a *Analyzer) do(c *cursor) Statement {
	s := a.scan(c.in)
	if s.foreign || s.writes || s.selects > 0 || s.odd != "" {
		return Statement{Kind: Write, Reason: Writes, Stateful: true}
	}
	return Statement{Kind: Read, Reason: NotSelect, Stateful: s.stateful}
}

func getDiagnostics(*Analyzer, *cursor) Statement {
	return Statement{Kind: Read, Reason: NotSelect, Stateful: true}
}

func create(a *Analyzer, c *cursor) Statement {
	st := a.write(c.in, "CREATE")
	c.accept("OR", "REPLACE")
	st.Stateful = st.Stateful || c.atWord("TEMPORARY")
	return st
}

func drop(a *Analyzer, c *cursor) Statement {
	if c.accept("PREPARE") {
		return deallocated(c)
	}
	st := a.write(c.in, "DROP")
	st.Stateful = st.Stateful || c.atWord("TEMPORARY")
	return st
}

// load names LOAD DATA LOCAL, where the server asks the client for a file.
func load(a *Analyzer, c *cursor) Statement {
	st := a.write(c.in, "LOAD")
	c.advance()
	for c.accept("LOW_PRIORITY") || c.accept("CONCURRENT") {
	}
	if c.atWord("LOCAL") {
		st.Detail = "LOCAL"
	}
	return st
}
