package ddlwatch

import "weir/cache/dep"

// alter reads what follows ALTER.
func (r *reader) alter() {
	r.skipAny("ONLINE", "OFFLINE")
	ignore := r.accept("IGNORE") // rows that are in the way go
	r.skipAny("ONLINE", "OFFLINE")
	switch {
	case r.accept("TABLE"):
		r.alterTable(ignore)
	case r.acceptAny("DATABASE", "SCHEMA"):
		r.alterDatabase()
	case r.accept("SEQUENCE"):
		r.alterSequence()
	default:
		r.createOther("alter")
	}
}

// alterTable reads the table's name. Unless the specifications are all of class None, it looks through the specifications for other tables: RENAME TO, EXCHANGE
// PARTITION ... WITH TABLE, and MariaDB's CONVERT PARTITION ... TO TABLE and CONVERT TABLE ... TO PARTITION. Both
// words are reserved, so that a column cannot be called so without quotes.
func (r *reader) alterTable(ignore bool) {
	r.accept("IF", "EXISTS")
	name := r.name()
	r.touch(name)
	if !ignore && r.keeps(name, (*layout).alterations) {
		r.definition("alter_table", None)
		r.rest()
		return
	}
	r.definition("alter_table", Shape)
	r.scan(func() {
		r.noteForeignKey()
		switch {
		case r.keyword("RENAME"):
			r.renamePart()
		case r.keyword("TABLE"):
			r.otherTable()
		}
	})
}

// renamePart reads RENAME COLUMN, INDEX or KEY, or RENAME [TO | AS | =] table.
func (r *reader) renamePart() {
	r.expect("RENAME")
	if r.acceptAny("COLUMN", "INDEX", "KEY") {
		return
	}
	if !r.acceptAny("TO", "AS") {
		r.acceptMark('=')
	}
	r.swap(r.name())
}

func (r *reader) otherTable() {
	r.expect("TABLE")
	r.accept("IF", "EXISTS")
	r.swap(r.name())
}

// swap: what the name stands for was, or is from now on, something else.
func (r *reader) swap(n dep.Name) {
	r.touch(n)
	r.effect.Class = r.effect.Class.or(Swap)
}

// alterDatabase reads [name] and options. Without a name it is the default database; the words that may begin an
// option and are not reserved may be either.
func (r *reader) alterDatabase() {
	r.definition("alter_database", Schema)
	switch {
	case r.acceptAny("DEFAULT", "CHARACTER", "COLLATE", "READ"):
		r.touchDatabase(r.schema)
	case r.acceptAny("CHARSET", "COMMENT", "ENCRYPTION"):
		r.giveUp("a database or an option")
	default:
		r.touchDatabase(r.ident())
	}
	r.rest()
}

func (r *reader) alterSequence() {
	r.accept("IF", "EXISTS")
	r.definition("alter_sequence", Shape)
	r.touch(r.name())
	r.rest()
}

// rename reads RENAME USER, and RENAME TABLE [IF EXISTS] a [WAIT n | NOWAIT] TO b, ...
func (r *reader) rename() {
	if r.accept("USER") {
		r.account()
		return
	}
	if !r.acceptAny("TABLE", "TABLES") {
		r.giveUp("an unknown RENAME")
		return
	}
	r.accept("IF", "EXISTS")
	r.definition("rename_table", Swap)
	r.effect.Moves = true
	r.renamePair()
	for r.acceptMark(',') {
		r.renamePair()
	}
	r.finish()
}

func (r *reader) renamePair() {
	r.touch(r.name())
	r.patience()
	r.expect("TO")
	r.touch(r.name())
}

// patience moves past MariaDB's WAIT n or NOWAIT.
func (c *cursor) patience() {
	if c.accept("WAIT") {
		c.advance()
		return
	}
	c.accept("NOWAIT")
}
