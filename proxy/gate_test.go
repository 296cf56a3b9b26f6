package proxy

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
	"weir/proxy/wire"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// turnstile is a gate that counts, and that can be shut.
type turnstile struct {
	mu      sync.Mutex
	shut    chan struct{} // closed when it opens; nil: it is open
	tables  []string      // for which somebody entered, one read each
	waiting int
	inside  int
	left    error // why somebody gave up
}

func (g *turnstile) Enter(ctx context.Context, tables []dep.Name) (func(), error) {
	var names []string
	for _, n := range tables {
		names = append(names, n.Table)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut != nil {
		shut := g.shut
		g.waiting++
		g.mu.Unlock()
		var err error
		select {
		case <-shut:
		case <-ctx.Done():
			err = ctx.Err()
		}
		g.mu.Lock()
		g.waiting--
		if err != nil {
			g.left = context.Cause(ctx)
			return nil, err
		}
	}
	g.tables = append(g.tables, strings.Join(names, ","))
	g.inside++
	var once sync.Once
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.inside--
		twice := true
		once.Do(func() { twice = false })
		if twice {
			panic("the gate was left twice")
		}
	}, nil
}

func (g *turnstile) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
}

func (g *turnstile) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.shut)
	g.shut = nil
}

// state returns what it has counted, and begins anew.
func (g *turnstile) state() (tables []string, inside int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tables, g.tables = g.tables, nil
	return tables, g.inside
}

func (g *turnstile) waits(n int) func() bool {
	return func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.waiting == n
	}
}

// upToDate is a sampler of a server that has applied all that is recorded.
type upToDate struct {
	ledger *cache.Ledger
	server string
}

func (u upToDate) Sample(context.Context, cache.Mark, time.Time) (cache.Mark, identity.Identity, error) {
	return u.ledger.Mark(), identity.Identity{Flavor: gtid.MySQL, ID: u.server}, nil
}

// fakeAnswers answers whatever it is asked, with the number of the question.
func fakeAnswers(c net.Conn) bool { return rows(c, "1") }

// gated runs a proxy with a turnstile in front of one server.
func gated(t *testing.T, do script) (*Server, *turnstile, *fakeServer, string) {
	t.Helper()
	g, only := &turnstile{}, newFakeServer(t, "only", do)
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Gate, p.Sampler = g, func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	return srv, g, only, addr
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("after 10 seconds it is still not true that %s", what)
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // polls, with a deadline
	}
}

// A read of tables enters once, whatever becomes of it, and is not inside any more when its answer is there. Hits, reads of
// no table, and what a transaction reads do not enter.
func TestReadEntersOnce(t *testing.T) {
	type step struct {
		text, want, enters string
	}
	for _, tt := range []struct {
		name  string
		do    script
		steps []step
	}{
		{"a fill, and hits", fakeAnswers, []step{{"SELECT v FROM t", "1", "t"}, {"SELECT v FROM t", "1", ""}}},
		{"what is not stored", fakeAnswers, []step{{"SELECT NOW() FROM t, u", "1", "t,u"}, {"SELECT NOW() FROM t, u", "1", "t,u"}}},
		{"no table", fakeAnswers, []step{{"SELECT NOW()", "1", ""}, {"SHOW STATUS", "1", ""}}},
		{"a statement that repeats the one before", fakeAnswers, []step{{"SELECT v FROM t", "1", "t"}, {"SELECT FOUND_ROWS()", "1", "t"}}},
		{"an error", says(wire.CodeNoSuchTable), []step{{"SELECT v FROM t", "1146", "t"}, {"SELECT NOW() FROM t", "1146", "t"}}},
		{"a lost connection, asked again", hangsUp, []step{{"SELECT v FROM t", "1105", "t"}, {"SELECT NOW() FROM t", "1105", "t"}}},
		{"lost in the middle", diesInTheMiddle(20), []step{{"SELECT v FROM t", "1105", "t"}}},
		{"streaming", func(c net.Conn) bool { return rows(c, strings.Repeat("x", 2<<20)) }, []step{{"SELECT v FROM t", strings.Repeat("x", 2<<20), "t"}, {"SELECT NOW() FROM t", strings.Repeat("x", 2<<20), "t"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, g, _, addr := gated(t, tt.do)
			c := dialFake(t, addr)
			for _, s := range tt.steps {
				got := outcomeOf(c, s.text)
				tables, inside := g.state()
				if got != s.want || strings.Join(tables, " ") != s.enters || inside != 0 {
					t.Errorf("%s: got %.60q; entered for %q, want %q; %d inside", s.text, got, tables, s.enters, inside)
				}
			}
		})
	}
}

// inTransaction answers as if BEGIN had opened a transaction.
func inTransaction(c net.Conn) bool {
	r := wire.Result{Columns: []wire.Column{{Name: "v"}}, Rows: []wire.Row{{[]byte("1")}}, Status: wire.StatusAutocommit | wire.StatusInTrans}
	b, _ := r.AppendPackets(nil, 1)
	_, err := c.Write(b)
	return err == nil
}

func TestTransactionDoesNotEnter(t *testing.T) {
	_, g, only, addr := gated(t, inTransaction)
	c := dialFake(t, addr)
	for _, text := range []string{"BEGIN", "SELECT v FROM t", "SELECT NOW() FROM t"} {
		outcomeOf(c, text)
	}
	if tables, _ := g.state(); len(tables) != 0 || len(only.statements()) != 3 {
		t.Errorf("entered for %q; the server was asked %q", tables, only.statements())
	}
}

// panics is a sampler that faults in the goroutines of sessions, and not in the watch over backends, which is in a hurry.
type panics struct{}

func (panics) Sample(ctx context.Context, _ cache.Mark, _ time.Time) (cache.Mark, identity.Identity, error) {
	if deadline, _ := ctx.Deadline(); time.Until(deadline) > time.Minute {
		panic("a fault")
	}
	return cache.Mark{}, identity.Identity{}, errors.New("nothing is known")
}

func TestPanicLeavesTheGate(t *testing.T) {
	g, only := &turnstile{}, newFakeServer(t, "only", fakeAnswers)
	_, addr := servePartly(t, Reject, func(p *Parts) {
		p.Gate, p.Sampler = g, func(string) Sampler { return panics{} }
	}, only, only.addr())
	outcomeOf(dialFake(t, addr), "SELECT v FROM t")
	eventually(t, "somebody was inside and nobody is", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.tables) == 1 && g.inside == 0
	})
}

// Those who wait hold no connection to a server, and of those who read the same only one waits.
func TestWaitingHoldsNoConnection(t *testing.T) {
	srv, g, only, addr := gated(t, fakeAnswers)
	const same, others = 8, 4
	texts := []string{"SELECT NOW() FROM t", "SELECT v FROM t WHERE v = 2", "SELECT v FROM t WHERE v = 3"}
	for range same {
		texts = append(texts, "SELECT v FROM t WHERE v = 1")
	}
	clients := make([]*conn, len(texts))
	for i := range texts {
		clients[i] = dialFake(t, addr)
	}
	g.close()
	var all sync.WaitGroup
	for i, text := range texts {
		all.Go(func() {
			if got := outcomeOf(clients[i], text); got != "1" {
				t.Errorf("%s: %s", text, got)
			}
		})
	}
	eventually(t, "one of each waits", g.waits(others))
	if n := srv.usedConnections(); n != 0 {
		t.Errorf("%d connections are held by those who wait", n)
	}
	g.open()
	all.Wait()
	if n := len(only.statements()); n > others+same-1 || n < others {
		t.Errorf("the server was asked %q", only.statements())
	}
	if _, inside := g.state(); inside != 0 {
		t.Errorf("%d are inside", inside)
	}
}

// A read that waits is ended by KILL, and by the end of its client.
func TestWaitAtTheGateEnds(t *testing.T) {
	for _, text := range []string{"SELECT v FROM t", "SELECT NOW() FROM t"} {
		t.Run(text, func(t *testing.T) {
			srv, g, _, addr := gated(t, fakeAnswers)
			c, other := dialFake(t, addr), dialFake(t, addr)
			g.close()
			answer := make(chan string, 1)
			go func() { answer <- outcomeOf(c, text) }()
			eventually(t, "it waits", g.waits(1))
			for _, sess := range srv.busySince(time.Now()) {
				if err := sess.interrupt(t.Context(), false); err != nil {
					t.Error(err)
				}
			}
			if got := <-answer; got != "1317" || !errors.Is(g.left, errInterrupted) {
				t.Errorf("the client gets %s; the gate was told %v", got, g.left)
			}
			go func() { answer <- outcomeOf(other, text) }()
			eventually(t, "the other waits", g.waits(1))
			other.net.Close()
			<-answer
			eventually(t, "nobody waits", g.waits(0))
			g.open()
			if got := outcomeOf(c, text); got != "1" {
				t.Errorf("afterwards the client gets %s", got)
			}
		})
	}
}

// The steps that gate.go lists: what waited through a change of its table is stored as of after it.
func TestPitfall56ReadThatWaitedThroughAChangeIsStored(t *testing.T) {
	srv, g, only, addr := gated(t, fakeAnswers)
	c := dialFake(t, addr)
	g.close()
	answer := make(chan string, 1)
	go func() { answer <- outcomeOf(c, "SELECT v FROM t") }() // 1.
	eventually(t, "it waits", g.waits(1))
	touch(srv, "t", 95) // 2.
	g.open()            // 3.
	if got := <-answer; got != "1" {
		t.Fatal(got)
	}
	outcomeOf(c, "SELECT v FROM t")
	if asked := only.statements(); len(asked) != 1 {
		t.Errorf("what was read after the change is no hit: the server was asked %q", asked)
	}
}

// redefined is a catalogue in which t becomes a view of u.
type redefined struct{ *atomic.Bool }

func (r redefined) Snapshot() (statement.Catalog, uint64) {
	if r.Load() {
		return viewOfU(true), 2
	}
	return viewOfU(false), 1
}

type viewOfU bool

func (v viewOfU) Relation(n dep.Name) dep.Relation {
	if v && n.Table == "t" {
		return dep.Relation{Kind: dep.View, Definition: "select `shop`.`u`.`v` AS `v` from `shop`.`u`"}
	}
	return dep.Relation{Kind: dep.BaseTable}
}

// A read that waited while its table became a view of another one waits for that, and depends on it. So does one whose
// answer is not stored.
func TestReadThatWaitedIsAnalysedAgain(t *testing.T) {
	for text, hits := range map[string]int{"SELECT v FROM t": 1, "SELECT v, NOW() FROM t": 0} {
		g, only, view := &turnstile{}, newFakeServer(t, "only", fakeAnswers), redefined{&atomic.Bool{}}
		srv, addr := servePartly(t, Reject, func(p *Parts) {
			ledger := p.Cache.Ledger()
			p.Gate, p.Catalog, p.Sampler = g, view, func(string) Sampler { return upToDate{ledger, "only"} }
		}, only, only.addr())
		c := dialFake(t, addr)
		g.close()
		answer := make(chan string, 1)
		go func() { answer <- outcomeOf(c, text) }()
		eventually(t, "it waits", g.waits(1))
		view.Store(true)
		touch(srv, "t", 95)
		g.open()
		<-answer
		if tables, inside := g.state(); strings.Join(tables, " ") != "t t,u" || inside != 0 {
			t.Errorf("%s: entered for %q; %d inside", text, tables, inside)
		}
		outcomeOf(c, text)
		touch(srv, "u", 96)
		outcomeOf(c, text)
		if asked := only.statements(); len(asked) != 3-hits {
			t.Errorf("%s: the server was asked %q", text, asked)
		}
	}
}

// rereading is a catalogue that reads its definitions again until it is told that it has.
type rereading struct{ *atomic.Bool }

func (r rereading) Snapshot() (statement.Catalog, uint64) {
	if r.Load() {
		return reread(true), 2
	}
	return reread(false), 1
}

// reread is what is known of definitions, which are known or not.
type reread bool

func (d reread) Changing(n dep.Name) bool { return !bool(d) && n.Table == "t" }

func (d reread) Relation(dep.Name) dep.Relation {
	if !d {
		return dep.Relation{Kind: dep.Unknown}
	}
	return dep.Relation{Kind: dep.BaseTable}
}

// While the definition of a table is read again nobody goes to a server alone, if that is soon over.
func TestPitfall56ReadWaitsForTheDefinition(t *testing.T) {
	g, only, settled := &turnstile{}, newFakeServer(t, "only", fakeAnswers), rereading{&atomic.Bool{}}
	srv, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Gate, p.Catalog, p.Sampler = g, settled, func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	first, second := dialFake(t, addr), dialFake(t, addr)
	var both sync.WaitGroup
	for _, c := range []*conn{first, second} {
		both.Go(func() {
			if got := outcomeOf(c, "SELECT v FROM t"); got != "1" {
				t.Error(got)
			}
		})
	}
	eventually(t, "both have come", func() bool { return len(srv.busySince(time.Now())) == 2 })
	g.close()
	settled.Store(true)
	eventually(t, "one waits at the gate, and the other for that one", func() bool {
		return g.waits(1)() && slices.ContainsFunc(srv.busySince(time.Now()), func(s *session) bool { return s.running.wanted() })
	})
	g.open()
	both.Wait()
	outcomeOf(first, "SELECT v FROM t")
	if asked := only.statements(); len(asked) != 1 {
		t.Errorf("the server was asked %q", asked)
	}
}

// settling has read the definition right after somebody was told that it has not.
type settling struct{ rereading }

func (s settling) Snapshot() (statement.Catalog, uint64) {
	known, version := s.rereading.Snapshot()
	return told{known.(reread), s.Bool}, version
}

type told struct {
	reread
	settled *atomic.Bool
}

func (d told) Relation(n dep.Name) dep.Relation {
	defer d.settled.Store(true)
	return d.reread.Relation(n)
}

// A definition that comes right after the analysis counts: there is nothing to wait for then.
func TestPitfall56DefinitionComesAfterTheAnalysis(t *testing.T) {
	only, catalog := newFakeServer(t, "only", fakeAnswers), settling{rereading{&atomic.Bool{}}}
	_, addr := servePartly(t, Reject, func(p *Parts) {
		ledger := p.Cache.Ledger()
		p.Gate, p.Catalog, p.Sampler = &turnstile{}, catalog, func(string) Sampler { return upToDate{ledger, "only"} }
	}, only, only.addr())
	c := dialFake(t, addr)
	for range 2 {
		if got := outcomeOf(c, "SELECT v FROM t"); got != "1" {
			t.Error(got)
		}
	}
	if asked := only.statements(); len(asked) != 1 {
		t.Errorf("the server was asked %q", asked)
	}
}

// Before the stream has come to the present no definition may be known for long, and nobody waits for that: neither a read nor
// a write that may fire a trigger.
func TestNobodyWaitsForDefinitionsWithoutAStream(t *testing.T) {
	only, settled := newFakeServer(t, "only", fakeAnswers), rereading{&atomic.Bool{}}
	srv, addr := servePartly(t, ToSource, func(p *Parts) {
		p.Gate, p.Catalog = &turnstile{}, settled
		p.Cache.Ledger().Restart(1)
	}, only, only.addr())
	c := dialFake(t, addr)
	began := time.Now()
	for range 40 {
		outcomeOf(c, "SELECT v FROM t")
		outcomeOf(c, "INSERT INTO t VALUES (1)")
	}
	if srv.upToDate() {
		t.Fatal("the stream is current; the test shows nothing")
	}
	if took := time.Since(began); took > 40*definitionsWait {
		t.Errorf("80 statements took %v", took)
	}
}

// A client that does not read keeps the others out for a moment, whether it stops or is slow.
func TestSlowClientDoesNotShutTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, each := range []time.Duration{time.Hour, clientPatience / 10} {
			left := time.Time{}
			p := &passage{leave: sync.OnceFunc(func() { left = time.Now() }), patience: clientPatience}
			out := p.streaming(func([]byte) error { time.Sleep(each); return nil }) //nolint:forbidigo // the synctest time
			started := time.Now()
			for range 20 {
				out(nil)
			}
			p.end()
			if after := left.Sub(started); after != clientPatience {
				t.Errorf("with %v for each write it leaves after %v", each, after)
			}
		}
	})
}
