package ddlwatch

import "weir/cache/dep"

// reader reads one text under one quoting.
type reader struct {
	cursor
	known  Known
	effect Effect
	// dataOnly says that the statement cannot change definitions, whatever else is unclear about it.
	dataOnly bool
}

func newReader(schema, sql string, q quoting, known Known) *reader {
	return &reader{cursor: cursor{lexer: lexer{sql: sql, quoting: q}, schema: schema}, known: known}
}

// read returns the effect, and whether a server with this quoting could have executed the text.
func (r *reader) read() (Effect, bool) {
	r.advance()
	r.statement()
	if r.tok.kind != end {
		r.giveUp("text after the statement")
	}
	if r.impossible {
		return Effect{}, false
	}
	if r.failed != "" {
		r.doubt()
	}
	if r.effect.Class == None && r.effect.Everything != "" {
		r.effect.Class = Unknown
	}
	return r.effect, true
}

// doubt turns what has been read so far into a change of everything.
func (r *reader) doubt() {
	e := notUnderstood(r.failed)
	if r.effect.Kind != "" {
		e.Kind = r.effect.Kind
	}
	e.Schema, e.ForeignKeys = !r.dataOnly, !r.dataOnly
	if r.dataOnly && r.effect.Class == Data {
		e.Class = Data
	}
	e.Rows = r.effect.Rows
	r.effect = e
}

// account: cached answers belong to accounts, and what an account may see has changed.
func (r *reader) account() { r.data("account", "account", Account) }

// all touches everything and has the catalogue read anew; the rest of the text does not matter.
func (r *reader) all(kind, reason string) {
	r.effect = Effect{Everything: reason, Schema: true, ForeignKeys: true, Kind: kind, Class: Unknown}
	r.stop()
}

// data touches everything but no definitions; the rest of the text does not matter.
func (r *reader) data(kind, reason string, c Class) {
	r.effect = Effect{Everything: reason, Kind: kind, Class: c}
	r.stop()
}

// nothing: no result can depend on what the statement changes. The rest of the text does not matter.
func (r *reader) nothing(kind string, c Class) {
	r.effect = Effect{Kind: kind, Class: c}
	r.stop()
}

// definition notes the kind and the class of a statement that changes definitions.
func (r *reader) definition(kind string, c Class) {
	r.effect.Kind, r.effect.Schema = kind, true
	r.effect.Class = r.effect.Class.or(c)
}

// touch touches a table. Those in the schema mysql decide about accounts, time zones and more.
func (r *reader) touch(names ...dep.Name) {
	for _, n := range names {
		r.effect.touch(n)
		if n.Schema == "mysql" {
			r.effect.everything("a system table")
		}
	}
}
