package daemon

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir/deployments/sandbox"
)

// tier2 is a source, two Weirs in front of it that share a Redis, somebody who writes, and readers who judge every answer
// through both. The memory of the Weirs is emptied all the time, so that Redis is what most answers can come from.
type tier2 struct {
	*world // the source's; its Weir is nobody's
	setup  *redisSetup
	weirs  []*world
	rows   rows
	direct *client

	writing sync.Mutex // held by who writes, and by who wants nobody to
	readers []*rowReader
	turn    int
	stop    func()
}

const (
	tier2Rows = 120
	// Who does something again and again pauses that long, so that there is something left of two cores.
	writePause, readPause, forgetPause = 10 * time.Millisecond, 5 * time.Millisecond, 100 * time.Millisecond
)

// newTier2 starts all of it.
func newTier2(t testing.TB, flavor sandbox.Flavor, redis func(testing.TB) *redisSetup) *tier2 {
	t.Helper()
	p := startWeirs(t, flavor, redis, nil)
	p.direct = p.world.direct("app", "")
	p.direct.run("CREATE DATABASE shop")
	p.rows = newRows(p.direct, tier2Rows)
	p.recorded()
	p.begin()
	return p
}

// startWeirs starts the servers and the Weirs alone; configure may change the configuration of both.
func startWeirs(t testing.TB, flavor sandbox.Flavor, redis func(testing.TB) *redisSetup, configure func(*Config)) *tier2 {
	t.Helper()
	p := &tier2{world: newSource(t, sandbox.Options{Flavor: flavor}), setup: redis(t)}
	for n := range 2 {
		w := &world{t: t, flavor: flavor, source: p.source}
		w.start(func(c *Config) {
			p.setup.share(c)
			if p.setup.network != nil && n == 0 {
				c.Redis.Addrs = []string{p.setup.network.addr()}
			}
			if configure != nil {
				configure(c)
			}
		})
		p.weirs = append(p.weirs, w)
	}
	return p
}

// recorded returns when both Weirs have recorded all that was committed before, and serve from the cache.
func (p *tier2) recorded() {
	p.t.Helper()
	for _, w := range p.weirs {
		w.caughtUp()
	}
}

// begin has everybody do what they do until the test ends.
func (p *tier2) begin() {
	var all sync.WaitGroup
	stop := make(chan struct{})
	p.stop = sync.OnceFunc(func() { close(stop); all.Wait() })
	random := rand.New(rand.NewPCG(1, 2))
	every(p.t, &all, stop, writePause, func() error {
		p.writing.Lock()
		defer p.writing.Unlock()
		return p.rows.up(p.direct, random.IntN(len(p.rows)))
	})
	for n, w := range p.weirs {
		every(p.t, &all, stop, forgetPause, func() error { w.weir.cache.Clear(); return nil })
		for i := range 2 {
			r := &rowReader{rows: p.rows, client: w.proxy("app", "shop"), random: rand.New(rand.NewPCG(3, uint64(2*n+i)))}
			r.client.prepares = i == 1
			p.readers = append(p.readers, r)
			every(p.t, &all, stop, readPause, r.read)
		}
	}
	p.t.Cleanup(p.stop) // before the connections are closed
}

// every runs f until it is told to stop, or f fails, which is the test's failure, with pauses.
func every(t testing.TB, all *sync.WaitGroup, stop <-chan struct{}, pause time.Duration, f func() error) {
	all.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if err := f(); err != nil {
				t.Error(err)
				return
			}
		}
	})
}

// rowReader asks one question after the other.
type rowReader struct {
	rows   rows
	client *client
	random *rand.Rand
	count  atomic.Int64

	mu    sync.Mutex
	times []time.Duration
}

func (r *rowReader) read() error {
	began := time.Now()
	if err := r.rows.check(r.client, r.question()); err != nil {
		return err
	}
	r.count.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, time.Since(began))
	return nil
}

func (r *rowReader) question() rowQuestion {
	switch k := r.random.IntN(20); {
	case k == 0:
		return r.rows.sum()
	case k < 4:
		return r.rows.some(10 * r.random.IntN(len(r.rows)/10))
	}
	return r.rows.one(r.random.IntN(len(r.rows)))
}

// goesOn returns when each reader has had that many answers more. Whatever is wrong with Redis meanwhile, they do not wait
// for it.
func (p *tier2) goesOn(answers int64) {
	p.t.Helper()
	for _, r := range p.readers {
		enough := r.count.Load() + answers
		p.eventually("the readers get answers", func() bool { return r.count.Load() >= enough || p.t.Failed() })
	}
}

// shared returns when both Weirs have got something out of Redis after the call.
func (p *tier2) shared() {
	p.t.Helper()
	for _, w := range p.weirs {
		before := w.counter("weir_second_tier_hits_total", "", "")
		w.eventually("hits come from Redis", func() bool {
			return w.counter("weir_second_tier_hits_total", "", "") > before+10 || p.t.Failed()
		})
	}
}

// settled lets nobody write, and asks both Weirs for everything once they have recorded all.
func (p *tier2) settled() {
	p.t.Helper()
	p.writing.Lock()
	defer p.writing.Unlock()
	p.recorded()
	for n, w := range p.weirs {
		c := w.proxy("app", "shop")
		for _, q := range p.everything() {
			if err := p.rows.checkNow(c, q); err != nil {
				p.t.Errorf("when all is quiet, Weir %d: %s", n+1, err)
				break
			}
		}
		c.hangUp()
	}
}

// everything is each row by itself or in a range, by turns, and the sum.
func (p *tier2) everything() (all []rowQuestion) {
	p.turn++
	for id := range p.rows {
		switch {
		case (id/10+p.turn)%4 == 0:
			all = append(all, p.rows.one(id))
		case id%10 == 0:
			all = append(all, p.rows.some(id))
		}
	}
	return append(all, p.rows.sum())
}

// quiet has nobody write for five seconds: what is brought back by something that comes late shows only then.
func (p *tier2) quiet() {
	p.t.Helper()
	p.writing.Lock()
	<-time.After(5 * time.Second)
	p.writing.Unlock()
	for range 4 {
		p.settled()
	}
}

// longest is more than an answer takes on a busy machine, and less than one that waits for a Redis that is silent: until
// its client gives up, twice two seconds.
const longest = 3 * time.Second

// report says how long answers took.
func (p *tier2) report() {
	p.stop()
	var all []time.Duration
	for _, r := range p.readers {
		all = append(all, r.times...)
	}
	slices.Sort(all)
	if n := len(all); n > 0 {
		p.t.Logf("%s, %s: %d answers; half of them within %s, 99 %% within %s, all within %s",
			p.setup.name, p.flavor, n, all[n/2], all[n*99/100], all[n-1])
		if all[n-1] > longest {
			p.t.Errorf("an answer took %s", all[n-1])
		}
	}
}
