package proxy

import (
	"encoding/binary"
	"strings"
	"sync"

	"weir/proxy/statement"
)

// setMemo remembers what settings a SET has left, for sessions that were as the one that said it: programs say the same
// when they connect, some of them for each page. It is bounded: two generations, of which the older one is forgotten
// when the younger one is full.
//
// The key holds everything that the effect depends on: what the session was before (its part of the keys of results,
// which has the account, the settings and what sessions start with), the last change of accounts, since a privilege may
// be needed, and the text. Only literals are remembered, and only what was done without an error or a warning.
type setMemo struct {
	mu         sync.Mutex
	young, old map[string]assigned
}

// assigned is what a SET has left, and what the server answered.
type assigned struct {
	after  settings
	answer []byte
}

const (
	memoEntries = 1024 // of one generation
	memoText    = 4 << 10
)

// get returns the settings after a SET. Nothing is known under the empty key.
func (m *setMemo) get(key string) (assigned, bool) {
	if key == "" {
		return assigned{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if done, ok := m.young[key]; ok {
		return done, true
	}
	done, ok := m.old[key]
	if ok {
		m.add(key, done)
	}
	return done, ok
}

func (m *setMemo) put(key string, done assigned) {
	if key == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(key, done)
}

func (m *setMemo) add(key string, done assigned) {
	if m.young == nil || len(m.young) >= memoEntries {
		m.young, m.old = map[string]assigned{}, m.young
	}
	m.young[key] = done
}

// memoKey returns where the effect of a SET is remembered, empty if it must run: because it is not made of literals
// alone, or because the session has a connection of its own, whose settings must change, too.
func (s *session) memoKey(text []byte, st statement.Statement) string {
	if s.pinned != nil || len(text) > memoText || !repeatable(st) {
		return ""
	}
	accounts := s.server.accounts()
	b := appendPart(nil, string(s.prefix))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.poolKey.flags)) // with session tracking the answer tells more
	b = binary.LittleEndian.AppendUint64(b, accounts.Epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(accounts.Seq))
	return string(append(b, text...))
}

// repeatable reports whether a SET assigns nothing but literals to session variables. DEFAULT is whatever SET GLOBAL
// says.
func repeatable(st statement.Statement) bool {
	if st.Reason != statement.NotSelect || st.Stateful || whyUnfollowed(st) != "" {
		return false
	}
	for _, a := range st.Assignments {
		if a.Scope != statement.SessionScope || !a.Literal || strings.EqualFold(a.Value, "DEFAULT") {
			return false
		}
	}
	return len(st.Assignments) > 0
}
