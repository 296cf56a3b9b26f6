package daemon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/login"
	"weir/proxy/wire"
	"weir/replicator/identity"
)

const other = "SELECT v FROM u WHERE id = 1"

// snapshots configures a Weir so that it stays current while a test holds its stream.
func snapshots(c *Config) {
	c.Cache.Transactions = "snapshot"
	c.MaxStaleness = Duration(30 * time.Second)
}

// snapshotWorld is a shop with a second table u, and a Weir with transactions: snapshot whose binlog comes through a
// network with faults.
func snapshotWorld(t *testing.T, flavor sandbox.Flavor, s seams) (w *world, network *relay, d, p *client) {
	t.Helper()
	w = newSource(t, sandbox.Options{Flavor: flavor})
	network = newRelay(t, w.source.Addr())
	w.seams = s
	w.start(func(c *Config) {
		snapshots(c)
		c.Source.Addr, c.Backends = network.addr(), []Backend{{Addr: w.source.Addr()}}
	})
	d, p = w.shop()
	d.run("CREATE TABLE shop.u (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB")
	d.run("INSERT INTO shop.u VALUES (1, 'u')")
	w.caughtUp()
	return w, network, d, p
}

// sees checks what a client is answered.
func (c *client) sees(query string, want answer) {
	c.world.t.Helper()
	if got := c.ask(query); got != want {
		c.world.t.Errorf("%s: got %q, want %q", query, got, want)
	}
}

// S4 of cache.Ledger.FreshAt: what the cache has is newer than the transaction, and the ledger does not know it yet.
func TestPitfall29ChangeInTheEntryIsNotRecorded(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network, d, p := snapshotWorld(t, flavor, seams{})
		p.warm(other)
		in := w.proxy("app", "shop")
		in.run("START TRANSACTION READ ONLY")
		in.sees(other, "v\nu\n")
		in.warm(other) // the ledger is complete as of the snapshot
		network.holdDumps()
		d.run(update)
		p.warm(one)
		p.sees(one, "v\nnew\n") // to those in no transaction this is right
		in.sees(one, "v\nold\n")
		in.sees(one+" AND 1 = 1", "v\nold\n")
		network.pass()
		w.caughtUp()
		in.sees(one, "v\nold\n")
		in.run("COMMIT")
		in.sees(one, "v\nnew\n")
	})
}

// after is a sampler that something follows.
type after struct {
	proxy.Sampler
	then *atomic.Pointer[func()]
}

func (a after) Sample(ctx context.Context, need cache.Mark, since time.Time) (cache.Mark, identity.Identity, error) {
	at, server, err := a.Sampler.Sample(ctx, need, since)
	if f := a.then.Swap(nil); f != nil {
		(*f)()
	}
	return at, server, err
}

// S3: the transaction is newer than what the cache has, by a change after its sample that the ledger does not know yet.
func TestPitfall29ChangeInTheSnapshotIsNotRecorded(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		var then atomic.Pointer[func()]
		w, network, d, p := snapshotWorld(t, flavor, seams{sampler: func(s proxy.Sampler) proxy.Sampler { return after{s, &then} }})
		p.warm(one)
		p.warm(other)
		asked := w.weir.ledger.Now()
		w.weir.probe.Ask()
		w.eventually("the ledger is complete as of when these were stored", func() bool {
			at, ok := w.weir.ledger.CompleteAsOf()
			return ok && at >= asked
		})
		network.holdDumps()
		change := func() { d.run(update) }
		then.Store(&change)
		in := w.proxy("app", "shop")
		in.run("START TRANSACTION READ ONLY")
		in.sees(other, "v\nu\n")
		in.sees(one, "v\nnew\n")
		in.sees(one+" AND 1 = 1", "v\nnew\n")
		network.pass()
		w.caughtUp()
		in.warm(other)
		in.sees(one, "v\nnew\n")
	})
}

// A transaction on a replica that lags shows the past. What the cache gets later from the same replica is not of it.
func TestPitfall29SnapshotOnALaggingReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source, Workers: 4})
		w.must(replica.CatchUp(t.Context()))
		w.start(func(c *Config) { snapshots(c); c.Backends = []Backend{{Addr: replica.Addr()}} })
		d, p := w.shop()
		d.run("CREATE TABLE shop.u (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB")
		d.run("INSERT INTO shop.u VALUES (1, 'u')")
		w.caughtUp()
		w.must(replica.CatchUp(t.Context()))
		p.warm(one)
		p.warm(other)
		w.must(replica.StopReplica(t.Context(), "SQL"))
		d.run(update)
		w.caughtUp()
		in := w.proxy("app", "shop")
		in.run("BEGIN")
		in.sees(one, "v\nold\n")
		in.warm(other) // the replica does not lag in what concerns this one
		w.must(replica.StartReplica(t.Context(), "SQL"))
		w.must(replica.CatchUp(t.Context()))
		p.warm(one)
		p.sees(one, "v\nnew\n")
		in.sees(one, "v\nold\n")
		in.sees(one+" AND 1 = 1", "v\nold\n")
		in.run("COMMIT")
		in.sees(one, "v\nnew\n")
	})
}

// What the connection of a transaction is lost with is the transaction: the client is told, and no other answers for it.
func TestSnapshotOnAConnectionThatIsLost(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		network := newRelay(t, w.source.Addr())
		w.start(func(c *Config) { snapshots(c); c.Backends = []Backend{{Addr: network.addr()}} })
		_, p := w.shop()
		p.warm(one)
		for i, first := range []string{"", "SELECT v FROM t WHERE id = 2"} {
			p.warm(fmt.Sprintf("%s AND %d = %d", one, i, i)) // the sampler is connected
			in := w.proxy("app", "shop")
			in.run("BEGIN")
			if first != "" {
				in.run(first)
				in.warm(one)
			}
			network.cut()
			for range 2 {
				if got := in.ask("SELECT COUNT(*) FROM t"); !strings.HasPrefix(string(got), "error") {
					t.Errorf("after %q: the transaction is lost, and goes on with %q", first, got)
				}
			}
		}
	})
}

// Prepared statements of the binary protocol, and COM_RESET_CONNECTION by way of a new session.
func TestSnapshotWithPreparedStatements(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _, d, p := snapshotWorld(t, flavor, seams{})
		const byID = "SELECT v FROM t WHERE id = ?"
		p.holds(byID).warm(1)
		p.holds("SELECT v FROM u WHERE id = ?").warm(1)
		in := w.proxy("app", "shop")
		st, still := in.holds(byID), in.holds("SELECT v FROM u WHERE id = ?")
		in.run("BEGIN")
		if got := st.ask(1); got != "v\nold\n" {
			t.Errorf("the first read is %q", got)
		}
		still.warm(1)
		d.run(update)
		w.caughtUp()
		p.warm(one)
		p.holds(byID).warm(1)
		if got, hit := st.asked(1); got != "v\nold\n" || hit {
			t.Errorf("after a change: %q (hit: %v)", got, hit)
		}
		if got, hit := still.asked(1); got != "v\nu\n" || !hit {
			t.Errorf("what has not changed: %q (hit: %v)", got, hit)
		}
		in.sees(one, "v\nold\n")
		in.run("COMMIT")
		if got := st.ask(1); got != "v\nnew\n" {
			t.Errorf("after the transaction: %q", got)
		}
	})
}

// dial logs in as app, by hand.
func (w *world) dial(addr string) *raw {
	w.t.Helper()
	b, err := login.Dial(w.t.Context(), login.ClientOptions{
		Addr: addr, User: "app", Password: "app-secret", Database: "shop", Capabilities: wire.ClientMultiStatements,
	})
	w.must(err)
	w.t.Cleanup(func() { b.Conn.Close() })
	return &raw{t: w.t, conn: b.Conn, reader: b.Reader, flags: b.Capabilities}
}

// response returns every byte of the answer to a command, with those status flags alone that tell of transactions.
func (c *raw) response(command wire.Command, args string) []byte {
	c.t.Helper()
	const flags = wire.StatusInTrans | wire.StatusAutocommit | wire.StatusInTransReadonly
	c.write(0, command, args)
	shape, _ := wire.ResponseTo(command)
	var s wire.Scanner
	var all []byte
	s.Begin(shape)
	c.conn.SetReadDeadline(time.Now().Add(time.Minute))
	for done := false; !done; {
		packet, continued, err := c.reader.ReadRaw()
		if err == nil {
			all = append(all, packet...)
			done, err = s.Next(packet, continued)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
	for _, at := range s.StatusOffsets() {
		all[at] &= byte(flags & 0xff)
		all[at+1] &= byte(flags >> 8)
	}
	return all
}

// Each answer inside a transaction has the status flags that the server would give it, hit or not.
func TestPitfall36FlagsInsideATransaction(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _, _, p := snapshotWorld(t, flavor, seams{})
		const none, many = "SELECT v FROM t WHERE id = 77", "SELECT t.id, t.v, u.v, NULL FROM t, u"
		for _, q := range []string{one, other, none, many} {
			p.warm(q)
		}
		through, straight := w.dial(w.weir.Addr()), w.dial(w.source.Addr())
		straight.response(wire.ComQuery, "SET SESSION TRANSACTION READ ONLY") // as Weir's are
		hits := func() float64 { return w.counter("weir_transaction_hits_total", "", "") }
		same := func(command wire.Command, args string) {
			t.Helper()
			if got, want := through.response(command, args), straight.response(command, args); string(got) != string(want) {
				t.Errorf("%s %q: got %q, want %q", command, args, got, want)
			}
		}
		for _, begin := range []string{"BEGIN", "START TRANSACTION READ ONLY", "START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", "COMMIT AND CHAIN"} {
			for _, level := range []string{"REPEATABLE READ", "READ COMMITTED"} {
				if strings.HasSuffix(begin, "SNAPSHOT") && level == "READ COMMITTED" {
					continue // a warning, and no hits
				}
				set := "SET SESSION TRANSACTION ISOLATION LEVEL " + level
				p.run(set)
				for _, q := range []string{one, other, none, many} {
					p.warm(q)
				}
				same(wire.ComQuery, set)
				if begin == "COMMIT AND CHAIN" {
					same(wire.ComQuery, "BEGIN")
				}
				same(wire.ComQuery, begin)
				same(wire.ComQuery, one)
				w.eventually("there are hits inside", func() bool {
					before := hits()
					same(wire.ComQuery, other)
					return hits() > before
				})
				before := hits()
				for _, q := range []string{one, none, many} {
					same(wire.ComQuery, q)
				}
				if got := hits() - before; got != 3 {
					t.Errorf("after %s under %s: %v hits of 3", begin, level, got)
				}
				same(wire.ComInitDB, "shop")
				same(wire.ComQuery, "SAVEPOINT s")
				same(wire.ComQuery, many)
				same(wire.ComQuery, "COMMIT")
				same(wire.ComQuery, one)
			}
		}
	})
}

// COM_RESET_CONNECTION and COM_CHANGE_USER end the transaction at every stage, and what comes then is of now.
func TestPitfall40ResetEndsTheSnapshot(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _, d, p := snapshotWorld(t, flavor, seams{})
		p.warm(other)
		for i, stage := range [][]string{{"BEGIN"}, {"BEGIN", other}, {"BEGIN", other, one}} {
			for _, end := range []func(*raw) string{
				func(c *raw) string { return outcome(c.command(wire.ComResetConnection, "")) },
				func(c *raw) string { return c.changeUser("app", "app-secret") },
			} {
				c := w.dial(w.weir.Addr())
				for _, sql := range stage {
					c.query(sql)
				}
				value := fmt.Sprintf("%d.%d", i, rand.Uint32())
				d.run("UPDATE shop.t SET v = '" + value + "' WHERE id = 1")
				w.caughtUp()
				if got := end(c); got != "OK" {
					t.Errorf("after %q: %s", stage, got)
				}
				if got := c.query(one); got != value {
					t.Errorf("after %q and the end of it: %q, want %q", stage, got, value)
				}
			}
		}
	})
}

const (
	accounts    = 6 // tables with one account each
	balance     = 1000
	transfers   = 150
	perTransfer = 2 // transactions that are read between two transfers, about
)

// bank is some tables between which money moves; the sum stays.
type bank struct {
	reads chan struct{} // one for each transaction that was read
	wrong chan struct{} // closed when one was
	once  sync.Once
}

func sumOfAccount(i int) string { return fmt.Sprintf("SELECT SUM(n) FROM a%d", i) }

// transfer moves money a number of times, and waits between two transfers until somebody has read. The order of the
// accounts keeps two of them from a deadlock.
func (b *bank) transfer(d *client, random *rand.Rand) error {
	for range transfers {
		i, j := random.IntN(accounts), random.IntN(accounts)
		amount := random.IntN(100) - 50
		for _, sql := range []string{
			"BEGIN", fmt.Sprintf("UPDATE a%d SET n = n - %d", min(i, j), amount), fmt.Sprintf("UPDATE a%d SET n = n + %d", max(i, j), amount), "COMMIT",
		} {
			if err := succeeds(d.ask(sql)); err != nil {
				return err
			}
		}
		for range random.IntN(2*perTransfer + 1) {
			select {
			case <-b.reads:
			case <-b.wrong:
				return nil
			}
		}
	}
	return nil
}

// total reads all accounts in one transaction, in any order, some of them twice.
func (b *bank) total(p *client, random *rand.Rand) error {
	begins := []string{"BEGIN", "START TRANSACTION READ ONLY", "START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT"}
	if err := succeeds(p.ask(begins[random.IntN(len(begins))])); err != nil {
		return err
	}
	defer p.ask("COMMIT")
	var sums [accounts]int
	order := append(random.Perm(accounts), random.Perm(accounts)...)
	for n, i := range order {
		got := p.ask(sumOfAccount(i))
		_, row, _ := strings.Cut(strings.TrimSpace(string(got)), "\n")
		v, err := strconv.Atoi(row)
		if err != nil {
			return fmt.Errorf("account %d: %q", i, got)
		}
		if n >= accounts && v != sums[i] {
			return fmt.Errorf("account %d had %d and then %d in one transaction", i, sums[i], v)
		}
		sums[i] = v
	}
	total := 0
	for _, v := range sums {
		total += v
	}
	if total != accounts*balance {
		return fmt.Errorf("the accounts %v have %d together, want %d", sums, total, accounts*balance)
	}
	return nil
}

// Money moves between accounts, while transactions through Weir add all of it up, some of it from the cache.
func TestPitfall29SnapshotsKeepTheTotal(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, _, d, _ := snapshotWorld(t, flavor, seams{})
		for i := range accounts {
			d.run(fmt.Sprintf("CREATE TABLE a%d (n INT) ENGINE=InnoDB", i))
			d.run(fmt.Sprintf("INSERT INTO a%d VALUES (%d)", i, balance))
		}
		w.caughtUp()
		b := &bank{reads: make(chan struct{}, 1), wrong: make(chan struct{})}
		stop := make(chan struct{})
		var readers, writers sync.WaitGroup
		for n := range 3 {
			p, random := w.proxy("app", "shop"), rand.New(rand.NewPCG(1, uint64(n)))
			until(t, &readers, stop, func() error {
				if err := b.total(p, random); err != nil {
					b.once.Do(func() { close(b.wrong) })
					return err
				}
				select {
				case b.reads <- struct{}{}:
				case <-stop:
				}
				return nil
			})
		}
		filler := w.proxy("app", "shop") // fills the cache, as those do who are in no transaction
		random := rand.New(rand.NewPCG(2, 0))
		until(t, &readers, stop, func() error { return succeeds(filler.ask(sumOfAccount(random.IntN(accounts)))) })
		for n := range 2 {
			d, random := w.direct("app", "shop"), rand.New(rand.NewPCG(3, uint64(n)))
			writers.Go(func() {
				if err := b.transfer(d, random); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		close(stop)
		readers.Wait()
		hits := w.counter("weir_transaction_hits_total", "", "")
		misses := w.counter("weir_not_cacheable_total", "reason", "transaction")
		t.Logf("in transactions: %v hits, %v answers of the server", hits, misses)
		if hits < 50 || misses < 50 {
			t.Errorf("in transactions there were %v hits and %v answers of the server; the test shows nothing", hits, misses)
		}
	})
}
