package daemon

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
)

// bound is max_staleness in these tests: the default.
const bound = time.Second

// say picks the flavor's wording.
func (w *world) say(mysql, mariadb string) string {
	if w.flavor == sandbox.MariaDB {
		return mariadb
	}
	return mysql
}

// behind starts a source with the table shop.t, and a Weir that follows it through a network with faults. Reads go
// through it, too, if all is true.
func behind(t testing.TB, flavor sandbox.Flavor, all bool) (*world, *relay) {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	network := newRelay(t, w.source.Addr())
	w.start(func(c *Config) {
		c.Source.Addr = network.addr()
		if !all {
			c.Backends = []Backend{{Addr: w.source.Addr()}}
		}
	})
	return w, network
}

// rightAfter asks for as long as it takes to see ten answers to a question that was put more than max_staleness after
// the moment since: each must be the wanted one. It reports whether one of those was a hit.
func (c *client) rightAfter(since time.Time, query string, want answer) (hits int) {
	c.world.t.Helper()
	for seen := 0; seen < 10; {
		asked := time.Now()
		got, hit := c.asked(query)
		if !asked.After(since.Add(bound)) {
			continue
		}
		if seen++; got != want {
			c.world.t.Errorf("%s after the change, %s answers %q; want %q (hit: %v)", asked.Sub(since), query, got, want, hit)
			return hits
		}
		if hit {
			hits++
		}
	}
	return hits
}

// complete returns when the ledger is complete as of a moment after the call, through whatever faults.
func (w *world) complete() {
	w.t.Helper()
	asked := w.weir.ledger.Now()
	w.eventually("the ledger is complete as of now", func() bool {
		at, ok := w.weir.ledger.CompleteAsOf()
		return ok && at >= asked && w.weir.notReady() == ""
	})
}

// works changes the row that the query reads, and sees to it that Weir follows, and that the answer is a hit again.
func (w *world) works(d, p *client, value string) {
	w.t.Helper()
	w.complete()
	p.warm(one)
	d.run(fmt.Sprintf("UPDATE shop.t SET v = '%s' WHERE id = 1", value))
	w.complete()
	if got := p.ask(one); got != answer("v\n"+value+"\n") {
		w.t.Errorf("after a change Weir answers %q, want %q", got, value)
	}
	p.warm(one)
	if got := p.ask(one); got != answer("v\n"+value+"\n") {
		w.t.Errorf("after a change the hit is %q, want %q", got, value)
	}
}

// clock is a row that counts up, and when each of its values was committed at the latest.
type clock struct {
	mu sync.Mutex
	at []time.Time
}

const (
	clockTable = "CREATE TABLE shop.clock (id INT PRIMARY KEY, n INT) ENGINE=InnoDB"
	clockQuery = "SELECT n FROM shop.clock WHERE id = 1"
)

// start makes the row.
func (k *clock) start(d *client) {
	d.run(clockTable)
	d.run("INSERT INTO shop.clock VALUES (1, 0)")
	k.at = []time.Time{time.Now()}
}

// tick counts up by one. It is for one goroutine.
func (k *clock) tick(d *client) error {
	k.mu.Lock()
	n := len(k.at)
	k.mu.Unlock()
	if a := d.ask(fmt.Sprintf("UPDATE shop.clock SET n = %d WHERE id = 1", n)); strings.HasPrefix(string(a), "error") {
		return fmt.Errorf("tick %d: %s", n, a)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at = append(k.at, time.Now())
	return nil
}

// least is the smallest value that an answer to a question of that moment may have, and when it was committed.
func (k *clock) least(asked time.Time) (n int, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n = len(k.at) - 1
	for n > 0 && k.at[n].After(asked.Add(-bound)) {
		n--
	}
	return n, k.at[n]
}

// check asks once, and reports an answer that is too old.
func (k *clock) check(p *client) error {
	asked := time.Now()
	got := p.ask(clockQuery)
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(got), "n\n")))
	if err != nil {
		return fmt.Errorf("%s: %q", clockQuery, got)
	}
	if least, at := k.least(asked); n < least {
		return fmt.Errorf("%s gave %d, but %d was committed %s before it was asked", clockQuery, n, least, asked.Sub(at))
	}
	return nil
}

// until runs f again and again until it is told to stop, or f fails, which is the test's failure. The test waits for it.
func until(t testing.TB, all *sync.WaitGroup, stop <-chan struct{}, f func() error) {
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := f(); err != nil {
				t.Error(err)
				return
			}
		}
	})
}
