package ddlwatch

import "strings"

// creation reads all that follows the table of CREATE INDEX.
func (l *layout) creation() bool {
	l.patience()
	return l.indexed() && l.ways()
}

// ways reads what follows the table of DROP INDEX.
func (l *layout) ways() bool {
	for l.how() {
	}
	return true
}

// indexName reads INDEX or KEY and a name. The primary key is another matter.
func (l *layout) indexName() bool {
	if !l.acceptAny("INDEX", "KEY") {
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
