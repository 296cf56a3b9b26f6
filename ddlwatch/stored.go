package ddlwatch

// createOther reads CREATE and ALTER of what is not a table, database or index. Verb is "create" or "alter".
func (r *reader) createOther(verb string) {
	if !r.ofTheServer() {
		r.stored(verb)
	}
}

// ofTheServer reads what is outside of all databases, whatever the verb, and reports whether it was that.
func (r *reader) ofTheServer() bool {
	switch {
	case r.acceptAny("USER", "ROLE"):
		r.account()
	case r.accept("SERVER"):
		r.server()
	case r.accept("SPATIAL", "REFERENCE"):
		r.spatialReference()
	case r.storage():
		r.nothing("storage", None)
	default:
		return false
	}
	return true
}

// server: the tables of FEDERATED and its like are elsewhere now.
func (r *reader) server() { r.data("server", "a foreign server changed", Unknown) }

// spatialReference: spatial functions give other answers now.
func (r *reader) spatialReference() {
	r.data("spatial_reference", "a spatial reference system changed", Unknown)
}

// storage moves past the words for what stores or runs things and changes no row: a tablespace can be dropped only
// when it is empty.
func (r *reader) storage() bool {
	return r.accept("TABLESPACE") || r.accept("UNDO", "TABLESPACE") || r.accept("LOGFILE", "GROUP") ||
		r.accept("RESOURCE", "GROUP") || r.accept("INSTANCE")
}

// stored reads CREATE and ALTER of views, triggers, routines and events, which may begin with clauses.
func (r *reader) stored(verb string) {
	for r.clause() {
	}
	switch {
	case r.accept("VIEW"):
		r.view(verb)
	case r.accept("TRIGGER"):
		r.createTrigger()
	case r.routine():
		r.nothing("routine", Routine)
	case r.accept("EVENT"):
		r.nothing("event", Routine)
	default:
		r.giveUp("an unknown object")
	}
}

// clause moves past one clause, and says whether there was one.
func (r *reader) clause() bool {
	switch {
	case r.accept("ALGORITHM"):
		r.acceptMark('=')
		r.ident()
	case r.accept("DEFINER"):
		r.acceptMark('=')
		r.user()
	case r.accept("SQL", "SECURITY"):
		r.ident()
	default:
		return r.accept("AGGREGATE") || r.accept("JSON", "RELATIONAL", "DUALITY") || r.accept("JSON", "DUALITY")
	}
	return true
}

// routine moves past the word for a routine, and says whether there was one. No result depends on a routine: a
// statement that calls one is not cached, nor is one that reads a view that does. What a routine writes when it runs
// is logged by itself.
func (r *reader) routine() bool {
	return r.acceptAny("PROCEDURE", "FUNCTION", "LIBRARY") || r.accept("PACKAGE", "BODY") || r.accept("PACKAGE")
}

// view reads a view up to its name. What the view reads is for the catalogue to find out.
func (r *reader) view(verb string) {
	r.accept("IF", "NOT", "EXISTS")
	r.definition(verb+"_view", View)
	r.touch(r.name())
	if !r.tok.isMark('(') {
		r.expect("AS")
	}
	r.stop()
}

// createTrigger reads [IF NOT EXISTS] name time event ON table FOR EACH ROW. No row changes with it; from here on those who
// read what writes to the table do must know of it.
func (r *reader) createTrigger() {
	r.accept("IF", "NOT", "EXISTS")
	r.definition("create_trigger", Trigger)
	r.effect.CatalogOnly = true
	r.name()
	r.skipTo("ON")
	r.touch(r.name())
	r.expect("FOR")
	r.stop()
}
