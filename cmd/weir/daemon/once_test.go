package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// What MariaDB remembers of a subquery between two executions of a prepared statement is not another client's: after a
// list that was empty, it takes NULL for something that is not in a list which is not.
func TestPitfall57ExecutionsKnowNothingOfOtherClients(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := differWorld(t, flavor)
		server, weir := w.atServer("differ"), w.throughWeir("differ")
		for _, sql := range []string{
			"SELECT id FROM item WHERE kind_id NOT IN (SELECT id FROM kind WHERE id > ?) ORDER BY id",
			"SELECT id FROM v_item WHERE kind_id NOT IN (SELECT k.id FROM v_union k WHERE id > ?) ORDER BY id",
		} {
			id := weir.mustPrepare(sql)
			for _, bound := range []int64{100, 1, 200, 2, 300, 3} { // nothing is as large as the hundreds
				want := server.oneOff(sql, longlongParam(bound))[1]
				if diff := difference(want, weir.execute(id, longlongParam(bound))); diff != "" {
					t.Errorf("%s, with %d: %s", sql, bound, diff)
				}
			}
		}
	})
}
