package daemon

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
)

// What OBSERVE predicts is what ON then does, with the same load: hits within one in a hundred of all reads, results that are
// stored, and what is not cacheable. The client of OBSERVE gets what the source says.
func TestObservePredictsWhatOnDoes(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.direct("app", "").run("CREATE DATABASE shop; CREATE TABLE shop.items (id INT PRIMARY KEY, v INT, grp INT, KEY (grp)); " +
			"INSERT INTO shop.items VALUES " + rowsUpTo(60))
		w.start(func(c *Config) { c.Cache.Type = string(proxy.Observe) })
		w.sameLoad()
		predicted, shown := w.weir.proxy.Observed(), w.sums()
		if hits := w.counter("weir_statements_total", "outcome", "hit"); hits != 0 || shown.hits != 0 {
			t.Errorf("%v answers came from the cache", hits)
		}
		w.stop()
		w.start(nil)
		w.sameLoad()
		got := w.sums()
		reads := got.hits + got.misses
		t.Logf("%d reads: %d hits predicted, %d were; %d stores", reads, predicted.WouldHits, got.hits, got.stores)
		if got.hits < reads/5 || got.misses < reads/6 {
			t.Errorf("%d hits and %d misses: the load shows little", got.hits, got.misses)
		}
		if math.Abs(float64(predicted.WouldHits)-float64(got.hits)) > .01*float64(reads) || predicted.Reads != reads {
			t.Errorf("predicted were %d hits of %d reads; there were %d of %d", predicted.WouldHits, predicted.Reads, got.hits, reads)
		}
		if shown.notCached != got.notCached || got.notCached == 0 {
			t.Errorf("%d were not cacheable under OBSERVE, %d are under ON", shown.notCached, got.notCached)
		}
		if st := w.weir.cache.Stats(); math.Abs(float64(st.Bytes-predicted.Bytes)) > .05*float64(st.Bytes) {
			t.Errorf("predicted were %d bytes; there are %d", predicted.Bytes, st.Bytes)
		}
	})
}

func rowsUpTo(n int) (rows string) {
	for i := range n {
		rows += fmt.Sprintf(",(%d, 0, %d)", i, i%6)
	}
	return rows[1:]
}

// sameLoad is always the same: texts and prepared statements, rows and ranges, some of them asked for more than others, and
// changes in between. It returns when all is recorded.
func (w *world) sameLoad() {
	w.t.Helper()
	text, prepared, writer := w.proxy("app", "shop"), w.proxy("app", "shop"), w.direct("app", "shop")
	prepared.prepares = true
	r := rand.New(rand.NewPCG(1, 2))
	w.caughtUp()
	for i := range 600 {
		id := int(math.Abs(r.NormFloat64()) * 12)
		if i%40 == 39 {
			writer.run(fmt.Sprintf("UPDATE items SET v = v + 1 WHERE id = %d", id%60))
			w.caughtUp()
		}
		query := fmt.Sprintf("SELECT v FROM items WHERE id = %d", id)
		switch i % 10 {
		case 0:
			query = fmt.Sprintf("SELECT SUM(v) FROM items WHERE grp = %d", id%6)
		case 1:
			query = "SELECT v, NOW() FROM items WHERE id = 1"
		}
		client := text
		if i%3 == 0 {
			client = prepared
		}
		if got := client.ask(query); i%10 != 1 && got != writer.ask(query) {
			w.t.Fatalf("%s: %s", query, got)
		}
	}
}

// summed is what all statements did.
type summed struct{ hits, misses, stores, notCached uint64 }

func (w *world) sums() (s summed) {
	for _, d := range w.weir.proxy.Digests().All() {
		s.hits, s.misses, s.stores = s.hits+d.Hits, s.misses+d.Misses, s.stores+d.Stores
		for _, n := range d.NotCached {
			s.notCached += n
		}
	}
	return s
}
