package inflight

import (
	"context"
	"maps"
	"strings"
	"time"

	"weir/cache/dep"
)

// shadow is a tool's work on a table.
type shadow struct {
	original dep.Name
	tool     string
	since    time.Time
}

// Names that the tools give their tables. gh-ost has _t_gho, the copy, and _t_ghc, where it keeps its log, while it
// works, and leaves the old table as _t_del for as long as one likes. pt-online-schema-change has _t_new while it works, with
// more underscores in front if there is one, and _t_old for the moment of the change.
var (
	ghostSuffixes = []string{"_gho", "_ghc", "_del"}
	ptSuffixes    = []string{"_new", "_old"}
)

// shadowOf says whose shadow a table of that name may be: the tool, and the names that the original may have.
func shadowOf(table string) (tool string, originals []string) {
	for _, suffix := range ghostSuffixes {
		if base, ok := strings.CutSuffix(table, suffix); ok && len(base) > 1 && base[0] == '_' {
			return GhOst, []string{base[1:]}
		}
	}
	for _, suffix := range ptSuffixes {
		if base, ok := strings.CutSuffix(table, suffix); ok {
			if all := bare(base); len(all) > 0 {
				return PtOSC, all
			}
		}
	}
	return "", nil
}

// bare is the name without its first underscore, without the first two, and so on.
func bare(name string) (all []string) {
	for len(name) > 1 && name[0] == '_' {
		name = name[1:]
		all = append(all, name)
	}
	return all
}

const (
	// Asked for no more than names, MariaDB lists folders and opens no table (Skip_open_table in EXPLAIN).
	shadowTables = `SELECT TABLE_SCHEMA,TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME LIKE '!_%!_gho' ESCAPE '!'
OR TABLE_NAME LIKE '!_%!_ghc' ESCAPE '!' OR TABLE_NAME LIKE '!_%!_new' ESCAPE '!' LIMIT ` + shadowLimit
	shadowLimit = "200"
)

// findShadows looks for shadow tables, if it is time. While DDL runs, what the last look has found counts: on MariaDB a
// look at a table that is locked would wait.
func (s *server) findShadows(ctx context.Context, busy bool) {
	began := time.Now()
	if busy || began.Before(s.shadowAt) {
		return
	}
	found, err := s.lookForShadows(ctx)
	took := time.Since(began)
	s.shadowAt = began.Add(max(shadowEvery, took*shadowShare))
	if err != nil {
		if ctx.Err() == nil {
			s.once("online schema changes of tools are not seen on this server by their shadow tables", "error", err)
		}
		return
	}
	s.keep(found, began)
}

// keep takes what was found, with the time at which each was first found.
func (s *server) keep(found map[shadow]bool, now time.Time) {
	before := s.shadows
	s.shadows = nil
	for f := range maps.Keys(found) {
		f.since = now
		for _, b := range before {
			if b.original == f.original && b.tool == f.tool {
				f.since = b.since
			}
		}
		s.shadows = append(s.shadows, f)
	}
}

func (s *server) lookForShadows(ctx context.Context) (map[shadow]bool, error) {
	rows, err := ask(ctx, s.target, shadowTables, 2)
	if err != nil {
		return nil, err
	}
	bySchema := map[string][]string{}
	for _, r := range rows {
		bySchema[r[0]] = append(bySchema[r[0]], r[1])
	}
	found := map[shadow]bool{}
	for schema, names := range bySchema {
		if err := s.confirm(ctx, schema, names, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// confirm adds those of the tables that are shadows of a table that there is. _t_new is a name that anybody may give:
// it is one only while the original has the triggers by which the tool follows its changes.
func (s *server) confirm(ctx context.Context, schema string, names []string, found map[shadow]bool) error {
	originals, plain, err := s.originals(ctx, schema, names)
	if err != nil {
		return err
	}
	var followed map[string]bool
	if plain {
		if followed, err = s.names(ctx, triggered(schema)); err != nil {
			return err
		}
	}
	for _, name := range names {
		tool, of := shadowOf(name)
		for _, original := range of {
			if originals[original] && (tool == GhOst || followed[original]) {
				found[shadow{original: dep.Fold(schema, original), tool: tool}] = true
			}
		}
	}
	return nil
}

// originals are those of the possible originals that exist. Plain says that some shadow's name proves little.
func (s *server) originals(ctx context.Context, schema string, names []string) (exist map[string]bool, plain bool, err error) {
	var quoted []string
	for _, name := range names {
		tool, of := shadowOf(name)
		plain = plain || tool == PtOSC
		for _, original := range of {
			quoted = append(quoted, quote(original))
		}
	}
	if len(quoted) == 0 {
		return nil, false, nil
	}
	exist, err = s.names(ctx, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA="+quote(schema)+
		" AND TABLE_NAME IN ("+strings.Join(quoted, ",")+")")
	return exist, plain, err
}

func triggered(schema string) string {
	return "SELECT EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA=" + quote(schema) +
		" AND TRIGGER_NAME LIKE 'pt!_osc!_%' ESCAPE '!'"
}

// names asks for a column of names.
func (s *server) names(ctx context.Context, sql string) (map[string]bool, error) {
	rows, err := ask(ctx, s.target, sql, 1)
	all := map[string]bool{}
	for _, r := range rows {
		all[r[0]] = true
	}
	return all, err
}
