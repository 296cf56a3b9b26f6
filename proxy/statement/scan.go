package statement

import "strings"

// input is one statement and how to read it.
type input struct {
	sql   string
	env   *Env
	modes sqlModes
	mode  lexMode
}

func newInput(sql string, env *Env) input {
	modes := parseModes(env.SQLMode)
	return input{sql: sql, env: env, modes: modes, mode: modes.lexing(env.Charset)}
}

// of returns another text to be read in the same way.
func (in input) of(sql string) input {
	in.sql = sql
	return in
}

// A scan is one pass over the tokens of a query. It finds what decides the kind, and refuses by name what must not be
// cached, without the parser: it is all there is to know of texts that the parser cannot read, and a second opinion
// on those that it reads.
type scan struct {
	*lexer
	in     input
	funcs  *functions
	before [2]token // the token before the current one, and the one before that

	reason Reason
	detail string

	// selects and tables count the words SELECT and TABLE. Both are reserved everywhere, so each of them must turn up
	// in the parsed tree: one that does not is a subquery that the tree has lost.
	selects, tables int
	// stateful is as in Statement. writes says that the query writes a file or moves a sequence.
	stateful, writes bool
	// lasting says that what is left stays for longer than Statement.Brief allows.
	lasting bool
	// layout says that an index or a partition is named, or needed. See [readSet].
	layout bool
	// foreign says that something is called that is on no list of functions.
	foreign bool

	// inOptions says that only SELECT and its options were seen since the first SELECT.
	inOptions            bool
	sqlCache, sqlNoCache bool
	cacheAt              token
}

func (a *Analyzer) scan(in input) *scan {
	s := &scan{lexer: newLexer(in.sql, in.mode), in: in, funcs: a.funcs}
	for t := s.next(); t.kind != endToken; t = s.next() {
		s.step(t)
		s.before = [2]token{t, s.before[0]}
	}
	s.finish()
	return s
}

func (s *scan) refuse(r Reason, detail string) {
	if s.reason == "" {
		s.reason, s.detail = r, detail
	}
}

func (s *scan) step(t token) {
	word := s.upper(t)
	switch {
	case t.kind == variableToken:
		s.variable(s.text(t))
	case s.punct(t, '('):
		s.call(t)
	case s.punct(t, ')'):
		s.emptyCall()
	case t.kind == wordToken && !s.punct(s.before[0], '.'):
		s.word(word)
	}
	s.options(t, word)
}

func (s *scan) variable(name string) {
	if !strings.HasPrefix(name, "@@") {
		s.stateful, s.lasting = true, true
		s.refuse(UserVariable, name)
		return
	}
	switch strings.ToLower(strings.TrimPrefix(strings.ToLower(name[2:]), "session.")) {
	case "last_insert_id", "identity", "warning_count", "error_count", "last_gtid":
		s.stateful = true
	}
	s.refuse(SystemVariable, name)
}

func (s *scan) word(word string) {
	switch lower := strings.ToLower(word); {
	case word == "SELECT":
		s.selects++
	case word == "TABLE":
		s.tables++
	case word == "AGAINST", (word == "INDEX" || word == "KEY") && s.afterHint():
		s.layout = true
	case word == "INTO":
		s.refuse(Into, "")
	case (word == "OUTFILE" || word == "DUMPFILE") && s.is(s.before[0], "INTO"):
		s.writes = true
	case word == "UPDATE" && s.is(s.before[0], "FOR"), word == "SHARE" && s.is(s.before[0], "FOR"), word == "IN" && s.is(s.before[0], "LOCK"):
		s.refuse(LockingRead, "")
	case word == "SQL_CALC_FOUND_ROWS":
		s.stateful = true
		s.refuse(FoundRows, "")
	case word == "FOR" && s.is(s.before[0], "VALUE"):
		s.sequence()
	case s.funcs.bare[lower]:
		s.refuse(s.funcs.reason(lower), word)
	case s.funcs.internal[lower]:
		s.strange(word)
	}
}

// afterHint reports whether the token before begins USE INDEX and its like.
func (s *scan) afterHint() bool {
	return s.is(s.before[0], "USE") || s.is(s.before[0], "FORCE") || s.is(s.before[0], "IGNORE")
}

// sequence is NEXT VALUE FOR or PREVIOUS VALUE FOR.
func (s *scan) sequence() {
	s.stateful, s.lasting = true, true
	s.writes = s.writes || s.is(s.before[1], "NEXT")
	s.refuse(Sequence, s.upper(s.before[1])+" VALUE FOR")
}

// call looks at the name before an opening parenthesis. Names behind a dot are left to the parsed tree.
func (s *scan) call(open token) {
	t := s.before[0]
	if s.punct(s.before[1], '.') {
		s.foreign = true
		return
	}
	switch t.kind {
	case wordToken:
		s.named(strings.ToLower(s.text(t)), s.sql[t.end:open.start])
	case quotedToken:
		s.quotedCall(strings.ToLower(unquote(s.text(t))))
	}
}

// named looks at a name without quotes and the gap behind it, which IGNORE_SPACE allows if it is white space alone.
func (s *scan) named(name, gap string) {
	// MariaDB answers ORDER BY a distance with LIMIT by a vector index about right, and without one exactly.
	s.layout = s.layout || name == "partition" || strings.HasPrefix(name, "vec_distance")
	reason, refused := s.funcs.refused[name]
	known := s.funcs.deterministic(name, s.in.env)
	s.foreign = s.foreign || !known && !refused && !construct(name)
	switch {
	case refused:
		s.stateful = s.stateful || s.funcs.stateful[name]
		s.lasting = s.lasting || s.funcs.stateful[name] && !briefly(name)
		s.writes = s.writes || name == "nextval" || name == "setval"
		s.refuse(reason, strings.ToUpper(name))
	case s.funcs.tight[name] && gap != "" && !(s.in.modes.ignoreSpace && strings.TrimSpace(gap) == ""):
		s.foreign, s.stateful, s.lasting = true, true, true
		s.refuse(StoredFunction, name)
	}
}

// construct tells the words that a parenthesis may follow without a call, of those that no stored function can have for a
// name: they are reserved, or tight.
func construct(name string) bool {
	switch name {
	case "cast", "convert", "select", "in", "and", "or", "xor", "not", "if", "case", "when", "then", "else", "between", "like",
		"decimal", "interval":
		return true
	}
	return false
}

// quotedCall refuses `sum`(x): to the server this is not the built-in, or not for every name, while to the TiDB
// parser it is.
func (s *scan) quotedCall(name string) {
	_, refused := s.funcs.refused[name]
	_, native := s.funcs.native[name]
	s.foreign = true
	if refused || native {
		s.stateful, s.lasting = true, true
		s.refuse(StoredFunction, name)
	}
}

// briefly tells the functions that set or ask for nothing but what Statement.Brief allows.
func briefly(name string) bool {
	return name == "last_insert_id" || name == "found_rows" || name == "row_count"
}

// emptyCall refuses UNIX_TIMESTAMP(), which is the current time, unlike UNIX_TIMESTAMP(x).
func (s *scan) emptyCall() {
	if s.punct(s.before[0], '(') && s.is(s.before[1], "UNIX_TIMESTAMP") {
		s.refuse(NonDeterministic, "UNIX_TIMESTAMP")
	}
}

// options follows the words behind the first SELECT.
func (s *scan) options(t token, word string) {
	switch word {
	case "SELECT":
		s.inOptions = s.selects == 1
	case "SQL_CACHE":
		if s.inOptions {
			s.sqlCache, s.cacheAt = true, t
		}
	case "SQL_NO_CACHE":
		s.sqlNoCache = s.sqlNoCache || s.inOptions
	case "ALL", "DISTINCT", "DISTINCTROW", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT", "SQL_BIG_RESULT",
		"SQL_BUFFER_RESULT", "SQL_CALC_FOUND_ROWS":
	default:
		s.inOptions = false
	}
}

func (s *scan) finish() {
	s.layout = s.layout || len(s.hints) > 0
	for _, h := range s.hints {
		if strings.Contains(strings.ToUpper(h), "SET_VAR") {
			s.refuse(SetVarHint, "")
		}
	}
	if s.odd != "" {
		s.reason, s.detail = Ambiguous, s.odd
	}
	if s.tidb {
		s.reason, s.detail = VersionComment, "/*T!"
	}
}

// unquote takes the quotes off an identifier, and off a string without escapes.
func unquote(text string) string {
	if len(text) < 2 || !strings.ContainsRune("`\"'", rune(text[0])) {
		return text
	}
	quote := text[:1]
	return strings.ReplaceAll(text[1:len(text)-1], quote+quote, quote)
}
