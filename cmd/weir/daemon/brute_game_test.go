package daemon

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/proxy/wire"
)

// game is one play of a round.
type game struct {
	*brute
	round
	writer, texter, source, weir *dialogue

	asked  []*askedQuery
	counts bool // whether what happens is counted
}

// askedQuery is a query whose answer is kept cached.
type askedQuery struct {
	bruteQuery
	atSource, atWeir uint32 // the handles, if it is prepared
	key              []byte // under which Weir stores it
	entry            *cache.Entry
	answer           string // entry's
}

// fault is an answer that Weir has given, or may give, and that is not the source's.
type fault struct {
	step      int
	query     *askedQuery
	how       string
	got, want reply
}

// begin makes the schema, and connects.
func (b *brute) begin(r round, counts bool) *game {
	g := &game{brute: b, round: r, counts: counts}
	g.texter, g.writer, g.source = b.atServer(""), b.atServer(""), b.atServer("")
	g.forgetPrepared()
	g.setUp()
	b.caughtUp()
	b.weir.cache.Clear()
	g.weir = b.throughWeir(bruteSchema)
	g.weir.mustQuery("SET NAMES " + r.names)
	return g
}

func (g *game) setUp() {
	g.texter.mustQuery("SET sql_mode = '', lock_wait_timeout = 5, NAMES utf8mb4")
	for _, sql := range g.schema {
		r := g.texter.query(sql)
		if r.kind == wire.KindError && strings.Contains(sql, "DATABASE") {
			g.t.Fatalf("%s: %s", sql, r) // nothing that follows would mean anything
		}
		if r.kind == wire.KindError && !strings.HasPrefix(sql, "INSERT") {
			g.count("cannot make: "+r.String(), 1)
		}
	}
	for _, d := range []*dialogue{g.writer, g.texter, g.source} {
		d.mustQuery("USE " + bruteSchema)
	}
	g.source.mustQuery("SET NAMES " + g.names)
	g.writer.mustQuery("SET sql_mode = '', lock_wait_timeout = 5, NAMES utf8mb4")
	for setting := range strings.SplitSeq(g.image, ", ") {
		if r := g.writer.query("SET SESSION " + setting); r.kind == wire.KindError {
			g.count("cannot set "+setting+": "+r.String(), 1)
		}
	}
	g.texter.query("SET SESSION binlog_format = '" + g.format + "'")
}

// end closes the connections, and with them what is left of transactions.
func (g *game) end() {
	for _, d := range []*dialogue{g.writer, g.texter, g.source, g.weir} {
		d.Conn.Close()
	}
}

// forgetPrepared rolls back XA transactions whose second phase was not played: they hold locks for ever.
func (g *game) forgetPrepared() {
	for line := range strings.Lines(g.texter.query("XA RECOVER").cells()) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		g.texter.query("XA ROLLBACK '" + fields[len(fields)-1] + "'")
	}
}

// faultsAtMost is when there is no sense in going on.
const faultsAtMost = 4

// play plays a round to its end. Each fault is reported with as few of the steps as show it, and its query left alone.
func (b *brute) play(r round) {
	g := b.begin(r, true)
	g.warm()
	var faults []*fault
	for i := 0; i < len(r.steps) && len(b.faults)+len(faults) < faultsAtMost; i++ {
		for _, f := range g.step(i) {
			faults = append(faults, f)
			g.drop(f.query)
		}
	}
	g.end()
	for _, f := range faults {
		g.tell(f)
	}
	b.faults = append(b.faults, faults...)
}

func (g *game) drop(q *askedQuery) {
	g.asked = slices.DeleteFunc(g.asked, func(other *askedQuery) bool { return other == q })
}

// warm gets all queries cached, twice: what was the first of its kind to be filled may depend on the whole table.
func (g *game) warm() {
	for _, q := range slices.Concat(g.queries, g.spare) {
		if len(g.asked) == len(g.queries) {
			break
		}
		a := g.open(q)
		if g.find(a) {
			g.asked = append(g.asked, a)
		}
		g.countShape(q.shape, func(t *shapeTally) {
			t.made++
			if a.key == nil {
				t.uncacheable++
			}
		})
	}
	g.brute.weir.cache.Clear()
	for _, q := range g.asked {
		g.ask(q)
	}
}

// open prepares the query on both sides, if it is to be prepared.
func (g *game) open(q bruteQuery) *askedQuery {
	a := &askedQuery{bruteQuery: q}
	if q.bound {
		_, a.atSource = g.source.prepare(q.prepared)
		_, a.atWeir = g.weir.prepare(q.prepared)
		a.bound = a.atSource != 0 && a.atWeir != 0
	}
	return a
}

// find asks until an entry has come, and learns its key from that. It is false if none comes.
func (g *game) find(a *askedQuery) bool {
	for range 3 {
		before := g.keys()
		g.ask(a)
		if g.learn(a, before) {
			return true
		}
	}
	return false
}

// learn takes the key of the query from among those that were not there before.
func (g *game) learn(a *askedQuery, before map[string]bool) bool {
	for key := range g.keys() {
		if !before[key] && bytes.Contains([]byte(key), a.sent()) {
			a.key = []byte(key)
			return true
		}
	}
	return false
}

// sent is the text that a key of the query contains.
func (a *askedQuery) sent() []byte {
	if a.bound {
		return []byte(a.prepared)
	}
	return []byte(a.sql)
}

func (g *game) keys() map[string]bool {
	keys := map[string]bool{}
	g.brute.weir.cache.Each(func(e *cache.Entry) {
		if p := e.Key()[0]; p == 't' || p == 'b' {
			keys[string(e.Key())] = true
		}
	})
	return keys
}

func (a *askedQuery) command(handle uint32) (wire.Command, []byte) {
	if a.bound {
		return wire.ComStmtExecute, executeArgs(handle, 0, a.params, true)
	}
	return wire.ComQuery, []byte(a.sql)
}

// ask asks through Weir.
func (g *game) ask(a *askedQuery) reply { return g.weir.ask(a.command(a.atWeir)) }

// truths asks the source all of them in one go. On MariaDB a statement is prepared anew each time, as Weir does it: there a
// prepared NOT IN (SELECT ...) that has met an empty list takes NULL for a match later, and the other way round.
func (g *game) truths(all []*askedQuery) map[*askedQuery]reply {
	var b []byte
	add := func(command wire.Command, args []byte) {
		b, _ = wire.AppendPacket(b, 0, wire.Payload(append([]byte{byte(command)}, args...)))
	}
	anew := func(a *askedQuery) bool { return a.bound && g.flavor == sandbox.MariaDB }
	for _, a := range all {
		if anew(a) {
			add(wire.ComStmtPrepare, []byte(a.prepared))
			add(a.command(wire.LastPrepared))
		} else {
			add(a.command(a.atSource))
		}
	}
	g.source.write(b)
	replies := map[*askedQuery]reply{}
	for _, a := range all {
		var prepared reply
		if anew(a) {
			prepared = g.source.hear(wire.ComStmtPrepare, nil)
			g.source.forget(prepared)
		}
		replies[a] = g.source.hear(a.command(a.atSource))
		if prepared.kind == wire.KindError { // and there was nothing to execute
			replies[a] = prepared
		}
	}
	return replies
}

func (d *dialogue) write(b []byte) {
	d.t.Helper()
	if _, err := d.Conn.Write(b); err != nil {
		d.t.Fatal(err)
	}
}

// forget closes the statement that was prepared with the response, if there is one.
func (d *dialogue) forget(r reply) {
	d.t.Helper()
	if r.kind == wire.KindPrepared {
		d.tell(wire.ComStmtClose, r.raw[wire.HeaderSize+1:][:4])
	}
}

// servable looks whether Weir would serve the query from the cache now, and what.
func (g *game) servable(a *askedQuery) bool {
	e := g.brute.weir.cache.Get(a.key, time.Duration(g.brute.weir.cfg.MaxStaleness))
	if e != nil && e != a.entry {
		a.entry, a.answer = e, a.canonical(reply{raw: e.Wire(), kind: wire.KindResultSet})
	}
	return e != nil
}

// canonical makes answers comparable: in which order rows come is a part of few.
func (a *askedQuery) canonical(r reply) string {
	if r.kind != wire.KindResultSet {
		what, _, _ := strings.Cut(r.String(), ": ") // MySQL names now the table and now an alias of another statement
		return what
	}
	var lines []string
	for _, row := range r.rows() {
		lines = append(lines, string(row))
	}
	if !a.ordered {
		sort.Strings(lines)
	}
	return fmt.Sprintf("%s%d rows\n%s", r.definitions(), len(lines), strings.Join(lines, "\n"))
}

// definitions are what an answer says of its columns, but for flags and lengths, which MySQL finds in the plan.
func (r reply) definitions() string {
	var b strings.Builder
	all := r.packets()
	n, _ := wire.DecodeColumnCount(all[0][wire.HeaderSize:])
	for _, packet := range all[1:min(int(n)+1, len(all))] {
		c, err := wire.DecodeColumn(packet[wire.HeaderSize:])
		fmt.Fprintln(&b, c.Schema, c.OrgTable, c.OrgName, c.Table, c.Name, c.Type, c.Collation, err)
	}
	return b.String()
}

// refillsAtMost is how many queries are asked anew in a step; it bounds what a step costs.
func refillsAtMost() int { return max(1, *bruteQueries/5) }

// step makes one change and looks at what is cached.
func (g *game) step(i int) (faults []*fault) {
	var before, after, gone []*askedQuery
	for _, q := range g.asked {
		if g.servable(q) {
			before = append(before, q)
		} else {
			gone = append(gone, q)
		}
	}
	answers, since := map[*askedQuery]string{}, g.ledger().Head()
	for _, q := range before {
		answers[q] = q.answer
	}
	began := time.Now()
	g.changeBeside(i, g.some(gone, i))
	g.caughtUp()
	if took := time.Since(began); took > time.Second {
		g.count(fmt.Sprintf("a second and more: %s (racing: %t)", g.steps[i].kind, g.racing), 1)
	}
	for _, q := range g.asked {
		if g.servable(q) {
			after = append(after, q)
		}
	}
	refills := g.some(slices.DeleteFunc(slices.Clone(g.asked), func(q *askedQuery) bool { return slices.Contains(after, q) }), i+1)
	truth := g.truths(union(g.still(before), after, refills))
	wrong := func(q *askedQuery, how string, got reply) {
		faults = append(faults, &fault{step: i, query: q, how: how, got: got, want: truth[q]})
	}
	for _, q := range after {
		if q.answer != q.canonical(truth[q]) {
			wrong(q, "it may still be served", reply{raw: q.entry.Wire(), kind: wire.KindResultSet})
		}
	}
	for _, q := range before {
		if truth[q].raw == nil { // it has made room for another
			continue
		}
		g.tallyAfter(q, outcomeOf{changed: answers[q] != q.canonical(truth[q]), kept: slices.Contains(after, q), beside: g.written(q, since)})
	}
	g.countStep()
	for _, q := range append(refills, g.some(after, i)[:min(2, len(after))]...) {
		if r := g.ask(q); q.canonical(r) != q.canonical(truth[q]) && len(faults) == 0 {
			wrong(q, "Weir has answered", r)
		}
	}
	return faults
}

// some takes a few, others at each step.
func (g *game) some(all []*askedQuery, step int) []*askedQuery {
	n := refillsAtMost()
	if len(all) <= n {
		return all
	}
	from := step * n % len(all)
	return append(slices.Clone(all[from:]), all[:from]...)[:n]
}

// still are those that are kept cached now.
func (g *game) still(all []*askedQuery) []*askedQuery {
	return slices.DeleteFunc(slices.Clone(all), func(q *askedQuery) bool { return !slices.Contains(g.asked, q) })
}

func union(lists ...[]*askedQuery) (all []*askedQuery) {
	seen := map[*askedQuery]bool{}
	for _, q := range slices.Concat(lists...) {
		if !seen[q] {
			seen[q] = true
			all = append(all, q)
		}
	}
	return all
}

// changeBeside makes a change. In a racing round, answers are filled meanwhile: those that are gone, and that to a query
// which nobody has asked before. What that depends on is watched from the middle of the change on.
func (g *game) changeBeside(i int, fill []*askedQuery) {
	if !g.racing {
		g.change(g.steps[i])
		return
	}
	before := g.keys()
	var fresh *askedQuery
	if i < len(g.fresh) {
		fresh = g.open(g.fresh[i])
		fill = append([]*askedQuery{fresh}, fill...)
	}
	var racing sync.WaitGroup
	racing.Go(func() {
		for _, q := range fill {
			g.ask(q)
		}
	})
	g.change(g.steps[i])
	racing.Wait()
	if fresh != nil && g.learn(fresh, before) {
		g.replace(fresh)
	}
}

// replace keeps one more query cached, and the oldest no longer.
func (g *game) replace(fresh *askedQuery) {
	g.asked = append(g.asked, fresh)
	if len(g.asked) > len(g.queries) {
		g.source.closeStatement(g.asked[0].atSource)
		g.asked = g.asked[1:]
	}
}

// change runs a step's statements.
func (g *game) change(s bruteStep) {
	d := g.writer
	if s.text {
		d = g.texter
	}
	failed := 0
	for _, sql := range s.sql {
		if d.query(sql).kind == wire.KindError {
			failed++
		}
	}
	g.countKind(s, failed)
}

func (g *game) ledger() *cache.Ledger { return g.brute.weir.ledger }

// written reports whether one of the tables of a query was written to after a place in the stream. A table that a view or
// a trigger hides is not known.
func (g *game) written(q *askedQuery, since cache.Seq) bool {
	for _, word := range bruteTableNames.FindAllString(q.sql, -1) {
		schema := bruteSchema
		if word == "fd" {
			schema = bruteOther
		}
		if g.ledger().Last(dep.Name{Schema: schema, Table: word}.Tag()) > since {
			return true
		}
	}
	return false
}

var bruteTableNames = regexp.MustCompile(`\b(t[0-9]|mine|part|f[abcd]|log|big|tree)\b`)
