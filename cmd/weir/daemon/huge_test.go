package daemon

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

const (
	// hugeRows rows of hugeRow bytes are changed by one statement: 128 MiB of row images, before and after.
	hugeRows = 1 << 17
	hugeRow  = 500
	// hugeHeap is by how much the heap may grow meanwhile.
	hugeHeap = 64 << 20
)

// One statement changes 131,072 rows of a table that results depend on by row, by range and by column. Its 128 MiB of
// row images go through Weir a few at a time; another table is answered from the cache all the while.
func TestPitfall17HugeTransaction(t *testing.T) {
	sandboxtest.EachAlone(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.start(func(c *Config) { c.MaxStaleness = Duration(15 * time.Second) }) // or hits would depend on how fast the machine is
		d, p := w.shop()
		p2 := w.proxy("app", "shop")
		d.run(fmt.Sprintf("CREATE TABLE huge (id INT PRIMARY KEY, k INT, v VARCHAR(%d)) CHARACTER SET latin1 ENGINE=InnoDB", hugeRow))
		d.run(fmt.Sprintf("INSERT INTO huge VALUES (1, 1, REPEAT('x', %d))", hugeRow))
		for n := 1; n < hugeRows; n *= 2 {
			d.run(fmt.Sprintf("INSERT INTO huge SELECT id + %d, k, v FROM huge", n))
		}
		w.complete()
		queries := []string{
			"SELECT k FROM huge WHERE id = 77", "SELECT COUNT(*) FROM huge WHERE id BETWEEN 100 AND 130 AND k = 1", "SELECT SUM(k) FROM huge", "SELECT k FROM huge WHERE id IN (5, 131072)",
		}
		for range 2 { // what is filled first may depend on the whole table
			for _, q := range queries {
				p.warm(q)
			}
			d.run("UPDATE huge SET k = k + 1 WHERE id IN (5, 77, 101)")
			w.complete()
		}
		p.warm(one)
		grown, asked, hits := w.whileHuge(t, p2, func() {
			d.run("UPDATE huge SET k = k + 1")
			w.complete()
		})
		w.same(d, p, "after the change", queries)
		t.Logf("the heap grew by %d MiB; %d questions about another table, %d hits", grown>>20, asked, hits)
		if grown > hugeHeap {
			t.Errorf("the heap grew by %d MiB", grown>>20)
		}
		if hits < asked {
			t.Errorf("%d of %d answers about another table were no hits", asked-hits, asked)
		}
	})
}

// whileHuge runs f, asks about another table meanwhile, and looks at the heap.
func (w *world) whileHuge(t *testing.T, p *client, f func()) (grown int64, asked, hits int) {
	t.Helper()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	hit := w.counter("weir_statements_total", "outcome", "hit")
	stop := make(chan struct{})
	var all sync.WaitGroup
	until(t, &all, stop, func() error {
		if asked++; asked%100 == 0 {
			runtime.ReadMemStats(&now)
			grown = max(grown, int64(now.HeapInuse)-int64(before.HeapInuse))
		}
		return equal(p.ask(one), "v\nold\n")
	})
	f()
	close(stop)
	all.Wait()
	return grown, asked, int(w.counter("weir_statements_total", "outcome", "hit") - hit)
}
