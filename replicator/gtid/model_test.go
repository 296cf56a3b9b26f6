package gtid

import (
	"math/rand/v2"
	"testing"
)

// model is the set that nobody can get wrong: one entry for each transaction it has.
type model map[GTID]bool

// universes are the transactions that there are in this test.
var universes = map[Flavor][]GTID{MySQL: universe(MySQL), MariaDB: universe(MariaDB)}

// universe has few transactions, so that random operations hit the same intervals again and again.
func universe(flavor Flavor) []GTID {
	var all []GTID
	for n := range 12 {
		for part := range 4 {
			if flavor == MySQL {
				uuid := [2][16]byte{uuidA, uuidB}[part%2]
				all = append(all, OfMySQL(uuid, [2]string{"", "tag"}[part/2], int64(n+1)))
				continue
			}
			all = append(all, OfMariaDB(uint32(part%2), uint32(part/2), uint64(n+1)))
		}
	}
	return all
}

// add does to the model what Set.Add promises.
func (m model) add(flavor Flavor, g GTID) {
	for _, other := range universes[flavor] {
		if other == g || flavor == MariaDB && other.Domain == g.Domain && other.Number <= g.Number {
			m[other] = true
		}
	}
}

// covers is Covers, spelled out.
func (m model) covers(o model) bool {
	for g := range o {
		if !m[g] {
			return false
		}
	}
	return true
}

// build makes a set and its model: each byte adds a transaction.
func build(flavor Flavor, ops []byte) (*Set, model) {
	all := universes[flavor]
	s, m := New(flavor), model{}
	for _, op := range ops {
		g := all[int(op)%len(all)]
		s.Add(g)
		m.add(flavor, g)
	}
	return s, m
}

// checkAgainstModel checks two sets, made from two halves of the operations, and their union.
func checkAgainstModel(t *testing.T, flavor Flavor, ops []byte) {
	t.Helper()
	a, modelA := build(flavor, ops[:len(ops)/2])
	b, modelB := build(flavor, ops[len(ops)/2:])
	if got, want := a.Covers(b), modelA.covers(modelB); got != want {
		t.Fatalf("%q covers %q: %v", a, b, got)
	}
	union := a.Clone()
	union.Union(b)
	for _, g := range universes[flavor] {
		if a.Contains(g) != modelA[g] || b.Contains(g) != modelB[g] || union.Contains(g) != (modelA[g] || modelB[g]) {
			t.Fatalf("%v in %q: %v, in %q: %v, in their union %q: %v; models say %v and %v",
				g, a, a.Contains(g), b, b.Contains(g), union, union.Contains(g), modelA[g], modelB[g])
		}
	}
	checkRoundTrip(t, union)
}

// checkRoundTrip checks that what a set prints parses to an equal set.
func checkRoundTrip(t *testing.T, s *Set) {
	t.Helper()
	text := s.String()
	again, err := Parse(s.Flavor(), text)
	if err != nil {
		t.Fatalf("parse what was printed: %v", err)
	}
	if !again.Covers(s) || !s.Covers(again) || again.String() != text {
		t.Fatalf("%q parses to %q", text, again)
	}
}

func TestSetAgreesWithModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, flavor := range []Flavor{MySQL, MariaDB} {
		for range 1000 {
			ops := make([]byte, random.IntN(40))
			for i := range ops {
				ops[i] = byte(random.Uint32())
			}
			checkAgainstModel(t, flavor, ops)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add(true, []byte{0, 4, 8, 12, 1, 5, 40, 44})
	f.Add(false, []byte{47, 1, 2, 3, 46, 45})
	f.Fuzz(func(t *testing.T, mysql bool, ops []byte) {
		flavor := MariaDB
		if mysql {
			flavor = MySQL
		}
		checkAgainstModel(t, flavor, ops[:min(len(ops), 100)]) // more would only fill the universe
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", textA + ":1-5:7,\n" + textB + ":1:bar:1:foo_1:1-2", textA + " : 4 - 5 : Tag_ : 6",
		textA + ":9223372036854775806", "0-1-100,7-2-3", "0-1-0", "4294967295-1-18446744073709551615",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, flavor := range []Flavor{MySQL, MariaDB} {
			s, err := Parse(flavor, text)
			if err == nil {
				checkRoundTrip(t, s)
			}
		}
	})
}
