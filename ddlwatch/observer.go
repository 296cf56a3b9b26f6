package ddlwatch

import (
	"strings"
	"time"

	"weir/cache"
	"weir/replicator/change"
)

// Observer hears of every statement in the binlog that is not plain DML, of class [Data], and not about a temporary
// table alone. Both methods are called on the goroutine that applies the stream, in binlog order, and must not block: while
// they run, nothing becomes unservable. For each Touching there is one Touched, unless the process ends in between.
type Observer interface {
	// Touching is called before the ledger hears of the change: results that it will end are servable still.
	Touching(c Change)
	// Touched is called after.
	Touched(c Change)
}

// Change is a statement in the binlog and what it changes.
type Change struct {
	// Seq is the end of the transaction that the statement is in. Several statements may have one.
	Seq cache.Seq
	// CommittedAt is when the source says that it committed, zero if it does not say. If Coarse it is of MariaDB, which tells
	// in whole seconds when the statement began.
	CommittedAt time.Time
	Coarse      bool
	// Schema is the default database that the statement ran in; may be empty.
	Schema string
	// SQL is the statement for people to read, without what could be a secret: see [shown].
	SQL string
	// Effect is what the statement has changed at Seq: nothing, and of class [None], if Phase says that it does not take
	// effect here. Tables are told in any case.
	Effect Effect
	// Phase is that of an ALTER which MariaDB writes twice.
	Phase change.Phase
}

// observed is a statement for the observer; ok is false if it hears nothing of such.
func observed(t *change.Transaction, st change.Statement, e Effect) (c Change, ok bool) {
	return Change{Seq: t.Seq, CommittedAt: t.CommittedAt, Coarse: t.Coarse, Schema: st.Schema, SQL: shown(st.SQL, e), Effect: e, Phase: st.Phase},
		e.Class != Data && (e.Kind != temporaryTable || e.Everything != "")
}

// hidden stands for what is not shown of a text.
const hidden = "..."

// shown is a statement without what could be a secret. Of one about accounts or servers, or one that was not understood,
// there are the first words. Of all others the strings are left out: they may hold passwords, such as in CONNECTION of a
// FEDERATED table and in COMMENT of a Spider table, or data.
func shown(sql string, e Effect) string {
	if e.Class == Account || e.Class == Unknown || strings.Contains(sql, `\`) {
		return firstWords(sql) + " " + hidden
	}
	text, ok := withoutStrings(sql)
	if !ok {
		return firstWords(sql) + " " + hidden
	}
	return text
}

// shownText is shown for a text that is read for nothing else.
func shownText(sql string) string { return shown(sql, Read("", sql, nil)) }

// withoutStrings empties the strings in a text without backslashes. Whether "x" is a string or a name, it begins and ends
// at the same places, and is emptied.
func withoutStrings(sql string) (string, bool) {
	var b strings.Builder
	c := cursor{lexer: lexer{sql: sql}}
	kept := 0
	for c.advance(); c.tok.kind != end; c.advance() {
		switch src := c.tok.src; {
		case c.tok.kind == text:
			b.WriteString(sql[kept:c.tok.off] + src[:1] + hidden + src[:1])
			kept = c.tok.off + len(src)
		case isNumeral(src): // of a string, in base 16 or 2
			b.WriteString(sql[kept:c.tok.off] + src[:2] + hidden)
			kept = c.tok.off + len(src)
		}
	}
	b.WriteString(sql[kept:])
	return strings.TrimSpace(b.String()), c.failed == ""
}

// isNumeral reports whether a token is a string written as 0x4D or 0b1001.
func isNumeral(src string) bool {
	return len(src) > 2 && src[0] == '0' && (src[1] == 'x' || src[1] == 'b')
}
