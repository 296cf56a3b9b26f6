package daemon

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/proxy/wire"
)

// herd is many clients that ask the same at the same moment. The network between Weir and the server keeps the answers
// until the test has everybody where it wants them.
type herd struct {
	*world
	network *relay
	d       *client
	clients []*client
	answers chan answer
}

const (
	herdSize = 50
	// herdQuery is a join that no key helps with, so that the server counts how often it runs.
	herdQuery = "SELECT COUNT(*) FROM shop.t a, shop.t b WHERE a.v <> b.v"
	herdRight = answer("COUNT(*)\n2\n")
)

func newHerd(t *testing.T, flavor sandbox.Flavor) *herd {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	network := newRelay(t, w.source.Addr())
	w.start(func(c *Config) { c.Backends = []Backend{{Addr: network.addr()}} })
	d, p := w.shop()
	p.warm(one) // connections and samples are there
	h := &herd{world: w, network: network, d: d, answers: make(chan answer, herdSize+1)}
	for range herdSize {
		h.clients = append(h.clients, w.proxy("app", "shop"))
	}
	return h
}

// ask lets everybody ask, and returns when n sessions wait for what another one reads.
func (h *herd) ask(n int) {
	h.t.Helper()
	for _, c := range h.clients {
		go func() { h.answers <- c.ask(herdQuery) }()
	}
	h.eventually("they wait for the read under way", func() bool { return waiting() == n })
}

// waiting counts the sessions that have joined a read, in this process.
func waiting() int {
	stacks := make([]byte, 16<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "weir/cache.(*Flight).Wait(")
}

// right takes everybody's answer, which must be the wanted one.
func (h *herd) right(want answer) {
	h.t.Helper()
	for range h.clients {
		if a := <-h.answers; a != want {
			h.t.Errorf("one of the herd gets %q, want %q", a, want)
		}
	}
}

// leads asks from a connection of its own and returns when the server has read the rows.
func (h *herd) leads(c *raw) {
	h.t.Helper()
	before := h.executions()
	c.write(0, wire.ComQuery, herdQuery)
	h.eventually("the server runs the join", func() bool { return h.executions() > before })
}

func (h *herd) login() *raw {
	h.t.Helper()
	return (&clientWorld{world: h.world}).login(h.t)
}

// executions counts how often the server has run joins that no key helps with.
func (h *herd) executions() int {
	h.t.Helper()
	_, row, _ := strings.Cut(string(h.d.ask("SHOW GLOBAL STATUS LIKE 'Select_full_join'")), "\n")
	_, value, _ := strings.Cut(strings.TrimSpace(row), "|")
	n, err := strconv.Atoi(value)
	h.must(err)
	return n
}

// oneByOne runs f for each flavor, not at once: who waits is counted in the whole process.
func oneByOne(t *testing.T, f func(*testing.T, *herd)) {
	for _, flavor := range []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB} {
		t.Run(string(flavor), func(t *testing.T) { f(t, newHerd(t, flavor)) })
	}
}

// Fifty clients miss at once, the one that reads hangs up in the middle, and one that waits does, too: the server runs
// the statement once, and everybody else gets the answer.
func TestHerdReadsOnce(t *testing.T) {
	oneByOne(t, func(t *testing.T, h *herd) {
		before := h.executions()
		h.d.run(herdQuery)
		if h.executions() != before+1 {
			t.Fatal("the server does not count the join; the test shows nothing")
		}
		leader, joiner := h.login(), h.login()
		h.network.holdAnswers()
		h.leads(leader)
		joiner.write(0, wire.ComQuery, herdQuery)
		h.ask(herdSize + 1)
		leader.conn.Close()
		joiner.conn.Close()
		h.network.pass()
		h.right(herdRight)
		if got := h.counter("weir_cache_joined_total", "", ""); got < herdSize {
			t.Errorf("%.0f clients joined, want %d", got, herdSize)
		}
		if got := h.executions() - before; got != 2 {
			t.Errorf("the server ran the join %d times, want 2: once for the test, once for the herd", got)
		}
		h.clients[0].warm(herdQuery)
	})
}

// The connection to the server breaks while everybody waits: the read is done once more, and nobody gets an error.
func TestHerdOutlivesAConnection(t *testing.T) {
	oneByOne(t, func(t *testing.T, h *herd) {
		leader := h.login()
		h.network.holdAnswers()
		h.leads(leader)
		h.ask(herdSize)
		h.network.cut()
		h.network.pass()
		h.right(herdRight)
		if got := outcome(leader.read()); got != "1 columns" {
			t.Errorf("the client that reads gets %s", got)
		}
	})
}

// A change comes while the old answer is on its way. Those who ask after it do not get what the one before it gets: the
// first of them reads for itself, and the others wait for that.
func TestHerdAfterAChange(t *testing.T) {
	oneByOne(t, func(t *testing.T, h *herd) {
		h.clients[0].warm("SELECT v FROM shop.t WHERE id = 2") // the next read needs no sample
		leader := h.login()
		h.network.holdAnswers()
		h.leads(leader)
		h.d.run("UPDATE shop.t SET v = 'other' WHERE id = 1")
		h.complete()
		h.ask(herdSize - 1)
		h.network.pass()
		h.right("COUNT(*)\n0\n")
		h.clients[0].warm(herdQuery)
		if got := h.clients[0].ask(herdQuery); got != "COUNT(*)\n0\n" {
			t.Errorf("what became a hit is %q", got)
		}
	})
}
