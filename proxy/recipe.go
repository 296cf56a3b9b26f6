package proxy

import (
	"encoding/binary"
	"sync"

	"weir/proxy/wire"
)

// recipe is what a session part of keys was made of: with it a statement can be asked again as a client of that session
// would ask it.
type recipe struct {
	account  *account
	poolKey  poolKey
	state    state
	defaults defaults
}

// recipes remember those of the session parts under which something was stored lately. They are bounded: two generations,
// of which the older one is forgotten when the younger one is full.
type recipes struct {
	mu         sync.Mutex
	young, old map[string]recipe
}

// maxRecipes is the size of one generation.
const maxRecipes = 512

func (rs *recipes) get(prefix []byte) (recipe, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r, ok := rs.young[string(prefix)]; ok {
		return r, true
	}
	r, ok := rs.old[string(prefix)]
	return r, ok
}

// put remembers the recipe of a session that has just stored something. Of two accounts of one user, with different
// passwords, the later one counts.
func (rs *recipes) put(s *session) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if known, ok := rs.young[string(s.prefix)]; ok && known.account == s.account {
		return
	}
	if rs.young == nil || len(rs.young) >= maxRecipes {
		rs.young, rs.old = map[string]recipe{}, rs.young
	}
	rs.young[string(s.prefix)] = recipe{account: s.account, poolKey: s.poolKey, state: s.state, defaults: s.defaults}
}

// prefixSize is how long the session part of a key is: see [session.makePrefix]. It is 0 for what is no key.
func prefixSize(key []byte) int {
	rest := key
	if len(rest) == 0 {
		return 0
	}
	rest = rest[1:]
	for range 3 { // the user, the schema, the settings
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return 0
		}
		rest = rest[size+int(n):]
	}
	const tail = 1 + 8 + 16 // the collation, the capabilities, the hash of the defaults
	if len(rest) < tail {
		return 0
	}
	return len(key) - len(rest) + tail
}

// question is what a key asks, beside the session.
type question struct {
	protocol byte
	text     []byte
	values   []byte // of an execution: NULLs, types, and values, see [execution.key]
}

// split takes a key apart; false if it is none of a statement's result.
func splitKey(key []byte) (prefix []byte, q question, ok bool) {
	n := prefixSize(key)
	if n == 0 {
		return nil, question{}, false
	}
	prefix = append([]byte{protocolText}, key[1:n]...)
	q = question{protocol: key[0] &^ directedMark, text: key[n:]}
	switch q.protocol {
	case protocolText, protocolDescription:
		return prefix, q, true
	case protocolBinary:
		size, used := binary.Uvarint(q.text)
		if used <= 0 || size > uint64(len(q.text)-used) {
			return nil, question{}, false
		}
		q.text, q.values = q.text[used:used+int(size)], q.text[used+int(size):]
		return prefix, q, true
	}
	return nil, question{}, false
}

// execute gives the arguments of COM_STMT_EXECUTE that have such values; false if some of them were sent ahead. A value
// sent ahead would be told by the number behind the types, which is 0.
func (q question) execute(h *handle) ([]byte, bool) {
	nulls := (h.params + 7) / 8
	if h.params == 0 {
		nulls = 0
	}
	types := nulls + 2*h.params
	if len(q.values) <= types || q.values[types] != 0 {
		return nil, false
	}
	m := wire.Execute{StatementID: h.id, Nulls: q.values[:nulls], Types: q.values[nulls:types], Values: q.values[types+1:]}
	return m.Append(nil)[1:], true
}
