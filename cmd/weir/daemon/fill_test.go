package daemon

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
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

// ask lets clients ask, and returns when each waits for what somebody else reads.
func (h *herd) ask(clients []*client) {
	h.t.Helper()
	before := waiting()
	for _, c := range clients {
		go func() { h.answers <- c.ask(herdQuery) }()
	}
	h.eventually("they wait for the read under way", func() bool { return waiting() == before+len(clients) })
}

// waiting counts the sessions that have joined a read, in this process.
func waiting() int {
	stacks := make([]byte, 16<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "weir/cache.(*Flight).Wait(")
}

// right takes n answers, all of which must be the wanted one.
func (h *herd) right(n int, want answer) {
	h.t.Helper()
	for range n {
		if a := <-h.answers; a != want {
			h.t.Errorf("one of the herd gets %q, want %q", a, want)
		}
	}
}

// leads asks from a connection of its own and returns when the read is under way.
func (h *herd) leads(c *raw) {
	h.t.Helper()
	before := h.counter("weir_statements_total", "outcome", "miss")
	c.write(0, wire.ComQuery, herdQuery)
	h.eventually("the read is under way", func() bool { return h.counter("weir_statements_total", "outcome", "miss") == before+1 })
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

// Fifty clients miss at once, the one that reads hangs up in the middle, and one that waits does, too: the server runs
// the statement once, and everybody else gets the answer.
func TestHerdReadsOnce(t *testing.T) {
	for _, flavor := range []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB} { // not at once: who waits is counted in the process
		t.Run(string(flavor), func(t *testing.T) { herdReadsOnce(t, flavor) })
	}
}

func herdReadsOnce(t *testing.T, flavor sandbox.Flavor) {
	h := newHerd(t, flavor)
	before := h.executions()
	h.d.run(herdQuery)
	if h.executions() != before+1 {
		t.Fatal("the server does not count the join; the test shows nothing")
	}
	w := &clientWorld{world: h.world}
	leader, joiner := w.login(t), w.login(t)
	h.network.holdAnswers()
	h.leads(leader)
	joiner.write(0, wire.ComQuery, herdQuery)
	h.ask(h.clients)
	leader.conn.Close()
	joiner.conn.Close()
	h.network.pass()
	h.right(herdSize, herdRight)
	if got := h.counter("weir_cache_joined_total", "", ""); got < herdSize {
		t.Errorf("%.0f clients joined, want %d", got, herdSize)
	}
	if got := h.executions() - before; got != 2 {
		t.Errorf("the server ran the join %d times, want 2: once for the test, once for the herd", got)
	}
	h.clients[0].warm(herdQuery)
}

// The connection to the server breaks while everybody waits: the read is done once more, and nobody gets an error.
func TestHerdOutlivesAConnection(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		h := newHerd(t, flavor)
		leader := (&clientWorld{world: h.world}).login(t)
		h.network.holdAnswers()
		h.leads(leader)
		for _, c := range h.clients {
			go func() { h.answers <- c.ask(herdQuery) }()
		}
		h.network.cut()
		h.network.pass()
		h.right(herdSize, herdRight)
		if got := outcome(leader.read()); got != "1 columns" {
			t.Errorf("the client that reads gets %s", got)
		}
	})
}

// A change comes while the old answer is on its way. Those who ask after it do not get what those before it get.
func TestHerdAfterAChange(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		h := newHerd(t, flavor)
		h.clients[0].warm("SELECT v FROM shop.t WHERE id = 2") // the next read needs no sample
		leader := (&clientWorld{world: h.world}).login(t)
		h.network.holdAnswers()
		h.leads(leader)
		h.d.run("UPDATE shop.t SET v = 'other' WHERE id = 1")
		h.complete()
		for _, c := range h.clients {
			go func() { h.answers <- c.ask(herdQuery) }()
		}
		h.network.pass()
		h.right(herdSize, "COUNT(*)\n0\n")
		h.clients[0].warm(herdQuery)
		if got := h.clients[0].ask(herdQuery); got != "COUNT(*)\n0\n" {
			t.Errorf("what became a hit is %q", got)
		}
	})
}
