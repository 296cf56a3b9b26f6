package ddlwatch

// statement chooses a recogniser by the first word.
func (r *reader) statement() {
	switch {
	case r.accept("CREATE"):
		r.create()
	case r.accept("ALTER"):
		r.alter()
	case r.accept("DROP"):
		r.drop()
	case r.accept("RENAME"):
		r.rename()
	case r.accept("TRUNCATE"):
		r.truncate()
	case r.accept("SET"):
		r.set()
	default:
		if !r.dataStatement() {
			r.other()
		}
	}
}

// dataStatement reads a statement that writes rows, and says whether this is one.
func (r *reader) dataStatement() bool {
	start := r.cursor
	switch {
	case r.accept("INSERT"), r.accept("REPLACE"):
		r.insert(start)
	case r.accept("UPDATE"):
		r.update(start)
	case r.accept("DELETE"):
		r.delete(start)
	case r.accept("WITH"):
		r.with(start)
	case r.accept("LOAD"):
		r.load(start)
	default:
		return false
	}
	return true
}

func (r *reader) other() {
	switch {
	case r.acceptAny("GRANT", "REVOKE"):
		r.account()
	case r.accept("SELECT"):
		r.selectText()
	case r.acceptAny("OPTIMIZE", "REPAIR", "ANALYZE", "CHECK"):
		r.maintenance()
	case r.accept("FLUSH"):
		r.flush()
	case r.acceptAny("INSTALL", "UNINSTALL"):
		r.all("plugin", "plugins changed")
	case r.accept("IMPORT", "TABLE"):
		r.all("import_table", "tables imported from files")
	case r.acceptAny("START", "COMMIT", "ROLLBACK"):
		r.alterInPhases()
	default:
		r.giveUp("an unknown statement")
	}
}

// alterInPhases reads what MariaDB from 10.8 on may write with binlog_alter_two_phase. The text of each phase is
// that of the ALTER; in case it ever carries the phase in front, both are taken for the change.
func (r *reader) alterInPhases() {
	r.expect("ALTER")
	r.alter()
}

// set reads SET STATEMENT variable = value, ... FOR statement of MariaDB, and SET PASSWORD and SET [DEFAULT] ROLE.
func (r *reader) set() {
	switch {
	case r.accept("PASSWORD"), r.accept("DEFAULT", "ROLE"), r.accept("ROLE"):
		r.account()
	case r.accept("STATEMENT"):
		r.skipTo("FOR")
		r.notAgain("SET")
		r.statement()
	default:
		r.giveUp("an unknown SET")
	}
}

// notAgain keeps a statement from being inside itself.
func (r *reader) notAgain(keyword string) {
	if r.tok.is(keyword) {
		r.giveUp(keyword + " inside " + keyword)
	}
}

// skipTo moves past the first such keyword outside parentheses.
func (r *reader) skipTo(keyword string) {
	for depth := 0; r.tok.kind != end; r.advance() {
		switch {
		case r.tok.isMark('('):
			depth++
		case r.tok.isMark(')'):
			depth--
		case depth == 0 && r.tok.is(keyword):
			r.expect(keyword)
			return
		}
	}
	r.giveUp("no " + keyword + " where one was expected")
}
