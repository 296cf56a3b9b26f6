package statement

// Listing is SHOW VARIABLES or SHOW STATUS.
type Listing struct {
	Status, Global bool
	// Like is the pattern behind LIKE as it is written, Where the condition behind WHERE. One at most is not empty.
	Like, Where string
}

// ListingOf reads SHOW [GLOBAL | SESSION | LOCAL] VARIABLES | STATUS, with LIKE or WHERE; false if the text is not that.
func ListingOf(sql string, env Env) (l Listing, ok bool) {
	in, ok := certain(sql, &env)
	if !ok {
		return l, false
	}
	c := newCursor(in)
	if !c.accept("SHOW") {
		return l, false
	}
	if l.Global = c.accept("GLOBAL"); !l.Global && !c.accept("SESSION") {
		c.accept("LOCAL")
	}
	if l.Status = c.accept("STATUS"); !l.Status && !c.accept("VARIABLES") {
		return l, false
	}
	switch {
	case c.done():
	case c.accept("LIKE"):
		l.Like = c.rest()
	case c.accept("WHERE"):
		l.Where = c.rest()
	default:
		return l, false
	}
	return l, c.odd == ""
}
