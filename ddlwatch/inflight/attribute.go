package inflight

import (
	"slices"

	"weir/cache/dep"
)

// tools are the tools' works.
func (s *server) tools() (all []DDL) {
	for _, f := range s.shadows {
		all = append(all, DDL{
			Server: s.target.Addr, Source: s.target.Source, Kind: "alter_table", Tables: []dep.Name{f.original},
			Since: f.since, Progress: number(""), Tool: f.tool,
		})
	}
	return all
}

// attribute puts originals in the place of shadows, in a statement on them.
func (s *server) attribute(d *DDL) {
	if d.ID == 0 {
		return
	}
	var tables []dep.Name
	for _, n := range d.Tables {
		tool, original := s.original(n, d.Tables)
		if tool != "" {
			d.Tool, n = tool, original
		}
		if !slices.Contains(tables, n) {
			tables = append(tables, n)
		}
	}
	d.Tables = tables
}

// original is that of a shadow: of one with a name that anybody may give, only if the statement names it too, as the
// one that exchanges them does, or if the tool was found at work.
func (s *server) original(n dep.Name, beside []dep.Name) (tool string, original dep.Name) {
	tool, names := shadowOf(n.Table)
	for _, name := range names {
		original := dep.Fold(n.Schema, name)
		if tool == GhOst || slices.Contains(beside, original) || s.atWork(tool, original) {
			return tool, original
		}
	}
	return "", n
}

func (s *server) atWork(tool string, original dep.Name) bool {
	return slices.ContainsFunc(s.shadows, func(f shadow) bool { return f.tool == tool && f.original == original })
}
