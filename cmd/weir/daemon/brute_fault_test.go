package daemon

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weir/proxy/wire"
)

// tell reports a fault: what was asked and answered, and how to play it again.
func (g *game) tell(f *fault) {
	g.t.Helper()
	small, tries := g.shrink(f)
	g.t.Errorf("round %d, step %d: %s, and the source answers something else\n  query: %s\n  Weir:   %s\n  source: %s\n  again with: go test -run '^%s$' ./cmd/weir/daemon %s -brute.queries %d -brute.seed %d -brute.round %d\n  SET NAMES %s; writes under SET SESSION %s, or %s%s",
		g.number, f.step, f.how, f.query, f.query.show(f.got), f.query.show(f.want), g.t.Name(), g.length, *bruteQueries, *bruteSeed, g.number, g.names, g.image, g.format, g.story(f, small, tries))
}

// show makes an answer readable.
func (a *askedQuery) show(r reply) string {
	if a.bound && r.kind == wire.KindResultSet {
		return fmt.Sprintf("%q", a.canonical(r))
	}
	return strings.ReplaceAll(r.cells(), "\n", ";")
}

// story is the schema, as far as the query and the steps are about it, and the steps.
func (g *game) story(f *fault, steps []bruteStep, tries int) string {
	var b strings.Builder
	text := f.query.sql
	for _, s := range steps {
		text += strings.Join(s.sql, "\n")
	}
	for range 3 { // what views, triggers and foreign keys name is a part of it, too
		for _, sql := range g.schema {
			if name := made.FindStringSubmatch(sql); name != nil && names(text, name[1]) && !strings.Contains(text, sql) {
				text += sql
			}
		}
	}
	for _, sql := range g.schema {
		if name := made.FindStringSubmatch(sql); name != nil && names(text, name[1]) || strings.HasPrefix(sql, "CREATE DATABASE") {
			fmt.Fprintf(&b, "\n  schema: %s", sql)
		}
	}
	fmt.Fprintf(&b, "\n  (%d steps, after %d plays with fewer)", len(steps), tries)
	for _, s := range steps {
		for _, sql := range s.sql {
			fmt.Fprintf(&b, "\n  %s: %s", s.kind, sql)
		}
	}
	return b.String()
}

// made finds the name of what a statement of the schema makes or fills.
var made = regexp.MustCompile(`^(?:CREATE TABLE|CREATE OR REPLACE VIEW|INSERT IGNORE INTO|INSERT INTO|CREATE TRIGGER \w+ \w+ \w+ ON) (?:\w+\.)?(\w+)`)

func names(text, name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(text)
}

// playsAtMost bounds how long a fault is looked at.
const playsAtMost = 60

// shrink plays the round again with this query alone, and with fewer and fewer steps, as long as the fault is there. If
// it does not come again at all, all steps are returned.
func (g *game) shrink(f *fault) (steps []bruteStep, tries int) {
	steps = g.round.steps[:f.step+1]
	try := func(steps []bruteStep) bool {
		tries++
		r := g.round
		r.queries, r.spare, r.fresh, r.steps = []bruteQuery{f.query.bruteQuery}, nil, nil, steps
		return g.again(r)
	}
	if !try(steps) {
		return steps, tries
	}
	for size := (len(steps) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(steps) && tries < playsAtMost; {
			less := slices.Delete(slices.Clone(steps), at, min(at+size, len(steps)))
			if len(less) > 0 && try(less) {
				steps = less
			} else {
				at += size
			}
		}
	}
	return steps, tries
}

// fails plays a round, counting nothing, until something is wrong.
func (b *brute) fails(r round) bool {
	g := b.begin(r, false)
	defer g.end()
	g.warm()
	for i := range r.steps {
		if len(g.step(i)) > 0 {
			return true
		}
	}
	return false
}
