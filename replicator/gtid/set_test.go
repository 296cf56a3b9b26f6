package gtid

import "testing"

func TestContains(t *testing.T) {
	my := mustParse(t, MySQL, textA+":2-5:8:tag:1-2,"+textB+":1")
	maria := mustParse(t, MariaDB, "0-1-100,7-3-2")
	for _, tt := range []struct {
		set  *Set
		gtid GTID
		want bool
	}{
		{my, OfMySQL(uuidA, "", 1), false},
		{my, OfMySQL(uuidA, "", 2), true},
		{my, OfMySQL(uuidA, "", 5), true},
		{my, OfMySQL(uuidA, "", 6), false},
		{my, OfMySQL(uuidA, "", 8), true},
		{my, OfMySQL(uuidA, "", 9), false},
		{my, OfMySQL(uuidA, "tag", 1), true},
		{my, OfMySQL(uuidA, "TAG", 2), true},
		{my, OfMySQL(uuidA, "tag", 3), false},
		{my, OfMySQL(uuidA, "other", 1), false},
		{my, OfMySQL(uuidB, "", 1), true},
		{my, OfMySQL(uuidB, "tag", 1), false},
		{my, GTID{}, false},
		{New(MySQL), OfMySQL(uuidA, "", 1), false},
		{maria, OfMariaDB(0, 1, 100), true},
		{maria, OfMariaDB(0, 1, 101), false},
		{maria, OfMariaDB(0, 9, 1), true}, // another server of the same domain
		{maria, OfMariaDB(7, 3, 2), true},
		{maria, OfMariaDB(7, 3, 3), false},
		{maria, OfMariaDB(1, 1, 1), false},
		{maria, GTID{}, false},
	} {
		if got := tt.set.Contains(tt.gtid); got != tt.want {
			t.Errorf("%v contains %v: %v", tt.set, tt.gtid, got)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		flavor Flavor
		a, b   string
		want   bool
	}{
		{MySQL, "", "", true},
		{MySQL, "", textA + ":1", false},
		{MySQL, textA + ":1-5", textA + ":1-5", true},
		{MySQL, textA + ":1-5", textA + ":2:4", true},
		{MySQL, textA + ":1-3:5", textA + ":3-5", false},
		{MySQL, textA + ":1-5", textA + ":5-6", false},
		{MySQL, textA + ":1-5", textA + ":tag:1", false},
		{MySQL, textA + ":1-5", textB + ":1", false},
		{MySQL, textA + ":1-5," + textB + ":1-2", textB + ":2", true},
		{MariaDB, "0-1-5", "0-2-5", true},
		{MariaDB, "0-1-5", "0-1-6", false},
		{MariaDB, "0-1-5", "1-1-1", false},
		{MariaDB, "0-1-5,1-1-1", "1-1-1", true},
		{MariaDB, "0-1-5", "1-1-0", true},
	} {
		a, b := mustParse(t, tt.flavor, tt.a), mustParse(t, tt.flavor, tt.b)
		if got := a.Covers(b); got != tt.want {
			t.Errorf("%q covers %q: %v", a, b, got)
		}
	}
}

// Two replicas can each have what the other lacks: neither is before the other.
func TestSetsAreAPartialOrder(t *testing.T) {
	a, b := mustParse(t, MySQL, textA+":1-5:7"), mustParse(t, MySQL, textA+":1-6")
	if a.Covers(b) || b.Covers(a) {
		t.Errorf("one of %q and %q covers the other", a, b)
	}
	both := a.Clone()
	both.Union(b)
	if !both.Covers(a) || !both.Covers(b) {
		t.Errorf("the union %q does not cover its parts", both)
	}
}

func TestAdd(t *testing.T) {
	for _, tt := range []struct {
		set  *Set
		gtid GTID
		want string
	}{
		{New(MySQL), OfMySQL(uuidA, "", 3), textA + ":3"},
		{mustParse(t, MySQL, textA+":1-2:4"), OfMySQL(uuidA, "", 3), textA + ":1-4"},
		{mustParse(t, MySQL, textA+":1-2"), OfMySQL(uuidA, "", 3), textA + ":1-3"},
		{mustParse(t, MySQL, textA+":1-2"), OfMySQL(uuidA, "", 4), textA + ":1-2:4"},
		{mustParse(t, MySQL, textA+":3-4"), OfMySQL(uuidA, "", 2), textA + ":2-4"},
		{mustParse(t, MySQL, textA+":3-4"), OfMySQL(uuidA, "", 1), textA + ":1:3-4"},
		{mustParse(t, MySQL, textA+":3-4"), OfMySQL(uuidA, "tag", 1), textA + ":3-4:tag:1"},
		{mustParse(t, MySQL, textA+":3-4"), OfMySQL(uuidA, "", 4), textA + ":3-4"},
		{mustParse(t, MySQL, textA+":3-4"), GTID{}, textA + ":3-4"},
		{New(MariaDB), OfMariaDB(0, 1, 7), "0-1-7"},
		{mustParse(t, MariaDB, "0-1-7"), OfMariaDB(0, 2, 8), "0-2-8"},
		{mustParse(t, MariaDB, "0-1-7"), OfMariaDB(0, 2, 6), "0-1-7"},
		{mustParse(t, MariaDB, "0-1-7"), OfMariaDB(5, 1, 1), "0-1-7,5-1-1"},
	} {
		before := tt.set.String()
		tt.set.Add(tt.gtid)
		if got := tt.set.String(); got != tt.want {
			t.Errorf("%q with %v is %q, want %q", before, tt.gtid, got, tt.want)
		}
	}
}

func TestUnion(t *testing.T) {
	for _, tt := range []struct {
		flavor     Flavor
		a, b, want string
	}{
		{MySQL, "", textA + ":1", textA + ":1"},
		{MySQL, textA + ":1-3:9", textA + ":2-5:7-8", textA + ":1-5:7-9"},
		{MySQL, textA + ":1", textB + ":tag:1", textA + ":1," + textB + ":tag:1"},
		{MariaDB, "0-1-5,1-1-9", "0-2-7,2-1-1", "0-2-7,1-1-9,2-1-1"},
	} {
		s := mustParse(t, tt.flavor, tt.a)
		s.Union(mustParse(t, tt.flavor, tt.b))
		if got := s.String(); got != tt.want {
			t.Errorf("%q and %q is %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestCloneIsIndependent(t *testing.T) {
	s := mustParse(t, MySQL, textA+":1-3:5")
	c := s.Clone()
	c.Add(OfMySQL(uuidA, "", 4))
	c.Add(OfMySQL(uuidB, "", 1))
	if got := s.String(); got != textA+":1-3:5" {
		t.Errorf("changing the clone changed the set to %q", got)
	}
	if got := c.String(); got != textA+":1-5,"+textB+":1" {
		t.Errorf("the clone is %q", got)
	}
}
