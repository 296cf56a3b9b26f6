package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/wire"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// touch records a change of a table in shop as a whole.
func touch(srv *Server, table string, seq cache.Seq) {
	ledger, name := srv.cache.Ledger(), dep.Fold("shop", table)
	ledger.Record(seq, []cache.Tag{name.Tag(), name.Anchor(), name.Rowset(), name.Definition()})
	ledger.SetComplete(ledger.Epoch(), ledger.Now())
}

// keyOf is the key of a text for dialFake's account.
func keyOf(t *testing.T, srv *Server, text string) []byte {
	t.Helper()
	srv.recipes.mu.Lock()
	defer srv.recipes.mu.Unlock()
	for prefix := range srv.recipes.young {
		return append([]byte(prefix), text...)
	}
	t.Fatal("nothing was stored")
	return nil
}

func TestRefill(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	srv, g, only, addr := gated(t, fakeAnswers)
	c := dialFake(t, addr)
	outcomeOf(c, text)
	key := keyOf(t, srv, text)
	if err := srv.Refill(t.Context(), key); err != nil || len(only.statements()) != 1 {
		t.Errorf("what is servable: %v; the server was asked %q", err, only.statements())
	}
	touch(srv, "t", 95)
	misses, hits := srv.metrics.total(missesOf), srv.digests.Hits()
	g.state()
	if err := srv.Refill(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if tables, inside := g.state(); len(tables) != 1 || inside != 0 {
		t.Errorf("it entered the gate for %q; %d inside", tables, inside)
	}
	if n := srv.metrics.total(missesOf) - misses + srv.digests.Hits() - hits; n != 0 {
		t.Errorf("it counts as %d statements of clients", n)
	}
	if got := outcomeOf(c, text); got != "1" || len(only.statements()) != 2 || srv.digests.Hits() != hits+1 {
		t.Errorf("the client gets %s; the server was asked %q", got, only.statements())
	}
	if n := srv.usedConnections(); n != 0 {
		t.Errorf("%d connections are still used", n)
	}
}

// What must not be read in advance, and what cannot be yet.
func TestRefillRefuses(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	for _, tt := range []struct {
		name   string
		change func(srv *Server, key []byte) []byte
		want   error
		asked  int // how often the server was, by the refill
	}{
		{"a key of nothing", func(*Server, []byte) []byte { return []byte("t") }, ErrNotRefillable, 0},
		{"no key", func(*Server, []byte) []byte { return nil }, ErrNotRefillable, 0},
		{"another protocol", func(_ *Server, k []byte) []byte { k[0] = 'x'; return k }, ErrNotRefillable, 0},
		{"a session that nobody knows", func(_ *Server, k []byte) []byte { k[3]++; return k }, ErrNotRefillable, 0},
		{"an account that has changed", func(srv *Server, k []byte) []byte {
			for prefix, r := range srv.recipes.young {
				r.account = &account{user: r.account.user, password: r.account.password}
				srv.recipes.young[prefix] = r
			}
			return k
		}, ErrNotRefillable, 0},
		{"what is not stored", func(_ *Server, k []byte) []byte { return append(k, " OR v = RAND()"...) }, ErrNotRefillable, 0},
		{"what fails", func(_ *Server, k []byte) []byte { return append(k, " AND 'fails' = v"...) }, ErrNotRefillable, 1},
		{"what is too large", func(_ *Server, k []byte) []byte { return append(k, " AND 'large' = v"...) }, ErrNotRefillable, 1},
		{"a stream that is not current", func(srv *Server, k []byte) []byte { srv.cache.Ledger().Restart(100); return k }, ErrBehind, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv, g, only, addr := gated(t, fakeAnswers)
			only.setScript(func(c net.Conn) bool {
				asked := only.statements()
				switch last := asked[len(asked)-1]; {
				case strings.Contains(last, "fails"):
					return write(c, wire.Errorf(wire.CodeNoSuchTable, "no"))
				case strings.Contains(last, "large"):
					return rows(c, strings.Repeat("x", 2<<20))
				}
				return rows(c, "1")
			})
			outcomeOf(dialFake(t, addr), text)
			touch(srv, "t", 95)
			key := tt.change(srv, keyOf(t, srv, text))
			if err := srv.Refill(t.Context(), key); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if n := len(only.statements()) - 1; n != tt.asked {
				t.Errorf("the server was asked %d times: %q", n, only.statements())
			}
			if _, inside := g.state(); inside != 0 || srv.usedConnections() != 0 {
				t.Errorf("%d inside, %d connections", inside, srv.usedConnections())
			}
		})
	}
}

// behind is a sampler of a server that does not apply anything.
type behind struct{ at cache.Mark }

func (b behind) Sample(context.Context, cache.Mark, time.Time) (cache.Mark, identity.Identity, error) {
	return b.at, identity.Identity{Flavor: gtid.MySQL, ID: "replica"}, nil
}

// A backend that has not applied the change is not asked, nor is a source that answers no reads; the client who came
// meanwhile is not told the refill's failure, but reads.
func TestRefillWaitsForAReplica(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	source, replica := newFakeServer(t, "source", fakeAnswers), newFakeServer(t, "replica", fakeAnswers)
	g := &turnstile{}
	srv, addr := servePartly(t, ToSource, func(p *Parts) {
		at := p.Cache.Ledger().Mark()
		p.Gate, p.Sampler = g, func(string) Sampler { return behind{at} }
	}, source, replica.addr())
	c := dialFake(t, addr)
	outcomeOf(c, text)
	key := keyOf(t, srv, text)
	touch(srv, "t", 95)
	g.close()
	refilled := make(chan error, 1)
	go func() { refilled <- srv.Refill(t.Context(), key) }()
	eventually(t, "the refill waits", g.waits(1))
	answer := make(chan string, 1)
	go func() { answer <- outcomeOf(c, text) }()
	eventually(t, "the client has joined", func() bool { return len(srv.busySince(time.Now())) == 1 })
	g.open()
	if err := <-refilled; !errors.Is(err, ErrBehind) {
		t.Errorf("got %v", err)
	}
	if got := <-answer; got != "1" {
		t.Errorf("the client gets %s", got)
	}
	if len(source.statements()) != 0 || len(replica.statements()) != 2 {
		t.Errorf("the source was asked %q, the replica %q", source.statements(), replica.statements())
	}
}

// late is a sampler by which a server is not known to have a change before it is asked on a connection.
type late struct{ upToDate }

func (l late) Sample(ctx context.Context, need cache.Mark, since time.Time) (cache.Mark, identity.Identity, error) {
	if since.IsZero() {
		return cache.Mark{}, identity.Identity{}, errors.New("not known yet")
	}
	return l.upToDate.Sample(ctx, need, since)
}

// Clients who have joined a refill that comes to nothing do not all go to a server: one of them reads for the others.
func TestPitfall56RefillThatFailsIsTakenOver(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	source, replica := newFakeServer(t, "source", fakeAnswers), newFakeServer(t, "replica", fakeAnswers)
	g := &turnstile{}
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Gate, p.Sampler = g, func(string) Sampler { return late{upToDate{ledger, "replica"}} }
	}, source, replica.addr())
	clients := []*conn{dialFake(t, addr), dialFake(t, addr), dialFake(t, addr)}
	outcomeOf(clients[0], text)
	key := keyOf(t, srv, text)
	touch(srv, "t", 95)
	g.close()
	refilled := make(chan error, 1)
	go func() { refilled <- srv.Refill(t.Context(), key) }()
	eventually(t, "the refill waits", g.waits(1))
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { outcomeOf(c, text) })
	}
	flight, lead := srv.cache.Join(key, cache.Mark{})
	if lead {
		t.Fatal("the refill leads no flight")
	}
	eventually(t, "the clients have joined", func() bool { return flight.Waiting() == len(clients) })
	g.open()
	all.Wait()
	if err := <-refilled; err != nil && !errors.Is(err, ErrBehind) { // nil: a client had stored it when the refill looked
		t.Errorf("got %v", err)
	}
	if asked := replica.statements(); len(asked) != 2 {
		t.Errorf("the server was asked %q, want once before the change and once after it", asked)
	}
}

// A refill that is given up ends where it waits.
func TestRefillEnds(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	srv, g, _, addr := gated(t, fakeAnswers)
	outcomeOf(dialFake(t, addr), text)
	key := keyOf(t, srv, text)
	touch(srv, "t", 95)
	g.close()
	ctx, cancel := context.WithCancelCause(t.Context())
	refilled := make(chan error, 1)
	go func() { refilled <- srv.Refill(ctx, key) }()
	eventually(t, "the refill waits", g.waits(1))
	enough := errors.New("enough")
	cancel(enough)
	if err := <-refilled; !errors.Is(err, enough) || !errors.Is(g.left, errInterrupted) {
		t.Errorf("got %v; the gate was told %v", err, g.left)
	}
	g.open()
}

func TestRecipesAreBounded(t *testing.T) {
	var rs recipes
	one := &account{user: "u"}
	for i := range 3 * maxRecipes {
		rs.put(&session{account: one, prefix: fmt.Append(nil, i)})
	}
	if n := len(rs.young) + len(rs.old); n > 2*maxRecipes {
		t.Errorf("%d are remembered", n)
	}
	if _, ok := rs.get([]byte("0")); ok {
		t.Error("the first is still remembered")
	}
	if r, ok := rs.get(fmt.Append(nil, 3*maxRecipes-1)); !ok || r.account != one {
		t.Error("the last is not")
	}
	rs.put(&session{account: &account{user: "u", password: "new"}, prefix: fmt.Append(nil, 3*maxRecipes-1)})
	if r, _ := rs.get(fmt.Append(nil, 3*maxRecipes-1)); r.account.password != "new" {
		t.Error("the account that was there last does not count")
	}
}

// Whatever is taken for a key, nothing breaks, and what a session makes comes apart as it was put together.
func FuzzSplitKey(f *testing.F) {
	s, _, text := hitSession(f)
	f.Add(s.makeKey(text))
	f.Add([]byte("b\x01u\x00\x00"))
	f.Fuzz(func(t *testing.T, key []byte) {
		prefix, q, ok := splitKey(key)
		if ok && len(prefix)+len(q.text)+len(q.values) > len(key) {
			t.Errorf("%q and %q, %q are more than the key", prefix, q.text, q.values)
		}
	})
	prefix, q, ok := splitKey(s.makeKey(text))
	if !ok || string(prefix) != string(s.prefix) || string(q.text) != string(text) || q.protocol != protocolText {
		f.Errorf("%v: %q, %q", ok, prefix, q.text)
	}
}
