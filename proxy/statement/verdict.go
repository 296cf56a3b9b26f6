package statement

import "weir/cache/dep"

// A verdict is what has been found so far about a query and the views that it reads.
type verdict struct {
	env      *Env
	reason   Reason
	detail   string
	stateful bool
	tables   []dep.Name
	seen     map[dep.Name]bool
	clock    clock
	// unversioned: a table shows a transaction the rows of now.
	unversioned bool
	reads       readSet
}

func newVerdict(env *Env) *verdict {
	return &verdict{env: env, seen: map[dep.Name]bool{}}
}

// refuse notes a reason. The first one stands.
func (v *verdict) refuse(r Reason, detail string) {
	if v.reason == "" {
		v.reason, v.detail = r, detail
	}
}

// finish draws the conclusions that need the whole query.
func (v *verdict) finish() {
	if v.reason == "" && len(v.tables) == 0 {
		v.refuse(NoTable, "")
	}
	if detail, ok := v.clock.meets(); v.reason == "" && ok {
		v.refuse(CurrentDate, detail)
	}
}

// relation asks the catalog, which is nobody's guess if there is none.
func (v *verdict) relation(n dep.Name) dep.Relation {
	if v.env.Catalog == nil {
		return dep.Relation{}
	}
	return v.env.Catalog.Relation(n)
}

// systemSchema tells the schemas that the server keeps itself.
func systemSchema(schema string) bool {
	switch schema {
	case "information_schema", "mysql", "performance_schema", "sys", "ndbinfo":
		return true
	}
	return false
}
