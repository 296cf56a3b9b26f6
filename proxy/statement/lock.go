package statement

import "weir/cache/dep"

// LockedForWrite gives the tables that LOCK TABLES takes for writing, as they are named there: of a view the view. Of any other
// text it gives none.
func LockedForWrite(sql string, env Env) (all []dep.Name) {
	in, ok := certain(sql, &env)
	if !ok {
		return nil
	}
	c := newCursor(in)
	if !c.accept("LOCK") || !c.accept("TABLES") && !c.accept("TABLE") {
		return nil
	}
	for {
		name, ok := c.qualified(env.Schema)
		if !ok {
			return all
		}
		for !c.done() && !c.punct(c.cur, ',') {
			if c.atWord("WRITE") {
				all = append(all, name)
			}
			c.advance()
		}
		if !c.acceptPunct(',') {
			return all
		}
	}
}
