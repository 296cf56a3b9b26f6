package pace

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache/dep"
)

// TestState: the oldest gate comes first, and the names in JSON are a contract.
func TestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGates(narrow())
		g.Refill(orders)
		<-time.After(time.Second)
		g.Hold(items)
		g.Hold(dep.Fold("shop", "carts"))
		all := enterMany(t.Context(), g, 3, orders)
		got, err := json.Marshal(g.State())
		if err != nil {
			t.Fatal(err)
		}
		const want = `[` +
			`{"table":"shop.orders","phase":"refill","limit":2,"inside":2,"waiting":1,"since":"2000-01-01T00:00:00Z","peak":2,"entered":2,"waited":1},` +
			`{"table":"shop.carts","phase":"ddl","limit":2,"inside":0,"waiting":0,"since":"2000-01-01T00:00:01Z"},` +
			`{"table":"shop.items","phase":"ddl","limit":2,"inside":0,"waiting":0,"since":"2000-01-01T00:00:01Z"}]`
		if string(got) != want {
			t.Errorf("State is\n%s, want\n%s", got, want)
		}
		drain(t, all)
	})
}
