package proxy

import (
	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/explain"
	"weir/proxy/statement"
)

// explained is what a result depends on, and how to say it.
type explained struct {
	all   []dep.Dependency
	tags  []cache.Tag
	words []explain.Dependency
	// saying has each of the tags in words.
	saying map[cache.Tag]string
}

// explainReads is what [session.depends] says, in words. Interests are not taken up.
func (s *session) explainReads(st statement.Statement) explained {
	x := explained{all: s.depends(st, nil)}
	x.tags, _ = dep.TagsOf(x.all)
	x.saying = map[cache.Tag]string{dep.Everything(): "everything"}
	readings := s.readings(st, x.all)
	for i, d := range x.all {
		w := explain.DependencyOf(readings[i])
		if s.isView(d.Table) {
			w.Words = "the definition of the view " + d.Table.String()
		}
		x.words = append(x.words, w)
		name := d.Table.String()
		x.saying[dep.Schema(d.Table.Schema)] = "the database " + d.Table.Schema + " as a whole"
		x.saying[d.Table.Anchor()] = "table " + name + " by something that its rows do not tell, such as DDL or a foreign key"
		x.saying[d.Table.Tag()] = "table " + name
		x.saying[d.Table.Layout()] = "the indexes or partitions of " + name
		for _, t := range d.Tags {
			x.saying[t] = w.Words
		}
	}
	return x
}

// readings describes the dependencies. They are whole tables where the plan does not count.
func (s *session) readings(st statement.Statement, all []dep.Dependency) []statement.Reading {
	why := ""
	switch {
	case s.server.cfg.Precision == ByTable:
		why = "cache.precision is table"
	case !s.plain():
		why = "ASCII has other letters in the connection's character set"
	case st.Plan != nil:
		return st.Plan.Describe(st.Constants(nil))
	}
	out := make([]statement.Reading, len(all))
	for i, d := range all {
		out[i] = statement.Reading{Table: d.Table, Why: why, Layout: d.Layout}
	}
	return out
}
