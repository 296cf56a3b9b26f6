package gtid

import (
	"testing"
)

var (
	uuidA = [16]byte{0x3e, 0x11, 0xfa, 0x47, 0x71, 0xca, 0x11, 0xe1, 0x9e, 0x33, 0xc8, 0x0a, 0xa9, 0x42, 0x95, 0x62}
	uuidB = [16]byte{0x8f, 0xc3, 0x82, 0x00, 0xec, 0xfd, 0x11, 0xf1, 0x87, 0x25, 0x02, 0xfc, 0x00, 0x00, 0x00, 0x01}
)

const (
	textA = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
	textB = "8fc38200-ecfd-11f1-8725-02fc00000001"
)

func TestGTIDString(t *testing.T) {
	for _, tt := range []struct {
		gtid GTID
		want string
	}{
		{GTID{}, ""},
		{OfMySQL(uuidA, "", 7), textA + ":7"},
		{OfMySQL(uuidB, "Foo_1", 1), textB + ":foo_1:1"},
		{OfMySQL([16]byte{}, "", 1), "00000000-0000-0000-0000-000000000000:1"},
		{OfMariaDB(0, 1, 100), "0-1-100"},
		{OfMariaDB(4294967295, 2, 18446744073709551615), "4294967295-2-18446744073709551615"},
	} {
		if got := tt.gtid.String(); got != tt.want {
			t.Errorf("%#v prints as %q, want %q", tt.gtid, got, tt.want)
		}
	}
}

func TestZeroGTID(t *testing.T) {
	for _, g := range []GTID{{}, OfMySQL(uuidA, "tag", 0), OfMySQL(uuidA, "", -1), OfMariaDB(1, 2, 0)} {
		if !g.IsZero() {
			t.Errorf("%#v is not zero", g)
		}
	}
	for _, g := range []GTID{OfMySQL([16]byte{}, "", 1), OfMariaDB(0, 0, 1)} {
		if g.IsZero() {
			t.Errorf("%v is zero", g)
		}
	}
}

// A UUID of zeros is one that MySQL accepts for gtid_next. It must not be taken for MariaDB's.
func TestFlavorsAreDistinct(t *testing.T) {
	my, maria := OfMySQL([16]byte{}, "", 5), OfMariaDB(0, 0, 5)
	if my == maria {
		t.Error("a MySQL and a MariaDB transaction are the same")
	}
	set := mustParse(t, MariaDB, "0-1-9")
	if set.Contains(my) {
		t.Error("a MariaDB position contains a MySQL transaction")
	}
	set.Add(my)
	set.Union(mustParse(t, MySQL, textA+":1-3"))
	if got := set.String(); got != "0-1-9" {
		t.Errorf("after adding MySQL's the position is %q", got)
	}
	if set.Covers(mustParse(t, MySQL, textA+":1")) {
		t.Error("a MariaDB position covers a MySQL set")
	}
	if !set.Covers(New(MySQL)) {
		t.Error("a set does not cover an empty one")
	}
}

func mustParse(t testing.TB, flavor Flavor, text string) *Set {
	t.Helper()
	s, err := Parse(flavor, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
