package statement

import (
	"hash/maphash"
	"sync"
)

// A level keeps analyses by their keys. It is safe for concurrent use.
type level struct {
	seed   maphash.Seed
	shards [16]shard
}

func newLevel(limits Limits) *level {
	l := &level{seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].maxEntries = max(1, limits.Entries/len(l.shards)/2)
		l.shards[i].maxBytes = max(1, limits.Bytes/len(l.shards)/2)
	}
	return l
}

func (l *level) get(k key) (Statement, bool) { return l.shard(k).get(k) }

// put keeps an analysis that was made of a text. It may hold on to that text, which may be longer than the key.
func (l *level) put(k key, st Statement, text string) {
	l.shard(k).put(k, kept{st, size(k, st) + len(text)})
}

func (l *level) shard(k key) *shard {
	return &l.shards[maphash.String(l.seed, k.sql)%uint64(len(l.shards))]
}

func (l *level) size() (entries, bytes int) {
	for i := range l.shards {
		e, b := l.shards[i].size()
		entries, bytes = entries+e, bytes+b
	}
	return entries, bytes
}

// key is everything that an analysis depends on. It is compared in full.
type key struct {
	sql, schema, sqlMode, charset string
	utf8                          bool
	flavor                        Flavor
	version                       int
	catalog                       uint64
}

// newKey returns the key of a text, or of a template.
func newKey(sql string, env *Env) key {
	return key{sql, env.Schema, env.SQLMode, env.Charset, env.UTF8, env.Flavor, env.Version, env.CatalogVersion}
}

// kept is an analysis, and about how many bytes it takes.
type kept struct {
	st    Statement
	bytes int
}

// A shard has two generations. New entries go to the young one; when that is full, it becomes the old one, and what
// was old is dropped. An entry that is found in the old generation is moved to the young one.
type shard struct {
	mu                   sync.Mutex
	maxEntries, maxBytes int // of one generation
	young, old           map[key]kept
	youngBytes, oldBytes int
}

func (s *shard) get(k key) (Statement, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.young[k]; ok {
		return e.st, true
	}
	e, ok := s.old[k]
	if ok {
		delete(s.old, k)
		s.oldBytes -= e.bytes
		s.add(k, e)
	}
	return e.st, ok
}

func (s *shard) put(k key, e kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.young[k]; !ok && e.bytes <= s.maxBytes {
		s.add(k, e)
	}
}

// add puts an entry that is not there into the young generation.
func (s *shard) add(k key, e kept) {
	if s.young == nil || len(s.young) >= s.maxEntries || s.youngBytes+e.bytes > s.maxBytes {
		s.old, s.oldBytes = s.young, s.youngBytes
		s.young, s.youngBytes = map[key]kept{}, 0
	}
	s.young[k] = e
	s.youngBytes += e.bytes
}

func (s *shard) size() (entries, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.young) + len(s.old), s.youngBytes + s.oldBytes
}

// size estimates the memory of an entry in bytes. Schema, mode and charset are shared between entries.
func size(k key, st Statement) int {
	n := len(k.sql) + len(st.Detail) + 56*len(st.Slots) + 500
	for _, t := range st.Tables {
		n += 32 + len(t.Schema) + len(t.Table)
	}
	if st.Digest != nil {
		n += 64 + len(st.Digest.Text) // for each text that shares it
	}
	return n + st.Plan.size()
}

// size estimates the memory of a plan in bytes. It counts for each text that shares it.
func (p *Plan) size() int {
	if p == nil {
		return 0
	}
	n := 100 * len(p.tables)
	for _, t := range p.tables {
		if t.columns != nil {
			n += 64 * len(t.columns.names)
		}
		for _, candidates := range t.refs {
			for _, c := range candidates {
				n += 100 * len(c)
			}
		}
	}
	return n
}
