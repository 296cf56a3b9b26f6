package proxy

import (
	"context"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
)

// anyTable is a catalogue in which every name is a table.
type anyTable struct{}

func (anyTable) Snapshot() (statement.Catalog, uint64) { return anyTable{}, 1 }

func (anyTable) Relation(dep.Name) dep.Relation { return dep.Relation{Kind: dep.BaseTable} }

// An entry for a text with a directive is not where those look who have not read the directive, and is served under its
// bound alone.
func TestDirectedTextsHaveKeysOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		text string
		hit  bool
	}{
		{"/* weir: max_staleness=30m */ SELECT name FROM products", true},
		{"SELECT /* weir: max_staleness=1ns */ name FROM products", false},
	} {
		s, _, _ := hitSession(t)
		s.server.schema = anyTable{}
		ledger := s.server.cache.Ledger()
		key := append([]byte(nil), s.makeKey([]byte(c.text))...)
		key[0] |= directedMark
		e := cache.NewEntry(key, []byte("answer"), dep.Tags([]dep.Name{dep.Fold("shop", "products")}), cache.Mark{Epoch: ledger.Epoch(), Seq: 10})
		if why := s.server.cache.Put(e, time.Hour); why != cache.Stored {
			t.Fatal(why)
		}
		if s.server.cache.Get(s.makeKey([]byte(c.text)), time.Hour) != nil {
			t.Errorf("%s: it is there for those who do not read the text", c.text)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if !c.hit {
			cancel() // there is no server to be asked
		}
		_ = s.query(ctx, []byte(c.text)) // without a hit: no server
		cancel()
		if hits := s.server.digests.Hits(); (hits == 1) != c.hit {
			t.Errorf("%s: %d hits", c.text, hits)
		}
		if s.directed != 0 {
			t.Errorf("%s: its bound holds for the next statement, too", c.text)
		}
	}
}
