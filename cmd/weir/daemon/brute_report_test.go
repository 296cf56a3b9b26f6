package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// brute plays rounds on one source, and counts.
type brute struct {
	*world
	t      *testing.T
	dir    string
	faults []*fault
	taken  int // steps
	shapes map[string]*shapeTally
	kinds  map[string]*kindTally
	others map[string]int
	// again plays a round until something is wrong, and says whether something is.
	again func(round) bool
	// length is the flag that says how many steps there are.
	length string
}

// shapeTally counts the queries of a shape: those made, those that cannot be cached; and answers after steps.
type shapeTally struct {
	made, uncacheable        int
	changed, unchanged, kept int
	beside, besideKept       int // of those unchanged, where one of the tables was written to
}

// outcome is what became of an answer in a step.
type outcomeOf struct{ changed, kept, beside bool }

// kindTally counts steps of a kind, and their statements that failed.
type kindTally struct{ steps, statements, failed int }

func newBrute(t *testing.T, w *world) *brute {
	b := &brute{world: w, t: t, dir: t.TempDir(), shapes: map[string]*shapeTally{}, kinds: map[string]*kindTally{}, others: map[string]int{}}
	b.again, b.length = b.fails, fmt.Sprintf("-brute %d", *bruteSteps)
	return b
}

func (g *game) count(what string, n int) {
	if g.counts {
		g.others[what] += n
	}
}

func (g *game) countShape(shape string, add func(*shapeTally)) {
	if !g.counts {
		return
	}
	t := g.shapes[shape]
	if t == nil {
		t = &shapeTally{}
		g.shapes[shape] = t
	}
	add(t)
}

func (g *game) countStep() {
	if g.counts {
		g.taken++
	}
}

func (g *game) countKind(s bruteStep, failed int) {
	if !g.counts {
		return
	}
	t := g.kinds[s.kind]
	if t == nil {
		t = &kindTally{}
		g.kinds[s.kind] = t
	}
	t.steps++
	t.statements += len(s.sql)
	t.failed += failed
}

// tallyAfter counts an answer that could be served before a step.
func (g *game) tallyAfter(q *askedQuery, o outcomeOf) {
	for _, of := range []string{q.shape, g.image} {
		g.countShape(of, func(t *shapeTally) { t.count(o) })
	}
}

func (t *shapeTally) count(o outcomeOf) {
	if o.changed {
		t.changed++
		return
	}
	t.unchanged++
	t.kept += oneIf(o.kept)
	t.beside += oneIf(o.beside)
	t.besideKept += oneIf(o.beside && o.kept)
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// report prints how precise Weir was, by shape: of the answers that a step has not changed, how many could still be
// served; and of those among them where one of the query's tables was written to, which with a table's precision is none.
func (b *brute) report() {
	var s strings.Builder
	var sum shapeTally
	fmt.Fprintf(&s, "%-24s %9s %9s %9s %9s %9s %9s\n", "shape", "changed", "unchanged", "kept", "beside", "kept", "uncached")
	for _, shape := range bruteShapes {
		if t := b.shapes[shape.name]; t != nil {
			fmt.Fprintln(&s, t.line(shape.name))
			sum.add(t)
		}
	}
	fmt.Fprintln(&s, sum.line("all"))
	for _, image := range rowImages(b.flavor) {
		if t := b.shapes[image]; t != nil {
			fmt.Fprintln(&s, t.line(image))
		}
	}
	fmt.Fprintf(&s, "\n%-32s %6s %10s %6s\n", "change", "steps", "statements", "failed")
	for _, kind := range slices.Sorted(maps.Keys(b.kinds)) {
		t := b.kinds[kind]
		fmt.Fprintf(&s, "%-32s %6d %10d %6d\n", kind, t.steps, t.statements, t.failed)
	}
	for _, what := range slices.Sorted(maps.Keys(b.others)) {
		fmt.Fprintf(&s, "%d x %s\n", b.others[what], what)
	}
	b.t.Logf("%d steps, seed %d\n%s", b.taken, *bruteSeed, s.String())
}

func (t *shapeTally) add(o *shapeTally) {
	t.made += o.made
	t.uncacheable += o.uncacheable
	t.changed += o.changed
	t.unchanged += o.unchanged
	t.kept += o.kept
	t.beside += o.beside
	t.besideKept += o.besideKept
}

func (t *shapeTally) line(name string) string {
	return fmt.Sprintf("%-24s %9d %9d %8.1f%% %9d %8.1f%% %4d/%4d", name, t.changed, t.unchanged, share(t.kept, t.unchanged), t.beside, share(t.besideKept, t.beside), t.uncacheable, t.made)
}

func share(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
