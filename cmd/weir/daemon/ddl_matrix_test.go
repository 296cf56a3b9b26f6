package daemon

import (
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

// ddlAtLeast is how many statements there must be for each flavour.
const ddlAtLeast = 120

// ddlFaultsAtMost is when the matrix gives up.
const ddlFaultsAtMost = 100

// ddlOptions: with a smaller cache of definitions than there are tables, MySQL fails now and then to prepare again what reads a
// view (error 1615).
var ddlOptions = []string{"--max-connections=1000", "--innodb-lock-wait-timeout=2", "--table-definition-cache=2000"}

// TestDDLMatrix runs every statement of testdata/ddl at the source, over tables whose results are cached, and compares
// what Weir answers with what the server does, byte for byte but for [planFlags]:
//
//  1. as soon as the ledger has recorded the statement, while the catalogue may be on its way to read it;
//  2. when the catalogue has read it;
//  3. after rows have been changed;
//  4. at the end, when a writer that has changed all these tables all the time, and readers that have asked through Weir
//     meanwhile, stand still; and five seconds later: what a fill brings back that lost its race shows only then.
//
// A statement of class none leaves every answer cached, and some of the others those about other tables, see
// [ddlCase.leaves]. One that says it changes answers must have changed one, or it would prove nothing.
func TestDDLMatrix(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: ddlOptions})
		m := &ddlMatrix{world: w, t: t, ddl: w.atServer("")}
		cases := ddlCases(t, flavor)
		if len(cases) < ddlAtLeast {
			t.Errorf("there are %d statements, want %d at least", len(cases), ddlAtLeast)
		}
		for _, c := range cases {
			m.setUp(c)
		}
		w.start(unhurried)
		w.complete()
		stop := m.background()
		defer stop()
		for _, c := range cases {
			m.play(c)
		}
		stop()
		m.finally()
		t.Logf("%d statements: %s", len(cases), perClass(cases))
	})
}

// ddlMatrix plays the cases one after the other.
type ddlMatrix struct {
	*world
	t    *testing.T
	ddl  *dialogue // at the server, for the statements themselves
	done []*playedDDL

	faults int

	// traffic is held shared by the readers and the writer for each statement of theirs, and alone by whoever counts
	// hits or wants the tables to stand still.
	traffic sync.RWMutex
	current *ddlCase // which they take, too
}

// playedDDL is a case with its connections.
type playedDDL struct {
	*ddlCase
	server, weir *dialogue
	held         [][2]uint32 // statements prepared before: at the server and through Weir
}

func (m *ddlMatrix) setUp(c *ddlCase) {
	m.t.Helper()
	for _, sql := range c.setUp() {
		if r := m.ddl.query(c.in(sql)); r.kind == wire.KindError {
			m.t.Fatalf("%s: %s: %s", c.where, c.in(sql), r)
		}
	}
}

func (m *ddlMatrix) play(c *ddlCase) {
	m.t.Helper()
	p := &playedDDL{ddlCase: c, server: m.atServer(c.schema), weir: m.throughWeir(c.schema)}
	p.prepare()
	before := m.warm(p)
	m.run(p)
	m.check(p, before)
}

// check compares after the statement, while nobody else is at work.
func (m *ddlMatrix) check(p *playedDDL, before []reply) {
	m.t.Helper()
	m.traffic.Lock()
	defer m.traffic.Unlock() // also if it ends the test: the readers wait for it
	m.expectChange(p, before, m.compareHits(p, "at once"))
	m.caughtUp()
	m.compare(p, "with the catalogue read")
	m.write(p)
	m.caughtUp()
	m.compare(p, "after a write")
	m.done = append(m.done, p)
}

// warm asks until everything is a hit that is no error, and returns what the server answers.
func (m *ddlMatrix) warm(p *playedDDL) (answers []reply) {
	m.t.Helper()
	m.traffic.Lock()
	defer m.traffic.Unlock()
	able := 0
	for _, a := range p.asks() {
		want := a.ask(p.server)
		answers = append(answers, want)
		if want.kind != wire.KindError {
			able++
		}
	}
	m.eventually("all queries of the case at "+p.where+" are hits", func() bool {
		before := m.hits()
		for i, a := range p.asks() {
			if diff := difference(withoutPlanFlags(answers[i]), withoutPlanFlags(a.ask(p.weir))); diff != "" {
				m.t.Fatalf("%s: before %s: %s: %s", p.where, p.in(p.sql), a.sql, diff)
			}
		}
		return m.hits() == before+float64(able)
	})
	return answers
}

// run runs the statement, with traffic on the very tables unless they must stay as they are.
func (m *ddlMatrix) run(p *playedDDL) {
	m.t.Helper()
	m.traffic.Lock()
	m.current = p.ddlCase
	m.traffic.Unlock()
	m.ddl.query("USE " + p.schema)
	r := m.ddl.query(p.in(p.sql))
	m.traffic.Lock()
	defer m.traffic.Unlock()
	m.current = nil
	if r.kind == wire.KindError {
		m.fault("%s: %s: %s", p.where, p.in(p.sql), r)
	}
	at, err := m.weir.source.Position(m.t.Context())
	m.must(err)
	m.must(m.weir.ledger.WaitHead(m.t.Context(), at.Seq))
}

func (m *ddlMatrix) hits() float64 { return m.counter("weir_statements_total", "outcome", "hit") }

// write changes rows, where there still are any.
func (m *ddlMatrix) write(p *playedDDL) {
	for _, sql := range p.group.writes {
		p.server.query(p.in(sql))
	}
	for _, sql := range p.after {
		if r := m.ddl.query(p.in(sql)); r.kind == wire.KindError {
			m.fault("%s: %s: %s", p.where, p.in(sql), r)
		}
	}
}

// fault reports one, and ends the test when there is no sense in going on.
func (m *ddlMatrix) fault(format string, args ...any) {
	m.t.Helper()
	m.t.Errorf(format, args...)
	if m.faults++; m.faults == ddlFaultsAtMost {
		m.t.Fatal("there are too many faults")
	}
}

// finally compares everything once all stands still, and again five seconds later.
func (m *ddlMatrix) finally() {
	m.t.Helper()
	m.caughtUp()
	for _, p := range m.done {
		m.compare(p, "in the end")
	}
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	for _, p := range m.done {
		m.compare(p, "five seconds after the end")
	}
}
