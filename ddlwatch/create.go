package ddlwatch

import "strings"

// temporaryTable is the kind of statements about tables that one session alone sees.
const temporaryTable = "temporary_table"

// create reads what follows CREATE.
func (r *reader) create() {
	replace := r.accept("OR", "REPLACE")
	temporary := r.accept("TEMPORARY")
	switch {
	case r.accept("TABLE"):
		r.createTable(temporary)
	case r.accept("SEQUENCE"):
		r.createSequence(temporary)
	case temporary:
		r.giveUp("something temporary that is not a table")
	case r.acceptAny("DATABASE", "SCHEMA"):
		r.createDatabase()
	case r.uniqueIndex():
		r.createIndex((*layout).uniqueCreation)
	case r.index():
		r.createIndex(creation(replace))
	default:
		r.createOther("create")
	}
}

// createTable reads CREATE TABLE from the name on. The columns bring no other table in; only a query does, which
// may call functions that write, and so do those in the query of a temporary table.
func (r *reader) createTable(temporary bool) {
	r.created("create_table", temporary)
	r.tableBody()
}

// created reads the name of a new table or sequence. A temporary one is seen by its session alone.
func (r *reader) created(kind string, temporary bool) {
	r.accept("IF", "NOT", "EXISTS")
	name := r.name()
	if temporary {
		r.effect.Kind, r.effect.Class = temporaryTable, None
		return
	}
	r.definition(kind, Shape)
	r.touch(name)
}

// tableBody looks through the rest of a CREATE TABLE for foreign keys and for a query.
func (r *reader) tableBody() {
	r.alike()
	r.scan(func() {
		r.noteForeignKey()
		if r.startsQuery() {
			r.queried()
		}
	})
	if r.effect.Kind == temporaryTable {
		r.effect.ForeignKeys, r.effect.Moves = false, false
	}
}

// startsQuery says whether a query begins here. VALUES also begins the bounds of a partition.
func (r *reader) startsQuery() bool {
	if !r.keyword("VALUES") {
		return r.keyword("SELECT", "TABLE")
	}
	ahead := r.cursor
	ahead.advance()
	return !ahead.tok.is("LESS") && !ahead.tok.is("IN")
}

// noteForeignKey looks for what may bring a foreign key, and for what may move or end one: a constraint without the word
// FOREIGN may be one that MySQL from 8.0.19 on and MariaDB drop by its name. The UNION of a MERGE table counts: rows that
// are written through it change in other tables, too.
func (r *reader) noteForeignKey() {
	switch {
	case r.keyword("REFERENCES", "FOREIGN", "UNION"):
		r.effect.ForeignKeys = true
	case r.keyword("RENAME", "CONSTRAINT"):
		r.effect.Moves = true
	}
}

// alike: neither server copies foreign keys with CREATE TABLE ... LIKE, but both copy the UNION of a MERGE table (seen with
// MySQL 9.7 and MariaDB 10.11).
func (r *reader) alike() {
	ahead := r.cursor
	ahead.acceptMark('(')
	if !ahead.accept("LIKE") {
		r.effect.ForeignKeys = r.effect.ForeignKeys || ahead.failed != ""
		return
	}
	like := ahead.name()
	if ahead.failed != "" || r.known == nil || !r.known.IsInnoDB(like) {
		r.effect.ForeignKeys = true
	}
}

func (r *reader) createSequence(temporary bool) {
	r.created("create_sequence", temporary)
	r.rest()
}

func (r *reader) createDatabase() {
	r.accept("IF", "NOT", "EXISTS")
	r.definition("create_database", Schema)
	r.touchDatabase(r.ident())
	r.rest()
}

// uniqueIndex moves past UNIQUE INDEX, and says whether it was there.
func (r *reader) uniqueIndex() bool {
	r.skipAny("ONLINE", "OFFLINE")
	return r.accept("UNIQUE", "INDEX")
}

// index is uniqueIndex for those of other kinds.
func (r *reader) index() bool {
	r.skipAny("ONLINE", "OFFLINE")
	return r.accept("FULLTEXT", "INDEX") || r.accept("SPATIAL", "INDEX") ||
		r.accept("VECTOR", "INDEX") || r.accept("INDEX")
}

// createIndex reads [IF NOT EXISTS] name [USING type] ON table, and then rest.
func (r *reader) createIndex(rest func(*layout) bool) {
	r.accept("IF", "NOT", "EXISTS")
	index := r.ident()
	if r.acceptAny("USING", "TYPE") {
		r.ident()
	}
	r.indexOn("create_index", index, rest)
}

// indexOn reads ON table and the rest of CREATE INDEX and DROP INDEX.
func (r *reader) indexOn(kind, index string, rest func(*layout) bool) {
	r.expect("ON")
	name, class := r.name(), Shape
	if !strings.EqualFold(index, "PRIMARY") && r.keeps(name, rest) {
		class = None
	}
	r.definition(kind, class)
	r.touch(name)
	r.rest()
}

// rest moves to the end of the statement: what is left are options that bring no other table in.
func (r *reader) rest() { r.scan(func() {}) }
