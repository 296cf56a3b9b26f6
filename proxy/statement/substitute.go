package statement

import "strings"

// Reference is a system variable that a text reads.
type Reference struct {
	// Name is in lower case, without scope; Prefix is the scope as written, in lower case, or empty.
	Prefix, Name string
}

// SubstituteVariables puts something else in place of system variables. replace is asked for each @@name and returns what
// may stand there; if it returns false the variable stays. An item of a SELECT that has lost its name by that gets it back
// as an alias. It returns the text itself if nothing was replaced.
func SubstituteVariables(sql string, env Env, replace func(Reference) (string, bool)) string {
	u := substitution{cursor: newCursor(newInput(sql, &env)), replace: replace, levels: []selectList{{}}}
	for !u.done() {
		u.step()
	}
	u.endItem()
	u.out.WriteString(sql[u.copied:])
	return u.out.String()
}

// substitution copies a text, token by token, and follows select lists for the sake of their items' names.
type substitution struct {
	*cursor
	replace func(Reference) (string, bool)
	out     strings.Builder
	copied  int
	// levels are the parentheses that are open.
	levels []selectList
	// setting says that the statement is SET, before the token in front of the current one.
	setting bool
	before  token
}

// selectList is what is known of the innermost select list, and of its item.
type selectList struct {
	open     bool // between SELECT and what ends the list
	start    int  // of the item, or -1 before it
	end      int
	last     tokenKind // of the token that ends the item so far
	bracket  bool      // it is a closing parenthesis
	operand  bool      // it stands behind an operator, and so is no alias
	named    bool      // there was AS
	replaced bool
}

func (u *substitution) level() *selectList { return &u.levels[len(u.levels)-1] }

func (u *substitution) step() {
	t := u.cur
	word := u.word()
	u.setting = word == "SET" && u.before == (token{}) || u.setting && !u.punct(u.before, ';')
	switch {
	case word == "SELECT":
		*u.level() = selectList{open: true, start: -1}
	case u.level().open && endsList[word], u.punct(t, ';'):
		u.endItem()
		u.level().open = false
	case u.level().open && u.level().start < 0 && isOption[word]:
	case u.punct(t, ','):
		u.endItem()
	case u.punct(t, '('):
		u.item(t)
		u.levels = append(u.levels, selectList{})
	case u.punct(t, ')'):
		u.close()
		u.item(t)
	default:
		u.item(t)
		if !u.assigned() {
			u.variable(t)
		}
	}
	u.before = u.advance()
}

// assigned reports whether the current token is what a SET assigns to.
func (u *substitution) assigned() bool {
	b := u.before
	return u.setting && len(u.levels) == 1 && (u.punct(b, ',') || u.is(b, "SET") || u.isScope(b))
}

func (u *substitution) isScope(t token) bool {
	_, ok := scopes[strings.ToLower(u.upper(t))]
	return ok
}

func (u *substitution) close() {
	u.endItem()
	if len(u.levels) > 1 {
		u.levels = u.levels[:len(u.levels)-1]
	}
}

// item takes a token into the item.
func (u *substitution) item(t token) {
	l := u.level()
	if l.start < 0 {
		l.start = t.start
	}
	l.operand = u.before.kind == punctToken && !u.punct(u.before, ')') && l.start != t.start
	l.end, l.last, l.bracket = t.end, t.kind, u.punct(t, ')')
	l.named = l.named || u.is(t, "AS")
}

// endItem gives an item its name back. One that ends with a word or a string has a name of its own, or cannot be told from
// one that has.
func (u *substitution) endItem() {
	l := u.level()
	if l.open && l.replaced && !l.named && u.quotable(u.sql[max(l.start, 0):l.end]) && (l.last == variableToken || l.last == numberToken || l.bracket || l.operand) {
		u.upTo(l.end)
		u.out.WriteString(" AS `" + strings.ReplaceAll(u.sql[l.start:l.end], "`", "``") + "`")
	}
	replacedInside := l.replaced && len(u.levels) > 1
	*l = selectList{open: l.open, start: -1}
	if replacedInside {
		u.levels[len(u.levels)-2].replaced = true
	}
}

// quotable reports whether a text can stand in backquotes once those in it are doubled. In some character sets a backquote may be
// the second half of a letter: to double that would end the name there, and what follows, a client's data perhaps, would be code.
func (u *substitution) quotable(text string) bool {
	return u.mode.wide == nil || !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// upTo copies the text up to there.
func (u *substitution) upTo(end int) {
	if end > u.copied {
		u.out.WriteString(u.sql[u.copied:end])
		u.copied = end
	}
}

func (u *substitution) variable(t token) {
	text := u.text(t)
	if t.kind != variableToken || !strings.HasPrefix(text, "@@") {
		return
	}
	ref := Reference{Name: strings.ToLower(unquote(text[2:]))}
	if prefix, name, ok := strings.Cut(ref.Name, "."); ok {
		ref = Reference{Prefix: prefix, Name: strings.Trim(name, "`")}
	}
	if by, ok := u.replace(ref); ok {
		u.upTo(t.start)
		u.out.WriteString(by)
		u.copied, u.level().replaced = t.end, true
	}
}

var (
	endsList = set("FROM WHERE LIMIT UNION INTO ORDER GROUP HAVING FOR PROCEDURE EXCEPT INTERSECT LOCK WINDOW")
	isOption = set("ALL DISTINCT DISTINCTROW HIGH_PRIORITY STRAIGHT_JOIN SQL_SMALL_RESULT SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_CALC_FOUND_ROWS SQL_CACHE SQL_NO_CACHE")
)
