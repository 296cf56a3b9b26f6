package ddlwatch

import "strings"

// drop reads what follows DROP.
func (r *reader) drop() {
	switch {
	case r.accept("TEMPORARY"):
		r.dropTemporary()
	case r.acceptAny("TABLE", "TABLES"):
		r.dropNames("drop_table")
	case r.accept("VIEW"):
		r.dropNames("drop_view")
	case r.accept("SEQUENCE"):
		r.dropNames("drop_sequence")
	case r.acceptAny("DATABASE", "SCHEMA"):
		r.dropDatabase()
	case r.index():
		r.dropIndex()
	case r.accept("TRIGGER"):
		r.dropTrigger()
	default:
		r.dropOther()
	}
}

// dropTemporary reads what a server writes at every disconnect with temporary tables, in row format too: DROP
// /*!40005 TEMPORARY */ TABLE IF EXISTS. Only the session saw them.
func (r *reader) dropTemporary() {
	if !r.acceptAny("TABLE", "TABLES", "SEQUENCE") {
		r.giveUp("something temporary that is not a table")
	}
	r.effect.Kind, r.effect.Class = temporaryTable, None
	r.rest()
}

// dropNames reads [IF EXISTS] names [WAIT n | NOWAIT] [RESTRICT | CASCADE]. No foreign key comes with it: a child takes its keys
// with it, and a parent, which can go only with foreign_key_checks=0, leaves them behind under its name. What is known of
// keys is enough then, if it was before.
func (r *reader) dropNames(kind string) {
	r.accept("IF", "EXISTS")
	r.definition(kind, Gone)
	r.touch(r.names()...)
	r.patience()
	r.acceptAny("RESTRICT", "CASCADE")
	r.finish()
}

func (r *reader) dropDatabase() {
	r.accept("IF", "EXISTS")
	r.definition("drop_database", Schema)
	r.touchDatabase(r.ident())
	r.finish()
}

// dropIndex reads [IF EXISTS] name ON table. MySQL may drop the index of a foreign key, never the key.
func (r *reader) dropIndex() {
	r.accept("IF", "EXISTS")
	r.indexOn("drop_index", r.ident(), (*layout).removal)
}

// dropTrigger: the text does not name the table. No row changes, and a table that is thought to have a trigger still
// is no danger; but the catalogue should know.
func (r *reader) dropTrigger() {
	r.accept("IF", "EXISTS")
	r.definition("drop_trigger", Trigger)
	r.effect.CatalogOnly = true
	r.effect.touchSchema(r.name().Schema)
	r.finish()
}

func (r *reader) dropOther() {
	switch {
	case r.ofTheServer():
	case r.routine():
		r.nothing("routine", Routine)
	case r.accept("EVENT"):
		r.nothing("event", Routine)
	default:
		r.giveUp("an unknown object")
	}
}

// truncate reads TRUNCATE [TABLE] name [WAIT n | NOWAIT]. It fires no triggers, and neither server truncates a table
// that others refer to in a way that would cascade.
func (r *reader) truncate() {
	r.accept("TABLE")
	r.effect.Kind, r.effect.Class, r.dataOnly = "truncate", Shape, true
	r.touch(r.name())
	r.patience()
	r.finish()
}

// touchDatabase touches all of a schema.
func (r *reader) touchDatabase(name string) {
	if name == "" {
		r.giveUp("a database without a name")
	}
	r.effect.touchSchema(strings.ToLower(name))
}
