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
)

var fleetSteps = flag.Int("fleet", 400, "how many steps TestFleetBrute takes, of both flavors together")

// fleetStepsPerRound is what [stepsPerRound] is there: so few that the share in CI has a racing round.
const fleetStepsPerRound = 125

// TestFleetBrute is [TestBrute] with two Weirs that share a Redis. Each query is asked of one of them, taken at random,
// after each change, and must be answered as the source does. Meanwhile they are stopped and started again, in an orderly
// way and as a crash does, with another precision each time; or forget what they have in memory, so that only Redis has it;
// and somebody plays tricks with what is in Redis.
func TestFleetBrute(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		b := newFleetBrute(t, flavor)
		for number, left := 1, *fleetSteps/2; left > 0 && len(b.faults) < faultsAtMost; number, left = number+1, left-fleetStepsPerRound {
			if *bruteRound == 0 || *bruteRound == number {
				b.play(b.round(number, min(left, fleetStepsPerRound)))
			}
		}
		b.tells(t)
	})
}

// fleetBrute plays rounds on a fleet.
type fleetBrute struct {
	*brute
	fleet *fleet
	rand  *rand.Rand
	trick *trickster
	tier2 float64 // answers of Weirs that have been stopped since
	found int     // answers that were judged
}

func newFleetBrute(t *testing.T, flavor sandbox.Flavor) *fleetBrute {
	b := &fleetBrute{
		fleet: newFleet(t, sandbox.Options{Flavor: flavor, Extra: []string{"--innodb-lock-wait-timeout=2"}}),
		rand:  rand.New(rand.NewPCG(*bruteSeed, 1)),
	}
	b.trick = b.fleet.trickster(b.rand)
	for range 2 {
		b.fleet.join(func(c *Config) {
			c.MaxStaleness, c.Writes = Duration(10*time.Second), "source"
			c.Cache.Precision = []string{"row", "row", "table"}[b.rand.IntN(3)]
		})
	}
	b.brute = newBrute(t, b.fleet.weirs[0].world)
	b.again, b.length = b.fails, fmt.Sprintf("-fleet %d", *fleetSteps)
	return b
}

// round makes the round of a number, with restarts between its steps.
func (b *fleetBrute) round(number, steps int) round {
	r := b.brute.round(number, steps)
	random := rand.New(rand.NewPCG(*bruteSeed, uint64(number)<<2|3))
	var all []bruteStep
	for _, s := range r.steps {
		if all = append(all, s); random.IntN(20) == 0 {
			all = append(all, bruteStep{kind: fleetEnds[random.IntN(len(fleetEnds))]})
		}
	}
	r.steps = all
	return r
}

// fleetEnds are the kinds of steps in which a Weir is stopped and started again.
var fleetEnds = []string{"the first Weir restarts", "the second Weir restarts", "the first Weir crashes", "the second Weir crashes"}

// play is [brute.play].
func (b *fleetBrute) play(r round) {
	g := b.begin(r, true)
	var faults []*fault
	for i := 0; i < len(g.steps) && len(b.faults)+len(faults) < faultsAtMost; i++ {
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

// fails is [brute.fails].
func (b *fleetBrute) fails(r round) bool {
	g := b.begin(r, false)
	defer g.end()
	for i := range r.steps {
		if len(g.step(i)) > 0 {
			return true
		}
	}
	return false
}

// begin makes the schema, connects, and takes the queries that are cached; the first Weir says which.
func (b *fleetBrute) begin(r round, counts bool) *fleetGame {
	b.fleet.caughtUp()
	g := &fleetGame{fleetBrute: b, game: b.brute.begin(r, counts)}
	b.fleet.caughtUp()
	for _, m := range b.fleet.weirs {
		m.weir.cache.Clear()
		g.seats = append(g.seats, &seat{member: m, names: r.names})
	}
	g.warm()
	return g
}

// tells sees to it that the run has shown something.
func (b *fleetBrute) tells(t *testing.T) {
	for _, m := range b.fleet.weirs {
		b.tier2 += m.tier2()
	}
	t.Logf("%d steps, seed %d; %d restarts and %d crashes; %v; %d answers were judged, %.0f of all came from Redis",
		b.taken, *bruteSeed, b.kinds[restarted].steps, b.kinds[crashed].steps, b.trick.tricks, b.found, b.tier2)
}

// fleetGame is one play of a round on a fleet.
type fleetGame struct {
	*game
	*fleetBrute
	seats []*seat
}

func (g *fleetGame) end() {
	for _, s := range g.seats {
		s.leave()
	}
	g.game.end()
}

// step makes one change, or restarts a Weir, and asks everything.
func (g *fleetGame) step(i int) (faults []*fault) {
	if end := slices.Index(fleetEnds, g.steps[i].kind); end >= 0 {
		g.restart(g.seats[end%2], end >= 2)
	} else {
		g.changeBeside(i)
		g.fleet.recorded()
	}
	g.countStep()
	if g.rand.IntN(6) == 0 {
		g.trick.any()
	}
	if g.rand.IntN(3) == 0 {
		g.anySeat().member.weir.cache.Clear()
	}
	truth := g.truths(g.asked)
	for n, q := range g.asked {
		want := q.canonical(truth[q])
		for range 1 + (n+i)%3/2 { // every third one twice, most often of both
			if r, who := g.ask(q); q.canonical(r) != want {
				faults = append(faults, &fault{step: i, query: q, how: who + " has answered", got: r, want: truth[q]})
				break
			}
		}
	}
	return faults
}

// restart ends a Weir and starts it again. What is asked then is asked while it looks for its place in the stream.
func (g *fleetGame) restart(s *seat, crash bool) {
	s.leave()
	g.tier2 += s.member.tier2()
	s.member.restart(crash)
	kind := restarted
	if crash {
		kind = crashed
	}
	g.countKind(bruteStep{kind: kind}, 0)
}

// What is counted of [fleetEnds].
const restarted, crashed = "restart", "crash"

func (g *fleetGame) anySeat() *seat { return g.seats[g.rand.IntN(len(g.seats))] }

// ask asks a Weir, and says which.
func (g *fleetGame) ask(q *askedQuery) (reply, string) {
	n := g.rand.IntN(len(g.seats))
	g.found++
	return g.seats[n].ask(q), fmt.Sprintf("Weir %d", n+1)
}

// changeBeside makes a change. In a racing round both Weirs are asked meanwhile.
func (g *fleetGame) changeBeside(i int) {
	if !g.racing {
		g.change(g.steps[i])
		return
	}
	fresh := g.fresh1(i)
	before := g.keys()
	wait := g.asking(fresh)
	g.change(g.steps[i])
	wait()
	if fresh != nil && g.learn(fresh, before) {
		g.replace(fresh)
	}
}

// fresh1 is a query that nobody has asked before, if there is one for the step.
func (g *fleetGame) fresh1(i int) *askedQuery {
	if i >= len(g.fresh) {
		return nil
	}
	a := &askedQuery{bruteQuery: g.fresh[i]}
	if a.bound {
		_, a.atSource = g.source.prepare(a.prepared)
		a.bound = a.atSource != 0
	}
	return a
}

// asking asks every Weir a few queries, and the fresh one, until what it returns has been called and has returned.
func (g *fleetGame) asking(fresh *askedQuery) (wait func()) {
	done := make(chan struct{})
	for _, s := range g.seats {
		some := []*askedQuery{}
		if fresh != nil {
			some = append(some, fresh)
		}
		for range refillsAtMost() {
			if len(g.asked) > 0 {
				some = append(some, g.asked[g.rand.IntN(len(g.asked))])
			}
		}
		go func() {
			for _, q := range some {
				s.ask(q)
			}
			done <- struct{}{}
		}()
	}
	return func() {
		for range g.seats {
			<-done
		}
	}
}

// seat is a client of one Weir, which comes back when the Weir does.
type seat struct {
	member  *member
	names   string
	client  *dialogue
	handles map[*askedQuery]uint32
}

func (s *seat) leave() {
	if s.client != nil {
		s.client.Conn.Close()
		s.client = nil
	}
}

// sit connects, if the seat is empty.
func (s *seat) sit() {
	if s.client != nil {
		return
	}
	s.client, s.handles = s.member.throughWeir(bruteSchema), map[*askedQuery]uint32{}
	s.client.mustQuery("SET NAMES " + s.names)
}

// ask asks through the seat's Weir. A statement that cannot be prepared any more is answered with that error.
func (s *seat) ask(a *askedQuery) reply {
	s.sit()
	if a.bound && s.handles[a] == 0 {
		r, handle := s.client.prepare(a.prepared)
		if handle == 0 {
			return r
		}
		s.handles[a] = handle
	}
	return s.client.ask(a.command(s.handles[a]))
}
