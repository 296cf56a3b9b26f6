package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // the parser needs a driver for values; which one does not matter
)

// MaxLength is the length in bytes of the longest text that is analysed for caching. Longer ones are routed, and that
// takes no parser.
const MaxLength = 64 << 10

// An Analyzer analyses texts. It is safe for concurrent use.
type Analyzer struct {
	parsers  sync.Pool
	funcs    *functions
	handlers map[string]handler

	writing, keeping, changing, hiding map[string]bool
}

// NewAnalyzer returns an Analyzer. One is enough for a process.
func NewAnalyzer() *Analyzer {
	return &Analyzer{
		parsers:  sync.Pool{New: func() any { return parser.New() }},
		funcs:    newFunctions(),
		handlers: handlers(),
		writing:  set(writing),
		keeping:  set(keeping),
		changing: set(sessionWords),
		hiding:   set(writing + writingInside),
	}
}

// Analyze says what a client's text does. It never fails and never panics: of what it does not understand it says so.
func (a *Analyzer) Analyze(sql string, env Env) Statement {
	in := newInput(sql, &env)
	texts := read(sql, in.mode)
	st := a.text(in.of(texts.with))
	if texts.doubtful() {
		st = a.doubtful(sql, st, a.text(in.of(texts.without)))
	}
	if texts.code {
		st.refuse(VersionComment, "")
	}
	st.direct(readDirectives(sql, in.mode))
	st.Digest = digestOf(in, texts, st)
	return st
}

// doubtful settles what a text does that says one thing with the content of its comments and another without. There
// may be readings in between, if there are several comments; so what counts is which words there are, in quotes and
// comments too.
func (a *Analyzer) doubtful(sql string, with, without Statement) Statement {
	with.Stateful, with.Brief, with.Assignments = true, false, computed(with.Assignments)
	if with.Kind == SetSession {
		with.Reason = Ambiguous // which assignments there are depends on the server
	}
	switch {
	case a.mayBegin(sql, a.hiding):
		return Statement{Kind: Write, Reason: Writes, Stateful: true}
	case with.Kind == SetSession && without.Kind == Unknown:
		return with
	case with.Kind == without.Kind && (with.Kind != Read || !a.mayBegin(sql, a.changing)):
		return with
	}
	return Statement{Kind: Unknown, Reason: Unparsable, Stateful: true}
}

// mayBegin tells whether one of the words stands somewhere in the text, perhaps behind the digits of a version.
func (a *Analyzer) mayBegin(sql string, words map[string]bool) bool {
	found := strings.FieldsFunc(strings.ToUpper(sql), func(r rune) bool { return r >= 0x80 || !isWordByte(byte(r)) })
	return slices.ContainsFunc(found, func(w string) bool { return words[strings.TrimLeft(w, "0123456789")] })
}

// computed returns the assignments of which it is not known whether they are made.
func computed(list []Assignment) []Assignment {
	out := make([]Assignment, len(list))
	for i, x := range list {
		x.Literal = false
		out[i] = x
	}
	return out
}

// text analyses a text without code in comments.
func (a *Analyzer) text(in input) Statement {
	parts, trailing := split(in)
	switch len(parts) {
	case 0:
		return Statement{Kind: Unknown, Reason: Unparsable, Detail: "empty"}
	case 1:
		st := a.statement(in.of(parts[0]))
		if trailing {
			st.refuse(MultiStatement, "")
		}
		return st
	}
	return a.multi(in, parts)
}

func (a *Analyzer) multi(in input, parts []string) Statement {
	st := Statement{Kind: Multi, Reason: MultiStatement}
	for _, p := range parts {
		part := a.statement(in.of(p))
		part.refuse(MultiStatement, "")
		st.Parts = append(st.Parts, part)
		st.Stateful = st.Stateful || part.Stateful
	}
	return st
}

// direct follows the directives.
func (st *Statement) direct(d directives) {
	st.Directives = d.Directives
	if d.refused != "" {
		st.refuse(Directive, d.refused)
	}
}

// refuse makes the statement not cacheable. A reason that it already has stands.
func (st *Statement) refuse(r Reason, detail string) {
	if st.Cacheable || st.Reason == "" {
		st.Cacheable, st.Reason, st.Detail = false, r, detail
	}
}

// query analyses SELECT, TABLE, VALUES, and WITH in front of them.
func (a *Analyzer) query(in input) Statement {
	s := a.scan(in)
	st := Statement{Kind: Read, Stateful: s.stateful, SQLCache: s.sqlCache, SQLNoCache: s.sqlNoCache}
	if s.writes {
		return Statement{Kind: Write, Reason: s.reason, Detail: s.detail, Stateful: s.stateful}
	}
	v := newVerdict(in.env)
	v.unreadable(in)
	v.refuse(s.reason, s.detail)
	v.reads.layout = s.layout
	w := walker{verdict: v, analyzer: a, in: in, schema: in.env.Schema, constants: in.constants()}
	w.query(s)
	v.finish()
	st.Reason, st.Detail, st.Tables = v.reason, v.detail, v.tables
	st.Cacheable = v.reason == ""
	if st.Cacheable {
		st.Plan = v.reads.plan(v.tables)
		st.Slots = in.slots(w.constants)
	}
	st.Brief = st.Stateful && !s.lasting && !v.stateful
	st.Versioned = !v.unversioned && len(v.tables) > 0
	st.Stateful = st.Stateful || v.stateful
	return st
}

// unreadable refuses a text that is not to be given to the parser, or not to be believed.
func (v *verdict) unreadable(in input) {
	switch {
	case len(in.sql) > MaxLength:
		v.refuse(TooLong, "")
	case in.modes.foreign != "":
		v.refuse(SQLMode, in.modes.foreign)
	case !readable(in.sql, in.env.Charset):
		v.refuse(CharacterSet, in.env.Charset)
	}
}

var errNoQuery = errors.New("not one query")

// parse gives use the tree of one query. The parser panics on some texts; that is an error like others, and the parser is not
// used again.
//
// It is given back only after the tree has been used: it holds on to the last value of a tree, and its next text may
// change where in the text that stands.
func (a *Analyzer) parse(in input, use func(ast.ResultSetNode) error) error {
	p := a.parsers.Get().(*parser.Parser)
	node, err := parseWith(p, in)
	if err == nil {
		err = use(node)
	}
	if !errors.Is(err, errParserPanics) {
		a.parsers.Put(p)
	}
	return err
}

var errParserPanics = errors.New("the parser panics")

func parseWith(p *parser.Parser, in input) (node ast.ResultSetNode, err error) {
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, fmt.Errorf("parse query: %w: %v", errParserPanics, r)
		}
	}()
	p.SetSQLMode(in.modes.parser())
	stmts, _, err := p.ParseSQL(in.sql)
	if err != nil {
		return nil, fmt.Errorf("parse query: %w", err)
	}
	if len(stmts) != 1 {
		return nil, errNoQuery
	}
	switch n := stmts[0].(type) {
	case *ast.SelectStmt:
		return n, nil
	case *ast.SetOprStmt:
		return n, nil
	}
	return nil, errNoQuery
}

// parser returns what of the modes the TiDB parser knows.
func (m sqlModes) parser() mysql.SQLMode {
	var mode mysql.SQLMode
	for flag, on := range map[mysql.SQLMode]bool{
		mysql.ModeANSIQuotes: m.ansiQuotes, mysql.ModePipesAsConcat: m.pipesAsConcat,
		mysql.ModeNoBackslashEscapes: m.noBackslash, mysql.ModeIgnoreSpace: m.ignoreSpace,
		mysql.ModeHighNotPrecedence: m.highNot,
	} {
		if on {
			mode |= flag
		}
	}
	return mode
}
