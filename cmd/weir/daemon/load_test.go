package daemon

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// load is a small shop that is written to from all sides.
type load struct {
	*world
	hot     []string
	replica *sandbox.Server // that has to catch up, too; may be nil
}

const (
	loadWriters = 8
	loadReaders = 16
	loadTime    = 5 * time.Second
	loadTables  = 4
	loadRows    = 10
)

// TestLoad: eight writers on the source, sixteen readers through Weir over a hot set. Nothing fails, no answer is older
// than max_staleness, and afterwards every answer is the source's, twice, five seconds apart.
func TestLoad(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		l := &load{world: newWorld(t, sandbox.Options{Flavor: flavor}, nil)}
		l.run(true)
	})
}

// TestLoadWithReplica reads from a replica and from the source in turns. What the replica answers may be older than
// max_staleness, but never stays.
func TestLoadWithReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source, Workers: 4})
		w.start(func(c *Config) { c.Backends = []Backend{{Addr: replica.Addr()}, {Addr: w.source.Addr()}} })
		l := &load{world: w, replica: replica}
		l.run(false)
	})
}

func (l *load) run(bounded bool) {
	d := l.fill()
	var k clock
	k.start(d)
	if l.replica != nil {
		l.must(l.replica.CatchUp(l.t.Context()))
	}
	l.complete()

	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	for i := range loadWriters {
		c := l.direct("app", "shop")
		random := rand.New(rand.NewPCG(uint64(i), 2))
		until(l.t, &writers, stop, func() error { return l.write(c, i, random) })
	}
	until(l.t, &writers, stop, func() error {
		<-time.After(5 * time.Millisecond)
		return k.tick(d)
	})
	for i := range loadReaders {
		c := l.proxy("app", "shop")
		random := rand.New(rand.NewPCG(uint64(i), 3))
		until(l.t, &readers, stop, func() error { return l.read(c, random, &k, bounded) })
	}
	<-time.After(loadTime)
	close(stop)
	writers.Wait()
	readers.Wait()
	l.settle()
}

// fill makes the tables and the statements of the hot set.
func (l *load) fill() *client {
	d := l.direct("app", "")
	d.run("CREATE DATABASE shop")
	d.run("USE shop")
	d.run("CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, account INT NOT NULL, price INT NOT NULL, KEY (account)) ENGINE=InnoDB")
	d.run("CREATE TABLE seldom (id INT PRIMARY KEY, v INT) ENGINE=InnoDB")
	d.run("INSERT INTO seldom VALUES (1, 0)")
	l.hot = append(l.hot, "SELECT COUNT(*), MAX(id) FROM orders", "SELECT v FROM seldom WHERE id = 1")
	for i := range loadTables {
		l.fillTable(d, fmt.Sprintf("accounts%d", i))
	}
	return d
}

func (l *load) fillTable(d *client, table string) {
	d.run("CREATE TABLE " + table + " (id INT PRIMARY KEY, amount INT NOT NULL, note VARCHAR(40)) ENGINE=InnoDB")
	d.run("CREATE VIEW rich_" + table + " AS SELECT id, amount FROM " + table + " WHERE amount > 100")
	for id := range loadRows {
		d.run(fmt.Sprintf("INSERT INTO %s VALUES (%d, 100, 'start')", table, id))
		l.hot = append(l.hot, fmt.Sprintf("SELECT * FROM %s WHERE id = %d", table, id))
	}
	l.hot = append(l.hot,
		"SELECT SUM(amount), COUNT(*) FROM "+table,
		"SELECT * FROM rich_"+table+" ORDER BY id",
		"SELECT a.id, COUNT(o.id), SUM(o.price) FROM "+table+" a LEFT JOIN orders o ON o.account = a.id GROUP BY a.id ORDER BY a.id",
		"SELECT id FROM "+table+" a WHERE EXISTS (SELECT 1 FROM orders WHERE account = a.id AND price > 50) ORDER BY id",
	)
}

// write makes one change, on the connection of writer i, and rests a little: while everything changes all the time there
// is nothing that could be a hit.
func (l *load) write(c *client, i int, random *rand.Rand) error {
	<-time.After(time.Duration(random.IntN(60)) * time.Millisecond)
	table, id, n := fmt.Sprintf("accounts%d", random.IntN(loadTables)), random.IntN(loadRows), random.IntN(200)
	switch op := random.IntN(100); {
	case op < 50:
		return change(c, fmt.Sprintf("UPDATE %s SET amount = %d, note = 'writer %d' WHERE id = %d", table, n, i, id))
	case op < 60:
		return change(c, fmt.Sprintf("INSERT INTO orders (account, price) VALUES (%d, %d)", id, n))
	case op < 65:
		return change(c, fmt.Sprintf("DELETE FROM orders WHERE account = %d ORDER BY id LIMIT 2", id))
	case op < 80:
		return transaction(c, table, id, n, "COMMIT")
	case op < 96:
		return transaction(c, table, id, n, "ROLLBACK")
	case op < 97:
		return change(c, fmt.Sprintf("REPLACE INTO seldom VALUES (1, %d)", n))
	case i == 0:
		return change(c, "ALTER TABLE "+table+" ADD COLUMN extra INT DEFAULT 7", "ALTER TABLE "+table+" DROP COLUMN extra")
	case i == 1:
		return change(c, fmt.Sprintf("CREATE OR REPLACE VIEW rich_%s AS SELECT id, amount FROM %s WHERE amount > %d", table, table, n))
	}
	return nil
}

func transaction(c *client, table string, id, n int, end string) error {
	return change(c, "BEGIN",
		fmt.Sprintf("UPDATE %s SET amount = amount - %d WHERE id = %d", table, n%10, id),
		fmt.Sprintf("UPDATE %s SET amount = amount + %d WHERE id = %d", table, n%10, (id+1)%loadRows),
		fmt.Sprintf("INSERT INTO orders (account, price) VALUES (%d, %d)", id, n),
		end)
}

// change runs statements, each of which may lose against another writer: a deadlock, a lock that takes too long, a table
// that has changed since the transaction began.
func change(c *client, statements ...string) error {
	for _, sql := range statements {
		switch a := c.ask(sql); a {
		case "error 1213", "error 1205", "error 1412", "error 1020":
		default:
			if strings.HasPrefix(string(a), "error") {
				return fmt.Errorf("a writer's %s: %s", sql, a)
			}
		}
	}
	return nil
}

func (l *load) read(c *client, random *rand.Rand, k *clock, bounded bool) error {
	query := l.hot[random.IntN(len(l.hot))]
	if a := c.ask(query); strings.HasPrefix(string(a), "error") {
		return fmt.Errorf("a reader's %s: %s", query, a)
	}
	if !bounded {
		return nil
	}
	return k.check(c)
}

// settle compares every hot statement's answer with the source's, when all has caught up, and again when what was on
// its way then has long arrived. The third time everything must be a hit.
func (l *load) settle() {
	l.t.Helper()
	if l.replica != nil {
		l.must(l.replica.CatchUp(l.t.Context()))
	}
	l.complete()
	d, p := l.direct("app", "shop"), l.proxy("app", "shop")
	l.compare(d, p)
	<-time.After(5 * time.Second)
	l.compare(d, p)
	for _, query := range l.hot {
		p.warm(query)
	}
	l.compare(d, p)
	l.t.Logf("%.0f hits, %.0f misses, %.0f joined; %.0f stored, %.0f refused, %.0f of them behind",
		l.counter("weir_statements_total", "outcome", "hit"), l.counter("weir_statements_total", "outcome", "miss"),
		l.counter("weir_statements_total", "outcome", "joined"), l.counter("weir_cache_stores_total", "", ""),
		l.counter("weir_cache_stores_refused_total", "", ""), l.counter("weir_cache_stores_refused_total", "reason", "snapshot_behind"))
}

func (l *load) compare(d, p *client) {
	l.t.Helper()
	for _, query := range append(l.hot, clockQuery) {
		if got, want := p.ask(query), d.ask(query); got != want {
			l.t.Errorf("%s: Weir answers %q, the source %q", query, got, want)
		}
	}
}
