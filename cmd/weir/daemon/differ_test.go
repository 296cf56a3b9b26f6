package daemon

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

var (
	differStatements = flag.Int("differ", 2000, "how many statements TestDiffer makes for each flavor")
	differSeed       = flag.Uint64("differ.seed", 1, "what TestDiffer makes its statements from")
)

// differ asks the server and Weir the same, twice, and compares the bytes.
type differ struct {
	*world
	t *testing.T
	// server is asked directly; filler comes first through Weir, hitter second: two connections, so that what one of
	// them has filled is served to another.
	server, filler, hitter *dialogue
	faults                 int
}

func newDiffer(t *testing.T, w *world) *differ {
	return &differ{world: w, t: t, server: w.atServer("differ"), filler: w.throughWeir("differ"), hitter: w.throughWeir("differ")}
}

// differWorld is a server with the schema, and a Weir.
func differWorld(t *testing.T, flavor sandbox.Flavor) *world {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	s := w.atServer("")
	for _, sql := range differSchema(flavor, rand.New(rand.NewPCG(2, 0))) {
		s.mustQuery(sql)
	}
	w.start(unhurried)
	w.complete()
	return w
}

// unhurried: nothing is to be asked again because the machine is busy.
func unhurried(c *Config) { c.MaxStaleness = Duration(5 * time.Second) }

// What Weir answers is what the server answers, byte for byte: statements of many shapes over all types, from the server
// and from the cache, in the text protocol and in the binary one, with parameters and without.
func TestDiffer(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := differWorld(t, flavor)
		all, m := shapes(), newMaker(flavor, *differSeed)
		each := *differStatements / (len(all) + len(sourceShapes))
		for _, s := range all {
			newDiffer(t, w).shape(m, s, each)
		}
		w.stop()
		w.start(func(c *Config) { c.Writes = "source" })
		for _, s := range sourceShapes {
			newDiffer(t, w).shape(m, s, each)
		}
	})
}

// form is a way to ask.
type form struct {
	name string
	ask  func(*dialogue, query) []reply
	has  func(query) bool
}

var forms = []form{
	{"text", func(d *dialogue, q query) []reply { return []reply{d.query(q.sql)} }, func(query) bool { return true }},
	{"prepared", func(d *dialogue, q query) []reply { return d.oneOff(q.sql) }, func(query) bool { return true }},
	withParameters,
}

var withParameters = form{
	"parameters", func(d *dialogue, q query) []reply { return d.oneOff(q.prepared, q.params...) },
	func(q query) bool { return len(q.params) > 0 },
}

// oneOff prepares, executes and closes.
func (d *dialogue) oneOff(sql string, params ...param) []reply {
	d.t.Helper()
	prepared, id := d.prepare(sql)
	if prepared.kind != wire.KindPrepared {
		return []reply{prepared}
	}
	defer d.closeStatement(id)
	return []reply{prepared, d.execute(id, params...)}
}

// shape compares statements of one shape in all forms, and counts hits.
func (d *differ) shape(m *maker, s shape, n int) {
	d.t.Helper()
	queries := make([]query, n)
	for i := range queries {
		queries[i] = m.make(s)
	}
	for _, f := range forms {
		d.form(f, s, queries)
	}
}

// form compares the statements in one form: first all answers of the server, then all through Weir, then all again.
func (d *differ) form(f form, s shape, queries []query) {
	d.t.Helper()
	asked := askAll(d.server, f, queries)
	d.compare(asked, f, "the first time", askAll(d.filler, f, queries))
	before := d.hits()
	d.compare(asked, f, "the second time", askAll(d.hitter, f, queries))
	hits, able := int(d.hits()-before), 0
	for _, a := range asked {
		if a.able() {
			able++
		}
	}
	d.t.Logf("%-22s %-10s %4d statements, %4d without error and warning, %4d hits", s.name, f.name, len(asked), able, hits)
	if hits*100 < able*s.least(f) || hits > able {
		d.t.Errorf("%s, %s: %d hits in %d statements that have rows and no warnings, of which at least %d%% are wanted", s.name, f.name, hits, able, s.least(f))
		d.explain(f, asked)
	}
}

// least is how many of a hundred must be hits.
func (s shape) least(f form) int {
	if f.name == withParameters.name && slices.Contains(haveTimes, s.name) {
		return 0
	}
	return s.hits
}

// exchange is one statement and what came back.
type exchange struct {
	query
	replies []reply
}

// able reports whether the answer is one that can be kept.
func (e exchange) able() bool {
	last := e.replies[len(e.replies)-1]
	return last.kind == wire.KindResultSet && last.warnings == 0
}

func askAll(d *dialogue, f form, queries []query) (all []exchange) {
	for _, q := range queries {
		if f.has(q) {
			all = append(all, exchange{q, f.ask(d, q)})
		}
	}
	return all
}

func (d *differ) hits() float64 { return d.counter("weir_statements_total", "outcome", "hit") }

// compare fails for each answer that is not the server's.
func (d *differ) compare(want []exchange, f form, when string, got []exchange) {
	d.t.Helper()
	for i, w := range want {
		if diff := w.difference(got[i]); diff != "" {
			d.faults++
			d.t.Errorf("%s, %s, %s: %q %v\n%s", w.shape, f.name, when, w.text(f), w.params, diff)
		}
		if d.faults > 20 {
			d.t.Fatal("that is enough")
		}
	}
}

func (e exchange) text(f form) string {
	if f.name == withParameters.name {
		return e.prepared
	}
	return e.sql
}

func (e exchange) difference(got exchange) string {
	if len(e.replies) != len(got.replies) {
		return fmt.Sprintf("%v, from Weir %v", e.replies, got.replies)
	}
	for i := range e.replies {
		if diff := difference(e.replies[i], got.replies[i]); diff != "" {
			return diff
		}
	}
	return ""
}

// explain says of a few statements why they are no hits.
func (d *differ) explain(f form, asked []exchange) {
	d.t.Helper()
	for said, i := 0, 0; i < len(asked) && said < 5; i++ {
		counters, before := d.counters(), d.hits()
		f.ask(d.hitter, asked[i].query)
		if asked[i].able() && d.hits() == before {
			said++
			d.t.Logf("no hit: %q\nbefore %s\nafter  %s", asked[i].text(f), counters, d.counters())
		}
	}
}
