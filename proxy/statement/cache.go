package statement

import "sync/atomic"

// Limits bound a [Cache]. Zero values are replaced by the defaults.
type Limits struct {
	// Entries is how many analyses are kept; default 16,384.
	Entries int
	// Bytes is roughly how much memory they take; default 32 MiB.
	Bytes int
}

func (l Limits) withDefaults() Limits {
	if l.Entries <= 0 {
		l.Entries = 16384
	}
	if l.Bytes <= 0 {
		l.Bytes = 32 << 20
	}
	return l
}

// A Cache keeps analyses of reads, so that a text is analysed once for each default database, session settings and
// version of the catalog, and parsed only if no other text is known that differs in nothing but its literals. It is safe
// for concurrent use. Two goroutines that ask for the same new text may both analyse it.
type Cache struct {
	analyzer *Analyzer
	// texts is what was found out about texts, templates about all that have one template; see [template].
	texts, templates           *level
	hits, templateHits, misses atomic.Uint64
}

// NewCache returns an empty cache with an Analyzer of its own. A quarter of it is for templates.
func NewCache(l Limits) *Cache {
	l = l.withDefaults()
	templates := Limits{Entries: l.Entries / 4, Bytes: l.Bytes / 4}
	texts := Limits{Entries: l.Entries - templates.Entries, Bytes: l.Bytes - templates.Bytes}
	return &Cache{analyzer: NewAnalyzer(), texts: newLevel(texts), templates: newLevel(templates)}
}

// Analyze is [Analyzer.Analyze], remembered. The cache keeps sql, which must not be changed afterwards by way of the
// bytes that it was made from.
func (c *Cache) Analyze(sql string, env Env) Statement {
	if len(sql) > MaxLength {
		return c.analyzer.Analyze(sql, env)
	}
	k := newKey(sql, &env)
	if st, ok := c.texts.get(k); ok {
		c.hits.Add(1)
		return st
	}
	st := c.miss(sql, env)
	if st.Kind == Read {
		c.texts.put(k, st, "")
	}
	return st
}

// miss analyses a text that is not known, by its template if that is known.
func (c *Cache) miss(sql string, env Env) Statement {
	t, ok := templateOf(sql, &env)
	if !ok {
		return c.parse(sql, env)
	}
	k := newKey(t.text, &env)
	if st, ok := c.templates.get(k); ok {
		c.templateHits.Add(1)
		return t.fill(st)
	}
	st := c.parse(sql, env)
	if st.Kind == Read {
		c.templates.put(k, t.kept(st), sql)
	}
	return st
}

func (c *Cache) parse(sql string, env Env) Statement {
	st := c.analyzer.Analyze(sql, env)
	if st.Kind == Read {
		c.misses.Add(1)
	}
	return st
}

// Stats are counters of a [Cache] since it was made, and what it holds now.
type Stats struct {
	// Hits are of texts that were known. TemplateHits are of others of which only the literals were new, and Misses of
	// those that had to be parsed. They count reads only: other statements are not kept.
	Hits, TemplateHits, Misses uint64
	// Entries and Bytes are of texts and templates together.
	Entries, Bytes int
}

// Stats returns the counters.
func (c *Cache) Stats() Stats {
	st := Stats{Hits: c.hits.Load(), TemplateHits: c.templateHits.Load(), Misses: c.misses.Load()}
	for _, l := range [...]*level{c.texts, c.templates} {
		entries, bytes := l.size()
		st.Entries, st.Bytes = st.Entries+entries, st.Bytes+bytes
	}
	return st
}
