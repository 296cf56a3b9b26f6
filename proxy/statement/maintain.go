package statement

import "strings"

// Maintenance is FLUSH or RESET of a list in which there is QUERY CACHE or STATUS.
type Maintenance struct {
	// Reset says that it is RESET QUERY CACHE, else it is FLUSH.
	Reset              bool
	QueryCache, Status bool
	// Rest is the statement without QUERY CACHE; empty if nothing else was named. Others says that it names more than STATUS.
	Rest   string
	Others bool
}

// MaintenanceOf reads FLUSH and RESET; false if the text is neither, or has nothing to do with the query cache and STATUS.
// Texts that servers would not take are left to them to refuse.
func MaintenanceOf(sql string, env Env) (m Maintenance, ok bool) {
	in, ok := certain(sql, &env)
	if !ok {
		return m, false
	}
	c := newCursor(in)
	verb := c.word()
	if m.Reset = c.accept("RESET"); !m.Reset && !c.accept("FLUSH") {
		return m, false
	}
	if !m.Reset && (c.atWord("LOCAL", "NO_WRITE_TO_BINLOG")) {
		verb += " " + c.word()
		c.advance()
	}
	var rest []string
	for {
		start := c.cur.start
		ours := c.accept("QUERY", "CACHE")
		status := !ours && !m.Reset && c.accept("STATUS")
		if (ours || status) && !c.done() && !c.punct(c.cur, ',') {
			return m, false
		}
		m.QueryCache, m.Status = m.QueryCache || ours, m.Status || status
		for !c.done() && !c.punct(c.cur, ',') {
			m.Others = true
			c.advance()
		}
		if !ours {
			rest = append(rest, strings.TrimSpace(c.sql[start:c.cur.start]))
		}
		if !c.acceptPunct(',') {
			break
		}
	}
	if len(rest) > 0 {
		m.Rest = verb + " " + strings.Join(rest, ", ")
	}
	return m, c.odd == "" && (m.QueryCache || m.Status)
}
