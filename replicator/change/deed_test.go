package change

import (
	"fmt"
	"testing"

	"weir/cache/dep"
)

func TestDeeds(t *testing.T) {
	var tx Transaction
	a, b := dep.Fold("shop", "a"), dep.Fold("shop", "b")
	tx.Did(a, Insert, 2)
	tx.Did(b, Rows, 0)
	tx.Did(a, Update|Cascade, 1)
	if len(tx.Deeds) != 2 || tx.Deeds[0] != (Deed{a, Insert | Update | Cascade, 3}) || tx.Deeds[0].Verb.String() != "insert+update+cascade" {
		t.Errorf("%+v", tx.Deeds)
	}
	for i := range 100 {
		tx.Did(dep.Fold("shop", fmt.Sprint(i)), DDL, 0)
	}
	tx.Did(a, Delete, 1)
	if len(tx.Deeds) != MaxDeeds || tx.Deeds[0].Rows != 4 {
		t.Errorf("%d deeds, the first %+v", len(tx.Deeds), tx.Deeds[0])
	}
	for v, want := range map[Verb]string{0: "", DDL: "ddl", InText: "statement", Delete | Rows: "delete+rows"} {
		if v.String() != want {
			t.Errorf("%d is %q, want %q", v, v, want)
		}
	}
}
