package daemon

import (
	"fmt"
	"math/rand/v2"
)

// round is what is played on one schema. It is made from the seed and the number, whatever becomes of its statements.
type round struct {
	number int
	image  string // of the session that writes
	format string // of the session that logs texts
	names  string // the character set of those who ask
	racing bool
	schema []string
	// queries are kept cached; spare ones take the places of those that cannot be.
	queries, spare []bruteQuery
	steps          []bruteStep
	fresh          []bruteQuery // one for each step, if it is racing
}

// bruteQuery is a query as it is asked in a round.
type bruteQuery struct {
	query
	ordered bool
	bound   bool // prepared, with parameters
}

func (q bruteQuery) String() string {
	if q.bound {
		return fmt.Sprintf("%s with %v (%s)", q.prepared, q.params, q.sql)
	}
	return q.sql
}

// round makes the round of a number. Its parts have seeds of their own, so that one may change without the others.
func (b *brute) round(number, steps int) round {
	part := func(i uint64) *rand.Rand { return rand.New(rand.NewPCG(*bruteSeed, uint64(number)<<2|i)) }
	m := &bruteMaker{maker: &maker{Rand: part(0), flavor: b.flavor}, kinds: bruteKinds(b.flavor), dir: b.dir}
	images := rowImages(b.flavor)
	r := round{number: number, image: images[(number-1)%len(images)], format: m.one("STATEMENT", "MIXED"), names: m.one("utf8mb4", "utf8mb4", "utf8mb4 COLLATE utf8mb4_bin", "utf8mb4 COLLATE utf8mb4_general_ci", "latin1"), racing: number%3 == 0, schema: m.schema()}
	m.Rand = part(1)
	for range *bruteQueries {
		r.queries, r.spare = append(r.queries, m.question()), append(r.spare, m.question())
	}
	for range steps {
		r.fresh = append(r.fresh, m.question())
	}
	m.Rand = part(2)
	for range steps {
		r.steps = append(r.steps, m.step())
	}
	return r
}

// question makes a query of any shape.
func (m *bruteMaker) question() bruteQuery {
	s := bruteShapes[m.IntN(len(bruteShapes))]
	m.values = nil
	q := bruteQuery{query: m.spell(s.name, s.make(m)), ordered: s.ordered}
	q.bound = m.IntN(3) == 0
	return q
}
