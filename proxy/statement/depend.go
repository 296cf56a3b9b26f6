package statement

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"weir/cache/dep"
)

// readSet is what has been seen of how a query, with its views, uses its base tables. From it comes the [Plan].
//
// # Which rows of a table count
//
// Each SELECT is looked at by itself. What it yields is a function of the combinations of rows, one of each mention in
// FROM or none, that the joins make and WHERE lets through. GROUP BY, aggregates, HAVING, DISTINCT, windows, ORDER BY
// and LIMIT come after that, so whatever they do, they do it to the same rows; they neither spoil nor add a restriction
// that comes from WHERE. (They would spoil one that came from outside: see [block.outputs].)
//
// If WHERE lets through only combinations in which a mention has a row with column = 5, other rows of that mention do
// not count. With inner joins this is plain. With outer joins it holds on both sides, as follows. A row takes part in a
// combination by itself, as one that some ON matched, or keeps a combination from being filled up with NULLs. That last
// one happens only to combinations in which its own mention would be NULL, for what an outer join fills up is its whole
// nullable side. So a combination in which the mention has a row depends on that row and on rows of other mentions,
// and on no other row of this one. Those in which it is NULL are not let through by column = 5, which is never true of
// NULL. (IS NULL would let them through, and "no row matched" depends on all rows. It restricts nothing.)
//
// The ON of an inner join counts like WHERE if no outer join may fill its result up with NULLs, see [block.conditions].
// The ON of an outer join decides what is filled up, and restricts the side that it fills: see [filling].
//
// A subquery is a SELECT by itself, wherever it is: what surrounds it uses its result, which is a function of the rows
// that its own WHERE lets through, in each of its evaluations. So is each side of UNION, each body of WITH, and the
// recursive one in each of its rounds. If one table is mentioned several times, the rows of all mentions count together.
//
// Not counted as a change of the result: warnings and errors for rows that are not part of it, which depend on the order
// in which a server evaluates conditions; and another choice among answers that the statement leaves open, such as rows
// without ORDER BY in another order.
//
// # Which columns count
//
// If a mention has no restriction, rows inserted and deleted count, and changes to all columns that are named anywhere:
// too many rather than too few, whatever table they belong to. See [readSet.columns].
type readSet struct {
	tables map[dep.Name]*tableReads
	names  map[string]bool // of columns, in lower case
	// picks says what in the statement leaves it open which rows, or in what order, make a result; odd, what keeps the
	// columns from being known.
	picks, odd string
	scores     bool // MATCH ... AGAINST
	// layout says that the statement asks for an index or a partition by name, or may need one, so that it may be refused,
	// or answered otherwise, when there are others: index and optimizer hints, MATCH, PARTITION (p), distances of vectors,
	// _rowid, and what is grouped by a key, see [keyed]. It counts for all tables alike, since not all of these tell which.
	layout bool
	said   []restriction
	matter []restriction // which rows of a mention matter, see [filling]
	equal  classes
}

// tableReads is how a base table is used.
type tableReads struct {
	name  dep.Name
	shape *dep.Shape
	refs  []*ref
	// odd says why it must count as a whole, star that all columns count, parts that only some partitions do.
	odd         string
	star, parts bool
}

// enter begins a SELECT.
func (w *walker) enter() { w.block = &block{outer: w.block} }

// leave ends a SELECT: now all that it mentions is known, and its conditions can be read.
func (w *walker) leave(n *ast.SelectStmt) {
	b := w.block
	w.block, w.left = b.outer, nil
	all := scope{block: b, refs: b.refs, slot: w.slot}
	if n.Where != nil {
		w.say(all, n.Where)
	}
	if n.From != nil {
		conditions, fillings := b.conditions(n.From.TableRefs)
		for _, c := range conditions {
			c.slot = w.slot
			w.say(c.scope, c.expr)
		}
		for _, f := range fillings {
			w.fill(f)
		}
	}
	w.left = b.outputs(n)
}

// say takes in what a condition says that holds of each combination of rows.
func (w *walker) say(s scope, n ast.ExprNode) {
	for _, r := range s.restrictions(n) {
		if r.half == whole {
			w.reads.said = append(w.reads.said, r)
		}
	}
	s.equalities(n, &w.reads.equal)
}

// refer notes a mention in FROM. For a table or view, known says that name is what it stands for; otherwise it may be a
// common table expression.
func (w *walker) refer(n *ast.TableSource, t *ast.TableName, name dep.Name, known bool) {
	r := &ref{alias: n.AsName.O}
	w.block.refs = append(w.block.refs, r)
	if t == nil {
		if len(n.ColumnNames) == 0 {
			r.outputs = w.left
		}
		return
	}
	if r.alias == "" {
		r.alias, r.schema = t.Name.O, t.Schema.O
		if r.schema == "" {
			r.schema = w.schema
		}
	}
	if read := w.reads.tables[name]; known && read != nil {
		r.read, r.shape = read, read.shape
		read.refs = append(read.refs, r)
		read.parts = read.parts || len(t.PartitionNames) > 0
		if w.maybeCTE(t) {
			r.shape, read.odd = nil, "the name may be that of a common table expression"
		}
	}
}

// table notes a base table.
func (r *readSet) table(name dep.Name, rel dep.Relation) {
	if r.tables == nil {
		r.tables = map[dep.Name]*tableReads{}
	}
	t := &tableReads{name: name, shape: rel.Shape}
	if rel.Kind != dep.BaseTable {
		t.shape, t.odd = nil, "it has system versioning" // and so columns and rows that only its events show
	}
	r.tables[name] = t
}

// column notes the name of a column.
func (r *readSet) column(name string) {
	if r.names == nil {
		r.names = map[string]bool{}
	}
	r.names[name] = true
	switch {
	case !ascii(name):
		r.odd = "the name " + name + " is not ASCII" // servers and Weir may differ in what is the same letter
	case name == "_rowid":
		r.odd, r.layout = "_rowid stands for another column", true
	}
}

// star notes a * in the list of fields. If it is not seen whose it is, it is everybody's.
func (w *walker) star(n *ast.WildCardField) {
	named := func(r *ref) bool { return strings.EqualFold(n.Table.O, r.alias) }
	all := !slices.ContainsFunc(w.block.refs, named)
	for _, r := range w.block.refs {
		if r.read != nil && (all || named(r)) {
			r.read.star = true
		}
	}
}

// calls notes an aggregate or a window function.
func (w *walker) calls(name string, window bool) {
	for b := w.block; b != nil; b = b.outer {
		b.folds = true // an aggregate of columns of an outer block belongs to that
	}
	switch name {
	case "group_concat", "json_arrayagg", "json_objectagg", "any_value", "st_collect":
		w.reads.picks = strings.ToUpper(name)
	}
	if window {
		w.reads.picks = "a window function"
	}
}

// groups notes an aggregate. One in a subquery may belong to a block outside, see [walker.subquery].
func (w *walker) groups(args []value) {
	if w.block != nil {
		w.block.groups = true
	}
	w.outward = w.outward || len(join(args...).columns) > 0
}

// plan draws the conclusions.
func (r *readSet) plan(names []dep.Name) *Plan {
	p := &Plan{layout: r.layout}
	for _, name := range names {
		t := r.tables[name]
		name = dep.Name{Schema: strings.Clone(name.Schema), Table: strings.Clone(name.Table)} // not a part of the text
		switch {
		case t == nil:
			p.tables = append(p.tables, tablePlan{name: name, why: "it is a view, whose definition counts"})
		case r.scores:
			p.tables = append(p.tables, tablePlan{name: name, why: "MATCH ... AGAINST rates rows by what is in all others"})
		default:
			p.tables = append(p.tables, r.planOf(name, t))
		}
	}
	return p
}

func (r *readSet) planOf(name dep.Name, t *tableReads) tablePlan {
	p := tablePlan{name: name}
	switch {
	case t.odd != "":
		p.why = t.odd
		return p
	case t.shape == nil, len(t.refs) == 0:
		p.why = "its columns are not known"
		return p
	}
	for _, ref := range t.refs {
		p.refs = append(p.refs, r.candidates(ref))
	}
	if p.columns, p.why = r.columns(t); p.columns != nil {
		p.named = p.columns.names
	}
	if p.columns != nil && r.picks != "" {
		p.columns, p.why = nil, "which of its rows count, or in what order, is left to "+r.picks
	}
	return p
}
