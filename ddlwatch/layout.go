package ddlwatch

import (
	"slices"
	"strings"

	"weir/cache/dep"
)

// layout reads the parts of ALTER TABLE, CREATE INDEX and DROP INDEX of which it is certain that rows, and what they look
// like, stay as they are: class [None]. It looks ahead on a copy of the cursor, and each of its methods says whether it
// has understood all that it has passed. What it does not know is no failure: then the statement is of class [Shape].
//
// Why these are certain:
//
//   - A secondary index says how rows are found. Neither server drops or changes a row to make one; one that is unique is
//     refused if rows are in the way, and ALTER IGNORE, which would delete them, is not read here. The columns that an
//     index over expressions, or a unique one over a BLOB, adds are hidden; a row event that has them has another number of
//     columns than the catalogue knows, and counts for the whole table.
//   - A rebuild (FORCE, ENGINE with the engine that the table has, ROW_FORMAT, OPTIMIZE) writes the same rows anew. Stored
//     generated columns may be computed again; servers allow only what is deterministic there.
//   - COMMENT, STATS_* and AUTO_INCREMENT are read by no statement whose result is kept.
//   - ADD PARTITION makes room for other rows, or puts rows elsewhere, REBUILD PARTITION writes them anew.
//
// What does change:
//
//   - Rows may come in another order where a statement asks for none, or for one with ties, and sums of floating-point
//     numbers may be rounded otherwise. A result from before is one that the server could have given.
//   - The flags of columns in a result's metadata say which keys there are. A result from before has those from before, but
//     for the flag of the primary key: see hasPrimaryKey.
//   - Rows that somebody put into a partition where they do not belong (EXCHANGE PARTITION ... WITHOUT VALIDATION), and which
//     the server finds or not by the way it looks, are moved or lost when the partition is written anew. So are broken rows.
//   - A server that finds other rows by an index than without it, which is an error of its own, gives another answer.
//   - What asks for an index or a partition by name, or needs one, may be refused or answered otherwise: hints, MATCH,
//     PARTITION (p) and more. Those results depend on [dep.Name.Layout].
type layout struct {
	cursor
	known Known
	table dep.Name
}

// keeps reports whether the statement, from here on, changes nothing but the layout of a table. What follows the table's
// name is read by rest.
func (r *reader) keeps(table dep.Name, rest func(*layout) bool) bool {
	l := &layout{cursor: r.cursor, known: r.known, table: table}
	return rest(l) && l.atEnd() && l.failed == ""
}

func (c *cursor) atEnd() bool { return c.tok.kind == end || c.tok.isMark(';') }

// alterations reads what follows the table of ALTER TABLE. Options of the table need no comma between them.
func (l *layout) alterations() bool {
	for !l.atEnd() {
		if !l.alteration() {
			return false
		}
		l.acceptMark(',')
	}
	return true
}

// alteration reads one specification of ALTER TABLE.
func (l *layout) alteration() bool {
	switch {
	case l.accept("ADD"):
		return l.added()
	case l.accept("DROP"):
		return l.indexName()
	case l.accept("RENAME"):
		return l.indexName() && l.accept("TO") && l.ident() != ""
	case l.accept("ALTER"):
		return l.indexName() && l.visibility()
	case l.accept("FORCE"), l.acceptAny("SECONDARY_LOAD", "SECONDARY_UNLOAD"), l.accept("ENABLE", "KEYS"), l.accept("DISABLE", "KEYS"):
		return true
	case l.accept("OPTIMIZE", "PARTITION"), l.accept("ANALYZE", "PARTITION"), l.accept("CHECK", "PARTITION"), l.accept("REBUILD", "PARTITION"):
		return l.partitions()
	}
	return l.how() || l.option()
}

// added reads what follows ADD.
func (l *layout) added() bool {
	switch {
	case l.accept("PARTITION"):
		return l.newPartitions()
	case l.accept("CONSTRAINT"):
		if !l.tok.is("UNIQUE") {
			l.ident()
		}
		return l.accept("UNIQUE") && l.hasPrimaryKey() && l.newIndex()
	case l.accept("UNIQUE"):
		return l.hasPrimaryKey() && l.newIndex()
	case l.acceptAny("FULLTEXT", "SPATIAL"):
		return l.newIndex()
	case l.accept("VECTOR"), l.tok.is("INDEX"), l.tok.is("KEY"):
		return (l.tok.is("INDEX") || l.tok.is("KEY")) && l.newIndex() // ADD vector int adds a column
	}
	return false
}

// newPartitions reads [IF NOT EXISTS] and their definitions, or PARTITIONS n.
func (l *layout) newPartitions() bool {
	l.accept("IF", "NOT", "EXISTS")
	l.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	return l.accept("PARTITIONS") && l.value() || l.parenthesized()
}

// partitions reads a list of names, or ALL, and what CHECK may have behind it.
func (l *layout) partitions() bool {
	l.acceptAny("NO_WRITE_TO_BINLOG", "LOCAL")
	for l.ident() != "" && l.acceptMark(',') {
	}
	l.checks()
	return l.failed == ""
}

// checks moves past the options of CHECK.
func (c *cursor) checks() {
	for c.acceptAny("QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED") || c.accept("FOR", "UPGRADE") {
	}
}

// how reads the way in which the server is to do it.
func (l *layout) how() bool {
	switch {
	case l.accept("NOWAIT"):
		return true
	case l.accept("WAIT"):
		return l.value()
	}
	return l.acceptAny("ALGORITHM", "LOCK") && l.value()
}

// option reads an option of the table that no result shows.
func (l *layout) option() bool {
	if l.accept("ENGINE") {
		return l.sameEngine()
	}
	return l.acceptAny("COMMENT", "ROW_FORMAT", "KEY_BLOCK_SIZE", "STATS_PERSISTENT", "STATS_AUTO_RECALC", "STATS_SAMPLE_PAGES",
		"AUTO_INCREMENT", "COMPRESSION", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL") && l.value()
}

// sameEngine: ENGINE=InnoDB is how InnoDB tables are rebuilt. Engines differ in what values they keep.
func (l *layout) sameEngine() bool {
	l.acceptMark('=')
	return l.accept("InnoDB") && l.known != nil && l.known.IsInnoDB(l.table)
}

// value reads [=] and one word, number or string. Of the reserved words only DEFAULT is a value.
func (l *layout) value() bool {
	l.acceptMark('=')
	l.decisive()
	known := l.tok.kind == word && (!reserved[strings.ToUpper(l.tok.src)] || l.tok.is("DEFAULT"))
	if !known && l.tok.kind != text {
		return false
	}
	l.advance()
	return l.failed == ""
}

// parenthesized moves past parentheses and what is in them, which must be none of the words.
func (l *layout) parenthesized(without ...string) bool {
	if !l.acceptMark('(') {
		return false
	}
	for depth := 1; depth > 0; l.advance() {
		switch {
		case l.tok.kind == end, l.tok.maybe, slices.ContainsFunc(without, l.tok.is):
			return false
		case l.tok.isMark('('):
			depth++
		case l.tok.isMark(')'):
			depth--
		}
	}
	return l.failed == ""
}
