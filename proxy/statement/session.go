package statement

import "strconv"

// begin is BEGIN [WORK]. MariaDB's BEGIN NOT ATOMIC is a block of statements.
func begin(a *Analyzer, c *cursor) Statement {
	c.accept("WORK")
	if c.done() {
		return Statement{Kind: Begin, Reason: NotSelect}
	}
	return Statement{Kind: Write, Reason: Writes, Stateful: true, Compound: true}
}

// start is START TRANSACTION; the rest, such as START REPLICA, is a write.
func start(a *Analyzer, c *cursor) Statement {
	if !c.accept("TRANSACTION") {
		return a.write(c.in, "START")
	}
	st := Statement{Kind: Begin, Reason: NotSelect}
	for ; !c.done(); c.advance() {
		switch {
		case c.accept("READ", "ONLY"):
			st.Transaction.Access = ReadOnly
		case c.accept("READ", "WRITE"):
			st.Transaction.Access = ReadWrite
		case c.accept("WITH", "CONSISTENT", "SNAPSHOT"):
			st.Transaction.Snapshot = true
		}
	}
	return st
}

// finish is COMMIT or ROLLBACK with what may follow.
func finish(k Kind) handler {
	return func(_ *Analyzer, c *cursor) Statement {
		st := Statement{Kind: k, Reason: NotSelect}
		c.accept("WORK")
		if !c.accept("AND", "NO", "CHAIN") {
			st.Transaction.Chain = c.accept("AND", "CHAIN")
		}
		st.Transaction.Release = c.accept("RELEASE")
		return st
	}
}

func rollback(a *Analyzer, c *cursor) Statement {
	if c.accept("TO") || c.accept("WORK", "TO") {
		c.accept("SAVEPOINT")
		return Statement{Kind: Savepoint, Reason: NotSelect, Name: c.name()}
	}
	return finish(Rollback)(a, c)
}

func release(_ *Analyzer, c *cursor) Statement {
	if c.accept("SAVEPOINT") {
		return Statement{Kind: Savepoint, Reason: NotSelect, Name: c.name()}
	}
	return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
}

// prepare is PREPARE name FROM text. The text is analysed if it is a literal without escapes; from a user variable it
// may be anything.
func (a *Analyzer) prepare(c *cursor) Statement {
	st := Statement{Kind: Prepare, Reason: NotSelect, Name: c.name(), Stateful: true}
	if !c.accept("FROM") || c.cur.kind != stringToken {
		return st
	}
	if body, ok := plainString(c.text(c.advance())); ok && c.done() {
		st.Body = body
		st.Parts = []Statement{a.Analyze(body, *c.in.env)}
	}
	return st
}

// execute is EXECUTE name. MariaDB's EXECUTE IMMEDIATE runs any text.
func execute(_ *Analyzer, c *cursor) Statement {
	if c.accept("IMMEDIATE") {
		return Statement{Kind: Write, Reason: Writes, Stateful: true}
	}
	st := Statement{Kind: Execute, Reason: NotSelect, Name: c.name(), Stateful: true}
	st.Using = !c.done()
	return st
}

func deallocate(_ *Analyzer, c *cursor) Statement {
	c.accept("PREPARE")
	return deallocated(c)
}

func deallocated(c *cursor) Statement {
	return Statement{Kind: Deallocate, Reason: NotSelect, Name: c.name(), Stateful: true}
}

// kill is KILL [HARD | SOFT] [CONNECTION | QUERY [ID]] number. MariaDB also has KILL USER name.
func kill(_ *Analyzer, c *cursor) Statement {
	st := Statement{Kind: Kill, Reason: NotSelect}
	if st.Kill.Hard = c.accept("HARD"); !st.Kill.Hard {
		st.Kill.Soft = c.accept("SOFT")
	}
	if !c.accept("CONNECTION") {
		st.Kill.Query = c.accept("QUERY")
	}
	if !c.accept("ID") && c.cur.kind == numberToken {
		st.Kill.ID, st.Kill.Numbered = wholeNumber(c)
	}
	return st
}

// wholeNumber takes the number that ends the statement.
func wholeNumber(c *cursor) (n uint64, ok bool) {
	n, err := strconv.ParseUint(c.text(c.advance()), 10, 64)
	if err != nil || !c.done() {
		return 0, false
	}
	return n, true
}
