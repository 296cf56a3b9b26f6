package statement

import "strings"

// set is SET in all its forms. Its values are not evaluated.
func (a *Analyzer) set(c *cursor) Statement {
	s := a.scan(c.in)
	st := Statement{Kind: SetSession, Reason: NotSelect, Stateful: s.stateful || s.odd != ""}
	switch {
	case s.odd != "":
		st.Reason, st.Detail = Ambiguous, s.odd
	case s.foreign || s.readsTables():
		st.Reason, st.Stateful = StoredFunction, true
	}
	if s.writes {
		return Statement{Kind: Write, Reason: Writes, Stateful: true}
	}
	switch {
	case c.accept("STATEMENT"):
		return a.setStatement(c)
	case c.accept("ROLE"):
		st.Stateful, st.Detail = true, "ROLE"
		return st
	case c.accept("RESOURCE", "GROUP"):
		return resourceGroup(c)
	case c.accept("DEFAULT", "ROLE"):
		return Statement{Kind: Write, Reason: Writes, Detail: "DEFAULT ROLE"}
	}
	return a.assign(c, st)
}

// readsTables tells whether a subquery may read tables. A view among them may call a stored function.
func (s *scan) readsTables() bool {
	if s.selects == 0 {
		return s.tables > 0
	}
	c := newCursor(s.in)
	for !c.done() && !c.atWord("FROM") {
		c.advance()
	}
	return !c.done() || s.tables > 0
}

// resourceGroup is about this connection, or about the threads behind FOR.
func resourceGroup(c *cursor) Statement {
	if c.seek("FOR") {
		return Statement{Kind: Write, Reason: Writes, Detail: "RESOURCE GROUP"}
	}
	return Statement{Kind: SetSession, Reason: NotSelect, Detail: "RESOURCE GROUP", Stateful: true}
}

// setStatement is MariaDB's SET STATEMENT assignments FOR statement. One that may take the read-only mode away is not
// told apart from what the statement then may do.
func (a *Analyzer) setStatement(c *cursor) Statement {
	start := c.cur.start
	if !c.seek("FOR") || strings.Contains(strings.ToLower(c.sql[start:c.cur.start]), "read_only") {
		return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
	}
	c.advance()
	st := a.statement(c.in.of(c.rest()))
	switch st.Kind {
	case Read:
		st.Cacheable, st.Reason, st.Detail, st.Stateful = false, SetPrefix, "", true
		return st
	case Write:
		return st
	}
	return Statement{Kind: Unknown, Reason: SetPrefix, Stateful: true}
}

// assign reads a list of assignments.
func (a *Analyzer) assign(c *cursor, st Statement) Statement {
	list := setList{cursor: c, flavor: c.in.env.Flavor, bare: a.funcs.bare}
	if !list.read() {
		return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
	}
	st.Assignments = list.done
	if st.Reason == Ambiguous {
		st.Assignments = computed(list.done)
	}
	for _, x := range list.done {
		st.Stateful = st.Stateful || x.Scope == UserScope
		if x.Scope == GlobalScope || x.Scope == PersistScope {
			st.Kind = Write
		}
	}
	if st.Kind == Write && st.Reason == NotSelect {
		st.Reason = Writes
	}
	if list.password {
		st.Kind, st.Reason, st.Detail = Write, Writes, "PASSWORD"
	}
	return st
}
