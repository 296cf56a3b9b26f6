package statement

import "strings"

// SetItem is one item of a SET that lists several.
type SetItem struct {
	// Text says the item alone, behind the word SET: with its scope, also if the text gives that once for many.
	Text string
	// Assignments are what the item assigns: one, or several for SET NAMES and its like.
	Assignments []Assignment
}

// SplitSet takes a SET apart. It returns false for what is no list of assignments, and where servers may read the text in
// different ways.
func (a *Analyzer) SplitSet(sql string, env Env) ([]SetItem, bool) {
	in, ok := certain(sql, &env)
	if !ok {
		return nil, false
	}
	c := newCursor(in)
	if !c.accept("SET") || c.atWord("STATEMENT", "ROLE", "RESOURCE", "DEFAULT") || c.odd != "" {
		return nil, false
	}
	l := setList{cursor: c, flavor: env.Flavor, bare: a.funcs.bare}
	var items []SetItem
	for {
		item, ok := l.oneItem()
		if !ok {
			return nil, false
		}
		items = append(items, item)
		if !l.acceptPunct(',') {
			return items, l.cursor.done() && c.odd == ""
		}
	}
}

// SplitSet is [Analyzer.SplitSet].
func (c *Cache) SplitSet(sql string, env Env) ([]SetItem, bool) { return c.analyzer.SplitSet(sql, env) }

// oneItem reads one item, and gives it the scope that holds for it.
func (l *setList) oneItem() (SetItem, bool) {
	before, start, own := len(l.done), l.cur, l.scoped() || l.cur.kind == variableToken
	plain := !own && !l.atWord("TRANSACTION", "NAMES", "CHARSET", "CHARACTER", "CHAR", "PASSWORD")
	if !l.item() {
		return SetItem{}, false
	}
	end := len(l.sql)
	if !l.cursor.done() {
		end = l.cur.start
	}
	item := SetItem{Text: strings.TrimSpace(l.sql[start.start:end]), Assignments: l.done[before:]}
	if plain && l.keyword {
		item.Text = scopeNames[l.scope] + " " + item.Text
	}
	return item, true
}

// scoped reports whether the item begins with a scope of its own.
func (l *setList) scoped() bool {
	_, ok := scopes[strings.ToLower(l.word())]
	return ok
}

var scopeNames = map[Scope]string{SessionScope: "SESSION", GlobalScope: "GLOBAL", PersistScope: "PERSIST"}

// certain reads the one statement of a text; false if there are several, or if a comment may be code to some servers only.
func certain(sql string, env *Env) (input, bool) {
	in := newInput(sql, env)
	texts := read(sql, in.mode)
	if texts.doubtful() {
		return in, false
	}
	parts, _ := split(in.of(texts.with))
	if len(parts) != 1 {
		return in, false
	}
	return in.of(parts[0]), true
}
