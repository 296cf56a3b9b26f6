package daemon

import (
	"strconv"
	"strings"
)

// asks are all ways in which the case's queries are asked: those about its tables, then the controls.
func (p *playedDDL) asks() (all []ddlAsk) {
	for _, q := range p.group.queries {
		all = append(all, ddlAsk{q, func(d *dialogue) reply { return d.query(p.in(q.sql)) }})
	}
	for i, q := range p.group.bound[:len(p.held)] {
		all = append(all, ddlAsk{q, func(d *dialogue) reply { return p.execute(d, i) }})
	}
	for _, sql := range p.group.controls {
		all = append(all, ddlAsk{ddlQuery{"control", sql}, func(d *dialogue) reply { return d.query(p.in(sql)) }})
	}
	return all
}

// prepare prepares what can be before the statement.
func (p *playedDDL) prepare() {
	for _, q := range p.group.bound {
		sql, _, _ := strings.Cut(q.sql, " <- ")
		_, there := p.server.prepare(sql)
		if there == 0 {
			return
		}
		p.held = append(p.held, [2]uint32{there, p.weir.mustPrepare(sql)})
	}
}

// ddlAsk is one way to ask.
type ddlAsk struct {
	ddlQuery
	ask func(*dialogue) reply
}

func (p *playedDDL) execute(d *dialogue, i int) reply {
	_, value, _ := strings.Cut(p.group.bound[i].sql, " <- ")
	n, _ := strconv.Atoi(value)
	id := p.held[i][0]
	if d == p.weir {
		id = p.held[i][1]
	}
	return d.execute(id, longParam(int32(n)))
}

// compare asks everything of both.
func (m *ddlMatrix) compare(p *playedDDL, when string) (answers []reply) {
	m.t.Helper()
	for _, a := range p.asks() {
		answers = append(answers, m.same(p, a, when))
	}
	return answers
}

// same asks both, and returns what the server answers.
func (m *ddlMatrix) same(p *playedDDL, a ddlAsk, when string) reply {
	m.t.Helper()
	got, want := a.ask(p.weir), a.ask(p.server)
	if diff := difference(withoutPlanFlags(want), withoutPlanFlags(got)); diff != "" {
		m.fault("%s: %s: %s: %s: %s", p.where, p.in(p.sql), when, p.in(a.sql), diff)
	}
	return want
}

// compareHits is compare, and sees to it that what the statement does not concern is still cached.
func (m *ddlMatrix) compareHits(p *playedDDL, when string) (answers []reply) {
	m.t.Helper()
	for _, a := range p.asks() {
		if !p.leaves(a.tag) {
			answers = append(answers, m.same(p, a, when))
			continue
		}
		before := m.hits()
		answers = append(answers, m.same(p, a, when))
		if m.hits() == before {
			m.fault("%s: %s: %s: %s is no hit", p.where, p.in(p.sql), when, p.in(a.sql))
		}
	}
	return answers
}

// leaves says whether queries with that tag stay cached. What changes foreign keys does not leave the controls: whoever
// writes a row before the catalogue has read the keys touches everything, and here others do so all the time.
func (c *ddlCase) leaves(tag string) bool {
	switch c.class {
	case "none":
		return tag != "layout"
	case "shape", "gone", "swap", "view", "trigger", "routine":
		return tag == "control" && !c.far
	}
	return false
}

// expectChange: a statement that changes no answer shows nothing about old ones. Where rows were changed at the same time
// that cannot be told.
func (m *ddlMatrix) expectChange(p *playedDDL, before, after []reply) {
	m.t.Helper()
	if p.raced {
		return
	}
	changed := m.changed(p, before, after)
	switch p.class {
	case "none":
		if changed != "" {
			m.fault("%s: %s: an answer has changed, though the class is none: %s", p.where, p.in(p.sql), changed)
		}
	case "shape", "gone", "swap", "view", "schema":
		if (changed == "") != p.unseen {
			m.fault("%s: %s: an answer has changed: %v; the case says otherwise: %s", p.where, p.in(p.sql), changed != "", changed)
		}
	}
}

// changed says how the first answer that has changed did so. Of class none, those that name an index may.
func (m *ddlMatrix) changed(p *playedDDL, before, after []reply) string {
	for i, a := range p.asks() {
		if diff := difference(withoutPlanFlags(before[i]), withoutPlanFlags(after[i])); diff != "" && (p.class != "none" || a.tag != "layout") {
			return a.sql + ": " + diff
		}
	}
	return ""
}
