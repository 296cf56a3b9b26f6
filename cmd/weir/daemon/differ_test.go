package daemon

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

var (
	differStatements = flag.Int("differ", 2400, "how many statements TestDiffer makes for each flavor")
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

// differWorld is a server with the schema and a Weir that keeps results of any size in it.
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
		all := shapes()
		m := newMaker(flavor, *differSeed)
		for _, s := range all {
			newDiffer(t, w).shape(m, s, *differStatements/len(all))
		}
		w.stop()
		w.start(func(c *Config) { c.Writes = "source" })
		for _, s := range sourceShapes {
			newDiffer(t, w).shape(m, s, *differStatements/len(all))
		}
	})
}

// binaryKept: answers of prepared statements are cached.
const binaryKept = true

// form is a way to ask.
type form struct {
	name string
	ask  func(*dialogue, query) []reply
	has  func(query) bool
	kept bool // whether Weir keeps such answers
}

var forms = []form{
	{"text", func(d *dialogue, q query) []reply { return []reply{d.query(q.sql)} }, func(query) bool { return true }, true},
	{"prepared", func(d *dialogue, q query) []reply { return d.oneOff(q.sql) }, func(query) bool { return true }, binaryKept},
	{"parameters", func(d *dialogue, q query) []reply { return d.oneOff(q.prepared, q.params...) }, func(q query) bool { return len(q.params) > 0 }, binaryKept},
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
		} else if os.Getenv("DBG") != "" {
			d.t.Logf("UNABLE %s %q %v %s", s.name, a.text(f), a.replies, d.why())
		}
	}
	d.t.Logf("SUM\t%s\t%s\t%d\t%d\t%d", s.name, f.name, len(asked), able, hits)
	d.t.Logf("%s, %s: %d statements, %d without error and warning, %d hits", s.name, f.name, len(asked), able, hits)
	if f.kept && hits*100 < able*s.hits || hits > len(asked) {
		d.t.Errorf("%s, %s: %d hits in %d statements that have rows and no warnings, at least %d%% are wanted", s.name, f.name, hits, able, s.hits)
		d.explain(f, asked)
	}
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
			for range 3 {
				for _, c := range []*dialogue{d.server, d.filler, d.hitter, d.atServer("differ")} {
					r := f.ask(c, w.query)
					d.t.Logf("again %s: %q", c.name, r[len(r)-1].rows())
				}
			}
			d.t.Log(d.server.query("SELECT * FROM item").cells())
		}
		if d.faults > 20 {
			d.t.Fatal("that is enough")
		}
	}
}

func (e exchange) text(f form) string {
	if f.name == "parameters" {
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

// explain says which statements are no hits.
func (d *differ) explain(f form, asked []exchange) {
	d.t.Helper()
	said := 0
	for _, a := range asked {
		if !a.able() || said == 5 {
			continue
		}
		counters, before := d.counters(), d.hits()
		f.ask(d.hitter, a.query)
		if d.hits() == before {
			said++
			d.t.Logf("no hit (%q; state %+v): %q\nbefore %s\nafter  %s", d.weir.notReady(), d.weir.reader.State(), a.text(f), counters, d.counters())
		}
	}
}

func (d *differ) why() string { return d.server.query("SHOW WARNINGS LIMIT 1").cells() }
