package statement

// Words returns up to n words at the start of a text, in upper case, without comments: for statements that Weir
// answers itself, such as FLUSH QUERY CACHE. It stops at anything that is not a word.
func Words(sql string, env Env, n int) []string {
	c := newCursor(newInput(sql, &env))
	var words []string
	for len(words) < n && c.cur.kind == wordToken {
		words = append(words, c.word())
		c.advance()
	}
	return words
}

// StripSQLCache blanks the hint SQL_CACHE behind the first SELECT, for servers that no longer know it. The text keeps
// its length. A column of that name stays.
func (a *Analyzer) StripSQLCache(sql string, env Env) string {
	s := a.scan(newInput(sql, &env))
	if !s.sqlCache {
		return sql
	}
	after := newLexer(sql, s.mode)
	after.pos = s.cacheAt.end
	if t := after.next(); t.kind == endToken || after.is(t, "FROM") || after.is(t, "AS") || after.punct(t, ',') || after.punct(t, '.') {
		return sql
	}
	out := []byte(sql)
	overwrite(out[s.cacheAt.start:s.cacheAt.end])
	return string(out)
}

// StripSQLCache is [Analyzer.StripSQLCache].
func (c *Cache) StripSQLCache(sql string, env Env) string { return c.analyzer.StripSQLCache(sql, env) }
