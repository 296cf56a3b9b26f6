package proxy

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// scriptedTier is a second tier that finds what the test says, and notes what it is offered. A nil find finds nothing.
type scriptedTier struct {
	find func(key []byte) (cache.Copy, bool)

	mu      sync.Mutex
	asked   []cache.Class
	offered []offered
}

type offered struct {
	entry *cache.Entry
	class cache.Class
	cost  time.Duration
}

func (s *scriptedTier) Find(_ context.Context, key []byte, class cache.Class) (cache.Copy, bool) {
	s.mu.Lock()
	s.asked = append(s.asked, class)
	find := s.find
	s.mu.Unlock()
	if find == nil {
		return cache.Copy{}, false
	}
	return find(key)
}

func (s *scriptedTier) Offer(e *cache.Entry, class cache.Class, cost time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = append(s.offered, offered{e, class, cost})
}

func (s *scriptedTier) calls() (asked []cache.Class, offers []offered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked), slices.Clone(s.offered)
}

// described is a catalogue in which every name is a table with the columns id, which is the primary key, and v; but v is a
// view on the table that it names, unless that is empty.
type describedTables struct {
	view    atomic.Pointer[string]
	version atomic.Uint64
}

func (d *describedTables) redefine(table string) {
	d.view.Store(&table)
	d.version.Add(1)
}

func (d *describedTables) Snapshot() (statement.Catalog, uint64) { return d, d.version.Load() }

func (d *describedTables) Relation(n dep.Name) dep.Relation {
	if on := d.view.Load(); on != nil && n.Table == "v" {
		return dep.Relation{Kind: dep.View, Definition: "SELECT shop." + *on + ".id AS id FROM shop." + *on}
	}
	whole := dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})
	return dep.Relation{Kind: dep.BaseTable, Versioned: true, Shape: dep.NewShape(
		[]dep.Column{{Name: "id", Type: whole}, {Name: "v", Type: whole}}, []dep.Key{{Columns: []int{0}, Primary: true, Unique: true}},
	)}
}

// secondWorld is a proxy with a second tier, in front of one server, which answers 1, while the tier's answer is 2.
type secondWorld struct {
	srv    *Server
	ledger *cache.Ledger
	tier   *scriptedTier
	tables *describedTables
	only   *fakeServer
	addr   string
}

func newSecondWorld(t *testing.T) *secondWorld {
	t.Helper()
	w := &secondWorld{tier: &scriptedTier{}, tables: &describedTables{}, only: newFakeServer(t, "only", fakeAnswers)}
	w.srv, w.addr = servePartly(t, Reject, func(p *Parts) {
		w.ledger = p.Cache.Ledger()
		p.Cache.Second, p.Catalog = w.tier, w.tables
		p.Sampler = func(string) Sampler { return upToDate{w.ledger, "only"} }
	}, w.only, w.only.addr())
	return w
}

// copyAs is what the tier has, as of a Seq of the present epoch.
func (w *secondWorld) copyAs(seq cache.Seq, tags ...cache.Tag) cache.Copy {
	return cache.Copy{Wire: resultOf("2"), Tags: tags, At: cache.Mark{Epoch: w.ledger.Epoch(), Seq: seq}, Versioned: true}
}

// finds has the tier find the copy.
func (w *secondWorld) finds(found cache.Copy) {
	w.tier.find = func([]byte) (cache.Copy, bool) { return found, true }
}

// record notes a change, and that nothing else is missing.
func (w *secondWorld) record(seq cache.Seq, tags ...cache.Tag) {
	w.ledger.Record(seq, tags)
	w.ledger.SetComplete(w.ledger.Epoch(), w.ledger.Now())
}

const rowFive = "SELECT v FROM t WHERE id = 5"

var tableT = dep.Fold("shop", "t")

// What is found is served, counts as a hit, and is in memory then.
func TestSecondTierHit(t *testing.T) {
	w := newSecondWorld(t)
	w.finds(w.copyAs(8))
	c := dialFake(t, w.addr)
	for range 3 {
		if got := outcomeOf(c, rowFive); got != "2" {
			t.Fatalf("the client gets %s", got)
		}
	}
	asked, offers := w.tier.calls()
	if len(asked) != 1 || len(offers) != 0 || len(w.only.statements()) != 0 {
		t.Errorf("the tier was asked %d times and offered %d results; the server was asked %q", len(asked), len(offers), w.only.statements())
	}
	m := w.srv.metrics
	if hits, second, misses := w.srv.digests.Hits(), m.total(secondOf), m.total(missesOf); hits != 3 || second != 1 || misses != 0 {
		t.Errorf("counted: %d hits, %d of them of the second tier, %d misses", hits, second, misses)
	}
}

// What a server has answered is offered, with what it cost, and in the class of all that differ in their literals.
func TestSecondTierIsOffered(t *testing.T) {
	w := newSecondWorld(t)
	c := dialFake(t, w.addr)
	for _, text := range []string{rowFive, "SELECT v FROM t WHERE id = 6", rowFive, "SELECT v FROM t", "SELECT NOW() FROM t"} {
		outcomeOf(c, text)
	}
	asked, offers := w.tier.calls()
	if len(asked) != 3 || len(offers) != 3 {
		t.Fatalf("asked for %d, offered %d", len(asked), len(offers))
	}
	for i, o := range offers {
		if o.class != asked[i] || o.class == 0 || o.cost <= 0 || !bytes.Equal(o.entry.Wire(), resultOf("1")) {
			t.Errorf("%d: class %x, asked for %x; cost %s; %q", i, o.class, asked[i], o.cost, o.entry.Wire())
		}
	}
	if asked[0] != asked[1] || asked[0] == asked[2] {
		t.Errorf("the classes are %x", asked)
	}
}

// What could not be served is not offered.
func TestSecondTierIsNotOffered(t *testing.T) {
	w := newSecondWorld(t)
	w.only.setScript(func(c net.Conn) bool {
		w.record(95, tableT.Tag(), tableT.Anchor()) // while it is read
		return rows(c, "1")
	})
	outcomeOf(dialFake(t, w.addr), rowFive)
	if _, offers := w.tier.calls(); len(offers) != 0 {
		t.Errorf("offered: %+v", offers)
	}
}

// Nothing found is served that is not known to be true; a server is asked, whose answer is 1.
func TestSecondTierIsNotBelieved(t *testing.T) {
	for _, tt := range []struct {
		name string
		find func(w *secondWorld) (cache.Copy, bool)
		want string
	}{
		{"nothing is there", func(*secondWorld) (cache.Copy, bool) { return cache.Copy{}, false }, "1"},
		{"it is true", func(w *secondWorld) (cache.Copy, bool) { return w.copyAs(8, tableT.Tag()), true }, "2"},
		{"the table has changed since", func(w *secondWorld) (cache.Copy, bool) {
			w.record(95, tableT.Tag(), tableT.Anchor())
			return w.copyAs(8), true
		}, "1"},
		{"another table has", func(w *secondWorld) (cache.Copy, bool) {
			w.record(95, dep.Fold("shop", "u").Tag())
			return w.copyAs(8, tableT.Tag()), true
		}, "2"},
		{"something that whoever stored it has named has changed", func(w *secondWorld) (cache.Copy, bool) {
			w.record(95, dep.Fold("shop", "u").Tag())
			return w.copyAs(8, tableT.Tag(), dep.Fold("shop", "u").Tag()), true
		}, "1"},
		{"it is from before the floor", func(w *secondWorld) (cache.Copy, bool) { return w.copyAs(0), true }, "1"},
		{"it is too old", func(w *secondWorld) (cache.Copy, bool) {
			found := w.copyAs(8)
			found.Age = 2 * time.Hour
			return found, true
		}, "1"},
		{"the stream is not current", func(w *secondWorld) (cache.Copy, bool) {
			found := w.copyAs(8)
			w.ledger.Restart(1)
			return found, true
		}, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newSecondWorld(t)
			w.tier.find = func([]byte) (cache.Copy, bool) { return tt.find(w) }
			if got := outcomeOf(dialFake(t, w.addr), rowFive); got != tt.want {
				t.Errorf("the client gets %s, want %s", got, tt.want)
			}
		})
	}
}

// A view is redefined between the analysis and the lookup, and another Weir has stored by the new definition: the first
// interleaving in second.go.
func TestSecondTierViewRedefined(t *testing.T) {
	w := newSecondWorld(t)
	w.tables.redefine("t")
	v, u := dep.Fold("shop", "v"), dep.Fold("shop", "u")
	w.tier.find = func([]byte) (cache.Copy, bool) {
		w.tables.redefine("u")
		w.record(95, v.Tag(), v.Anchor(), v.Definition())
		return w.copyAs(95, v.Tag(), u.Tag()), true
	}
	c := dialFake(t, w.addr)
	outcomeOf(c, "SELECT id FROM v")
	w.tier.find = nil
	w.record(100, u.Tag(), u.Anchor())
	outcomeOf(c, "SELECT id FROM v")
	if asked := w.only.statements(); len(asked) != 2 {
		t.Errorf("after a change to what the view reads now there was a hit: the server was asked %q", asked)
	}
}

// Another Weir watches a column that this one does not: the second interleaving in second.go.
func TestSecondTierFinerThanWatched(t *testing.T) {
	w := newSecondWorld(t)
	st := w.srv.analyses.Analyze(rowFive, statement.Env{Schema: "shop", Charset: "utf8mb4", UTF8: true, Catalog: w.tables})
	fine, _ := dep.TagsOf(st.Plan.Dependencies(st.Constants(nil)))
	if slices.Contains(fine, tableT.Tag()) {
		t.Fatal("the statement depends on the whole table")
	}
	w.record(85, tableT.Tag()) // row 5 changes, and nobody here has asked for the column
	w.ledger.Advance(90)
	w.finds(w.copyAs(80, fine...))
	if got := outcomeOf(dialFake(t, w.addr), rowFive); got != "1" {
		t.Errorf("the client gets %s, which has changed", got)
	}
}

// The ledger starts again while something is looked up: the third interleaving in second.go.
func TestSecondTierMeetsARestart(t *testing.T) {
	for name, after := range map[string]bool{"found before": false, "found after": true} {
		t.Run(name, func(t *testing.T) {
			w := newSecondWorld(t)
			w.tier.find = func([]byte) (cache.Copy, bool) {
				found := w.copyAs(8)
				epoch := w.ledger.Restart(1)
				w.ledger.Advance(20)
				w.ledger.SetComplete(epoch, w.ledger.Now())
				if after {
					found = w.copyAs(8)
				}
				return found, true
			}
			if got := outcomeOf(dialFake(t, w.addr), rowFive); got != "1" {
				t.Errorf("the client gets %s, of another epoch than its analysis", got)
			}
		})
	}
}

// An answer has to be as young as the session wants it.
func TestSecondTierKeepsTheSessionsBound(t *testing.T) {
	s, _, _ := hitSession(t)
	ledger := s.server.cache.Ledger()
	s.server.schema = &describedTables{}
	s.server.cache.Second = &scriptedTier{find: func([]byte) (cache.Copy, bool) {
		return cache.Copy{Wire: resultOf("2"), At: ledger.Mark()}, true
	}}
	fills := func() *fill {
		q := querying([]byte(rowFive), []byte(rowFive), s.analyze(rowFive))
		q.mark = ledger.Mark()
		return s.newFill([]byte("tkey"), q, func(q *request) reads { return s.readsOf(s.depends(q.st, nil), q.mark) })
	}
	s.fence = ledger.Now() // the session has just written, and the ledger is complete as of a moment before that
	if fills().second(t.Context()) != nil {
		t.Error("served from before the session's own write")
	}
	s.fence, s.directed = 0, 1
	if fills().second(t.Context()) != nil {
		t.Error("served, although the statement wants a younger answer")
	}
	s.directed = 0
	s.account = &account{user: "app"} // which no server has let in
	if fills().second(t.Context()) != nil {
		t.Error("served to an account that may have lost its rights")
	}
	s.account.prove(s.server.accounts())
	f := fills()
	if f.second(t.Context()) == nil {
		t.Error("not served")
	}
	if f.kind = wire.KindPrepared; f.second(t.Context()) != nil {
		t.Error("the description of a statement is taken from a result")
	}
}

// Those who wait for what is found need more than it brings, and find it in memory instead: after a restart a thousand
// clients would go to a server otherwise.
func TestPitfall56SecondTierWithoutAHerd(t *testing.T) {
	const clients = 40
	w := newSecondWorld(t)
	conns := make([]*conn, clients)
	for i := range conns {
		conns[i] = dialFake(t, w.addr)
	}
	found := w.copyAs(8) // before the interest in the column, which is taken up at 10
	w.tier.find = func(key []byte) (cache.Copy, bool) {
		flight, lead := w.srv.cache.Join(key, cache.Mark{})
		if lead {
			t.Error("the flight is not there while the tier is asked")
		}
		eventually(t, "all others wait", func() bool { return flight.Waiting() == clients-1 })
		return found, true
	}
	var all sync.WaitGroup
	answers := make([]string, clients)
	for i, c := range conns {
		all.Go(func() { answers[i] = outcomeOf(c, rowFive) })
	}
	all.Wait()
	if i := slices.IndexFunc(answers, func(a string) bool { return a != "2" }); i >= 0 {
		t.Errorf("a client gets %q", answers[i])
	}
	if asked, _ := w.tier.calls(); len(asked) != 1 || len(w.only.statements()) != 0 {
		t.Errorf("the tier was asked %d times, the server %q", len(asked), w.only.statements())
	}
}

// What another Weir has read again after a schema change need not be read here.
func TestRefillFromTheSecondTier(t *testing.T) {
	w := newSecondWorld(t)
	c := dialFake(t, w.addr)
	outcomeOf(c, rowFive)
	key := keyOf(t, w.srv, rowFive)
	touch(w.srv, "t", 95)
	w.finds(w.copyAs(95))
	hits := w.srv.digests.Hits()
	if err := w.srv.Refill(t.Context(), key); err != nil || len(w.only.statements()) != 1 {
		t.Errorf("%v; the server was asked %q", err, w.only.statements())
	}
	if n := w.srv.digests.Hits() + w.srv.metrics.total(secondOf) - hits; n != 0 {
		t.Errorf("it counts as %d hits of clients", n)
	}
	if got := outcomeOf(c, rowFive); got != "2" {
		t.Errorf("the client gets %s", got)
	}
}

// What was found once can be read in advance later, also if nothing was read from a server before.
func TestRefillOfWhatWasFound(t *testing.T) {
	w := newSecondWorld(t)
	w.finds(w.copyAs(8))
	outcomeOf(dialFake(t, w.addr), rowFive)
	touch(w.srv, "t", 95)
	if err := w.srv.Refill(t.Context(), keyOf(t, w.srv, rowFive)); err != nil {
		t.Error(err)
	}
}

// Of two servers that take turns, one calls the account otherwise. What is read there is kept for this Weir alone, until
// something about accounts changes: then the session learns the name that it has now.
func TestSecondTierAndServersThatNameAnAccountOtherwise(t *testing.T) {
	near, far := newFakeServer(t, "near", fakeAnswers), newFakeServer(t, "far", fakeAnswers)
	near.account = "app@localhost"
	tier := &scriptedTier{}
	var ledger *cache.Ledger
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger = p.Cache.Ledger()
		p.Cache.Second = tier
		p.Sampler = func(addr string) Sampler {
			if addr == near.addr() {
				return upToDate{ledger, "near"}
			}
			return upToDate{ledger, "far"}
		}
	}, near, near.addr(), far.addr())
	c := dialFake(t, addr)
	const texts = 8
	for _, text := range differently(texts) {
		outcomeOf(c, text)
	}
	before := srv.digests.Hits()
	for _, text := range differently(texts) {
		outcomeOf(c, text)
	}
	if n := srv.digests.Hits() - before; n != texts {
		t.Errorf("%d of %d are hits", n, texts)
	}
	n, m := len(near.statements()), len(far.statements())
	if _, offers := tier.calls(); n == 0 || m == 0 || len(offers) != n && len(offers) != m {
		t.Errorf("the servers were asked %d and %d times, and %d results offered", n, m, len(offers))
	}
	ledger.Record(95, []cache.Tag{dep.Everything(), dep.Accounts().Tag()})
	ledger.SetComplete(ledger.Epoch(), ledger.Now())
	for _, server := range []*fakeServer{near, far} {
		server.setAccount("app@10.%")
	}
	for range 3 {
		for _, text := range differently(texts) {
			outcomeOf(c, text)
		}
	}
	if _, offers := tier.calls(); len(offers) != max(n, m)+texts && len(offers) != min(n, m)+texts {
		t.Errorf("since both call it the same, %d results were offered, after %d or %d", len(offers), n, m)
	}
}

func differently(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("SELECT v FROM t WHERE id = %d", i))
	}
	return texts
}

// What one of two servers calls otherwise can be read in advance at either.
func TestRefillWhereServersNameAnAccountOtherwise(t *testing.T) {
	only := newFakeServer(t, "only", fakeAnswers)
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Sampler = func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	outcomeOf(dialFake(t, addr), rowFive)
	key := keyOf(t, srv, rowFive)
	touch(srv, "t", 95)
	only.setAccount("app@localhost")
	srv.eachPool((*pool).close)
	if err := srv.Refill(t.Context(), key); err != nil {
		t.Error(err)
	}
}

// TestDialect: Weirs that share a tier must agree on what keys mean and on what is stored. Whoever changes either raises
// Dialect, and puts the new fingerprint here. Is it right that it has changed?
func TestDialect(t *testing.T) {
	const golden = "1 588d2c91896957a7a24dd7fcd9198068"
	if got := fmt.Sprintf("%s %s", Dialect, fingerprint(t)); got != golden {
		t.Errorf("keys or stored bytes are not what they were: %s; see Dialect", got)
	}
}

// fingerprint is a hash of keys and of a stored result.
func fingerprint(t *testing.T) string {
	t.Helper()
	s, _, args := executionSession(t)
	s.adopt(defaults{text: "sql_mode=ANSI\x00", account: "app@%\x00NONE"})
	s.poolKey.collation = 45
	s.setState(state{schema: "shop", settings: settings{{"sql_mode", "''"}, {"time_zone", "'+00:00'"}}})
	x, _ := s.handles.last.bind(args)
	h := xxh3.New()
	for _, part := range [][]byte{
		s.makeKey([]byte(rowFive)), s.executionKey(&x), s.descriptionKey([]byte(rowFive)), {directedMark},
		[]byte(defaultsQuery), []byte(startQuery), []byte(rolesQuery), storedBytes(),
	} {
		_, _ = h.Write(appendPart(nil, string(part)))
	}
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// storedBytes are those of a response of a session in a transaction.
func storedBytes() []byte {
	result := wire.Result{Columns: []wire.Column{{Name: "v"}}, Rows: []wire.Row{{[]byte("1")}, {nil}}, Status: wire.StatusAutocommit | wire.StatusInTrans | wire.StatusANSIQuotes}
	b, _ := result.AppendPackets(nil, 1)
	r := response{buf: b, offsets: []int{len(b) - 2}}
	r.normalize()
	return r.buf
}
