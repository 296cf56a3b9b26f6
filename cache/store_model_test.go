package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// storeModel is what a store may return: for each key the entry that was put last and not taken out since.
type storeModel struct {
	t     *testing.T
	store *Store
	rand  *rand.Rand
	last  map[string]*Entry
	shed  int64 // entries that the store has let go of on its own
}

const modelKeys = 60

// clash is a hash for key number n that it shares with others, in the same shard and in the other.
func clash(n int) uint64 { return uint64(n%2)<<63 | uint64(n%5) }

func (m *storeModel) key() (n int, key string) {
	n = m.rand.IntN(modelKeys)
	return n, fmt.Sprintf("key %d", n)
}

func (m *storeModel) put() {
	n, key := m.key()
	e := entryOfSize(key, m.rand.IntN(600))
	if m.rand.IntN(20) == 0 {
		e = entryOfSize(key, 30000)
	}
	fits := sizeOf(e) <= m.store.shard(clash(n)).budget
	if got := m.store.Put(clash(n), e); got != fits {
		m.t.Errorf("Put of %d bytes = %v, want %v", sizeOf(e), got, fits)
	}
	if !fits {
		return
	}
	m.last[key] = e
	if got := m.store.Get(clash(n), []byte(key)); got != e {
		m.t.Errorf("right after Put, Get(%q) = %v", key, got)
	}
}

func (m *storeModel) get() {
	n, key := m.key()
	if got := m.store.Get(clash(n), []byte(key)); got != nil && got != m.last[key] {
		m.t.Errorf("Get(%q) finds an entry that was replaced, taken out, or of another key (%q)", key, got.Key())
	}
}

func (m *storeModel) remove() {
	n, key := m.key()
	if e := m.last[key]; e != nil {
		m.store.Remove(clash(n), entryOf(key, "another"))
		m.store.Remove(clash(n), e)
		delete(m.last, key)
	}
}

func (m *storeModel) resize() { m.store.Resize(m.rand.Int64N(60000)) }

func (m *storeModel) clear() {
	m.store.Clear()
	clear(m.last)
}

func (m *storeModel) sweep() {
	odd := func(e *Entry) bool { return len(e.Wire())%2 == 1 }
	m.store.Sweep(odd, goOn)
	for key, e := range m.last {
		if !odd(e) {
			delete(m.last, key)
		}
	}
}

func (m *storeModel) step() {
	switch p := m.rand.IntN(1000); {
	case p < 450:
		m.put()
	case p < 900:
		m.get()
	case p < 970:
		m.remove()
	case p < 990:
		m.resize()
	case p < 997:
		m.sweep()
	default:
		m.clear()
	}
}

// check compares all that the store holds with the model. What is missing must have been evicted.
func (m *storeModel) check() {
	checkStore(m.t, m.store)
	var entries, bytes, missing int64
	for n := range modelKeys {
		key := fmt.Sprintf("key %d", n)
		it := m.store.shard(clash(n)).table.Load().find(clash(n), []byte(key)) // no Get: that would count as a use
		switch {
		case it != nil && it.entry == m.last[key]:
			entries, bytes = entries+1, bytes+sizeOf(it.entry)
		case it != nil:
			m.t.Errorf("%q finds an entry that was replaced or taken out", key)
		case m.last[key] != nil:
			delete(m.last, key)
			missing++
		}
	}
	m.shed += missing
	if st := m.store.Stats(); st.Entries != entries || st.Bytes != bytes || int64(st.Evictions) < m.shed {
		m.t.Errorf("%+v, want %d entries of %d bytes; %d were let go", st, entries, bytes, m.shed)
	}
}

// TestStoreAgainstModel does what comes by chance, on keys of which a sixth share each hash.
func TestStoreAgainstModel(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			m := &storeModel{t: t, store: NewStore(16<<20, 1<<10), rand: rand.New(rand.NewPCG(seed, 0)), last: map[string]*Entry{}}
			if len(shardsOf(m.store)) != 2 {
				t.Fatalf("%d shards, want 2", len(shardsOf(m.store)))
			}
			m.store.Resize(20000)
			for i := 0; i < 2000 && !t.Failed(); i++ {
				m.step()
				if st := m.store.Stats(); st.Bytes > st.Budget {
					t.Errorf("%d bytes, budget %d", st.Bytes, st.Budget)
				}
				if i%20 == 0 {
					m.check()
				}
			}
			if m.shed == 0 {
				t.Error("nothing was evicted: the test does not test")
			}
		})
	}
}
