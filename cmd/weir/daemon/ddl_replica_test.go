package daemon

import (
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// shapeQueries are queries whose answers tell which shape the table shop.t has.
var shapeQueries = []string{"SELECT * FROM t ORDER BY id", "SELECT * FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2", "SELECT x FROM t ORDER BY id"}

const shapeChange = "ALTER TABLE t ADD COLUMN x INT DEFAULT 7 FIRST, MODIFY v VARCHAR(40)"

// answersAs checks that Weir answers as the server does, some times over, and that nothing of it is a hit.
func (c *client) answersAs(server *client, when string) {
	c.world.t.Helper()
	for _, q := range shapeQueries {
		for range 4 {
			got, hit := c.asked(q)
			if want := server.ask(q); got != want || hit {
				c.world.t.Errorf("%s: %s: Weir answers %q (a hit: %v), the server %q", when, q, got, hit, want)
			}
		}
	}
}

// TestPitfall16ShapeOfAReplicaThatLags changes a table while the replica that answers is stopped.
//
//  1. Answers of the old shape are cached. The replica stops.
//  2. The source changes the table, and the ledger has that.
//  3. Reads go to the replica, which answers in the old shape, as it does without Weir; with routing: fresh they go to the
//     source. A column that is only there afterwards is an error, as it is without Weir.
//  4. The replica goes on.
//
// Wrong would be: an answer of the old shape that is kept, during or afterwards.
func TestPitfall16ShapeOfAReplicaThatLags(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, _ := behindReplicas(t, flavor, 1, nil, nil)
		w.stop()
		for _, routing := range []string{"balanced", "fresh"} {
			w.start(func(c *Config) {
				c.Backends, c.MaxLag, c.Routing = []Backend{{Addr: replicas[0].Addr()}}, 0, routing
			})
			p := w.proxy("app", "shop")
			d.run("DROP TABLE t")
			d.run("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))")
			d.run("INSERT INTO t VALUES (1, 'old'), (2, 'other')")
			w.complete()
			w.must(replicas[0].CatchUp(t.Context()))
			for _, q := range shapeQueries[:3] {
				p.warm(q)
			}
			w.stopApplying(replicas[0])
			d.run(shapeChange)
			w.caughtUp()
			if routing == "balanced" {
				p.answersAs(w.connect(replicas[0].Addr(), "app", "app-secret", "shop"), "balanced, at the replica that lags")
			} else {
				w.same(d, p, "fresh, while the replica lags", shapeQueries)
			}
			w.applyAgain(replicas[0])
			w.complete()
			w.same(d, p, routing+", when the replica goes on", shapeQueries)
			for _, q := range shapeQueries {
				p.warm(q)
			}
			w.same(d, p, routing+", as hits", shapeQueries)
			time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
			w.same(d, p, routing+", five seconds later", shapeQueries)
			w.stop()
		}
	})
}

// TestPitfall16ShapeOfOneReplicaOfTwo: an answer of the replica that has applied the change is kept, one of the replica
// that has not is not.
func TestPitfall16ShapeOfOneReplicaOfTwo(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, replicas, d, p := behindReplicas(t, flavor, 2, nil, nil)
		for _, q := range shapeQueries[:3] {
			p.warm(q)
		}
		w.stopApplying(replicas[1])
		d.run(shapeChange)
		w.caughtUp()
		w.must(replicas[0].CatchUp(t.Context()))
		behind := w.connect(replicas[1].Addr(), "app", "app-secret", "shop")
		for _, q := range shapeQueries {
			lags, right := behind.ask(q), d.ask(q)
			w.eventually("it is a hit: "+q, func() bool {
				got, hit := p.asked(q)
				if got != right && (got != lags || hit) {
					t.Errorf("%s: %q (a hit: %v); the source has %q, and the replica that lags %q", q, got, hit, right, lags)
				}
				return hit
			})
		}
		w.applyAgain(replicas[1])
		w.same(d, p, "afterwards", shapeQueries)
	})
}
