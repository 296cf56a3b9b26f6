package ddlwatch

import "strings"

// creation reads all that follows the table of CREATE INDEX, for an index that is not unique. OR REPLACE may end one that is.
func creation(replace bool) func(*layout) bool {
	if replace {
		return (*layout).uniqueCreation
	}
	return (*layout).creation
}

func (l *layout) uniqueCreation() bool { return l.hasPrimaryKey() && l.creation() }

func (l *layout) creation() bool {
	l.patience()
	return l.indexed() && l.ways()
}

// removal reads what follows the table of DROP INDEX. Whether the index is unique the text does not say.
func (l *layout) removal() bool { return l.hasPrimaryKey() && l.ways() }

// hasPrimaryKey: without a primary key, the first of the unique keys whose columns are all NOT NULL takes its place, and
// servers say of its columns with every result that they are those of the primary key (PRI_KEY; drivers find by it the row
// that they are to write). It does not matter to which table a unique key comes, or is taken from, that has a primary key,
// at the place in the stream at which the statement is read: what ended that key before has made the table unknown.
func (l *layout) hasPrimaryKey() bool { return l.known != nil && l.known.HasPrimaryKey(l.table) }

func (l *layout) ways() bool {
	for l.how() {
	}
	return true
}

// indexName reads INDEX or KEY and a name of an index that may be unique. The primary key is another matter.
func (l *layout) indexName() bool {
	if !l.hasPrimaryKey() || !l.acceptAny("INDEX", "KEY") {
		return false
	}
	l.accept("IF", "EXISTS")
	return l.secondary(l.ident())
}

func (l *layout) secondary(index string) bool {
	return index != "" && !strings.EqualFold(index, "PRIMARY")
}

// newIndex reads [INDEX | KEY] [IF NOT EXISTS] [name] [USING type] (columns) options.
func (l *layout) newIndex() bool {
	l.acceptAny("INDEX", "KEY")
	l.accept("IF", "NOT", "EXISTS")
	if !l.tok.isMark('(') && !l.using() && !l.secondary(l.ident()) {
		return false
	}
	l.using()
	return l.indexed()
}

// indexed reads (columns) options. Without WITHOUT OVERLAPS: that is about periods, of which little is known here.
func (l *layout) indexed() bool {
	if !l.parenthesized("WITHOUT") {
		return false
	}
	for l.indexOption() {
	}
	return l.failed == ""
}

func (l *layout) using() bool { return l.acceptAny("USING", "TYPE") && l.ident() != "" }

func (l *layout) indexOption() bool {
	switch {
	case l.using(), l.visibility(), l.accept("WITH", "PARSER") && l.ident() != "":
		return true
	}
	return l.acceptAny("KEY_BLOCK_SIZE", "COMMENT", "CLUSTERING", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "DISTANCE", "M") && l.value()
}

func (l *layout) visibility() bool {
	return l.acceptAny("VISIBLE", "INVISIBLE", "IGNORED") || l.accept("NOT", "IGNORED")
}
