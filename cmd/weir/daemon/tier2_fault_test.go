package daemon

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var tier2Times = flag.Int("tier2", 1, "how many times each fault of Redis is brought about, in an order that changes")

// enough is how many answers each reader gets while something is wrong.
const enough = 40

// redisFault is something that Redis does, or that is done to it. It is over when bring returns.
type redisFault struct {
	name  string
	bring func(*tier2)
}

// TestPitfall50OneRedis: whatever one server does, no answer is stale, no client gets an error, and none waits.
func TestPitfall50OneRedis(t *testing.T) { playFaults(t, "", oneRedis, oneFaults) }

// TestPitfall49ClusterSlots: the same while slots of a Cluster move, and masters of it come and go.
func TestPitfall49ClusterSlots(t *testing.T) {
	playFaults(t, sandbox.MySQL, clusterOfRedis, clusterFaults)
}

// TestPitfall46FailoverLosesWrites: the same with Sentinels, and masters that go with what only they had.
func TestPitfall46FailoverLosesWrites(t *testing.T) {
	playFaults(t, sandbox.MariaDB, redisWithSentinels, sentinelFaults)
}

// playFaults brings one fault after the other about, while somebody writes and others read through two Weirs. After each
// Redis must be of use again, and everything right. What Redis does has nothing to do with whose the source is: if each
// fault is brought about once, it is before the one flavor that is named.
func playFaults(t *testing.T, once sandbox.Flavor, redis func(testing.TB) *redisSetup, faults []redisFault) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		if once != "" && once != flavor && *tier2Times == 1 {
			return
		}
		p := newTier2(t, flavor, redis)
		p.shared()
		faults, random := slices.Clone(faults), rand.New(rand.NewPCG(uint64(*tier2Times), 1))
		for round := range *tier2Times {
			if round > 0 {
				random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
			}
			for _, f := range faults {
				p.play(f)
				if t.Failed() {
					t.Fatalf("at the fault: %s", f.name)
				}
			}
		}
		p.quiet()
		p.report()
	})
}

func (p *tier2) play(f redisFault) {
	p.t.Helper()
	f.bring(p)
	p.shared()
	p.settled()
}

// does runs a command on a server.
func (p *tier2) does(r *sandbox.Redis, words ...any) any {
	p.t.Helper()
	reply, err := r.Do(p.t.Context(), words...)
	p.must(err)
	return reply
}

var oneFaults = []redisFault{
	{"flushed", func(p *tier2) { p.does(p.setup.one, "FLUSHALL"); p.goesOn(enough) }},
	{"killed", func(p *tier2) {
		p.setup.one.Kill()
		p.goesOn(enough)
		p.must(p.setup.one.Restart(p.t.Context()))
	}},
	{"pitfall 50: suspended", func(p *tier2) {
		p.must(p.setup.one.Suspend())
		p.goesOn(enough)
		p.must(p.setup.one.Resume())
	}},
	{"pitfall 50: CLIENT PAUSE", func(p *tier2) { p.does(p.setup.one, "CLIENT", "PAUSE", 1000, "ALL"); p.goesOn(enough) }},
	{"pitfall 50: DEBUG SLEEP", func(p *tier2) {
		slept := make(chan error, 1)
		go func() { _, err := p.setup.one.Do(p.t.Context(), "DEBUG", "SLEEP", 1); slept <- err }()
		p.goesOn(enough)
		p.must(<-slept)
	}},
	{"restored from an old dump", func(p *tier2) {
		dump, err := p.setup.one.SaveDump(p.t.Context())
		p.must(err)
		p.goesOn(enough)
		p.must(p.setup.one.RestoreDump(p.t.Context(), dump))
		p.goesOn(enough)
	}},
	{"made the replica of an empty one", func(p *tier2) {
		empty, err := sandbox.StartRedis(p.t.Context(), sandbox.RedisOptions{})
		p.must(err)
		defer empty.Stop()
		p.must(p.setup.one.MakeReplicaOf(p.t.Context(), empty))
		p.goesOn(enough)
		p.must(p.setup.one.MakeReplicaOf(p.t.Context(), nil))
	}},
	{"pitfall 47: full, so that anything is evicted", func(p *tier2) {
		p.does(p.setup.one, "CONFIG", "SET", "maxmemory", 4<<20, "maxmemory-policy", "allkeys-lru")
		for i := range 10 {
			p.does(p.setup.one, "EVAL", "for i = 1, 1000 do redis.call('SET', ARGV[1] .. i, string.rep('x', 1000)) end", 0, fmt.Sprint("junk", i, ":"))
			p.goesOn(enough / 10)
		}
		p.does(p.setup.one, "FLUSHALL")
		p.does(p.setup.one, "CONFIG", "SET", "maxmemory", 0)
	}},
	{"pitfall 45: what one Weir writes lands late", func(p *tier2) {
		p.setup.network.holdWords("\r\nset\r\n")
		p.goesOn(enough)
		p.setup.network.pass()
		p.goesOn(enough)
	}},
}

var clusterFaults = []redisFault{
	{"slots move", func(p *tier2) {
		for range 3 {
			p.moveSlots()
			p.goesOn(enough / 4)
		}
	}},
	{"a master is suspended, and another takes its place", func(p *tier2) {
		i := p.clusterMasters()[0]
		node := p.setup.cluster.Node(i)
		p.must(node.Suspend())
		p.goesOn(enough)
		p.eventually("the others have done without", func() bool { return !slices.Contains(p.clusterMasters(), i) })
		p.must(node.Resume())
		p.must(p.setup.cluster.AwaitFailover(p.t.Context(), i))
	}},
	{"a master is killed, and comes back as a replica", func(p *tier2) {
		i := p.clusterMasters()[1]
		p.setup.cluster.KillMaster(i)
		p.goesOn(enough)
		p.must(p.setup.cluster.AwaitFailover(p.t.Context(), i))
		p.must(p.setup.cluster.Node(i).Restart(p.t.Context()))
		p.must(p.setup.cluster.AwaitFailover(p.t.Context(), i))
	}},
	{"a master comes back at once, with nothing", func(p *tier2) {
		i := p.clusterMasters()[2]
		p.setup.cluster.KillMaster(i)
		p.must(p.setup.cluster.Node(i).Restart(p.t.Context()))
		p.goesOn(enough)
		p.must(p.setup.cluster.AwaitReady(p.t.Context()))
	}},
}

// clusterSize is how many nodes a Cluster has here.
const clusterSize = 6

// clusterMasters are the numbers of the nodes that have slots.
func (p *tier2) clusterMasters() (all []int) {
	p.t.Helper()
	for i := range clusterSize {
		for _, slot := range []int{0, 8000, 16383} {
			owner, err := p.setup.cluster.Owner(p.t.Context(), slot)
			p.must(err)
			if owner == p.setup.cluster.Node(i) && !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	return all
}

// movedAtOnce is how many slots of each master move.
const movedAtOnce = 20

// moveSlots moves slots in which there is something to other masters, while the readers go on.
func (p *tier2) moveSlots() {
	p.t.Helper()
	c, masters := p.setup.cluster, p.clusterMasters()
	for _, i := range masters {
		keys, _ := p.does(c.Node(i), "KEYS", "*").([]any)
		for _, key := range keys[:min(len(keys), movedAtOnce)] {
			slot, _ := p.does(c.Node(i), "CLUSTER", "KEYSLOT", key).(int64)
			to := masters[(slices.Index(masters, i)+1)%len(masters)]
			p.must(c.MoveSlots(p.t.Context(), int(slot), int(slot), to))
		}
	}
}

// master is the server that the Sentinels name.
func (p *tier2) master() *sandbox.Redis {
	p.t.Helper()
	r, err := p.setup.sentinel.Master(p.t.Context())
	p.must(err)
	return r
}

var sentinelFaults = []redisFault{
	{"another becomes the master", func(p *tier2) {
		p.must(p.setup.sentinel.Failover(p.t.Context()))
		p.goesOn(enough)
		p.must(p.setup.sentinel.AwaitReady(p.t.Context()))
	}},
	{"the master dies with what only it has", func(p *tier2) {
		old := p.master()
		p.must(p.setup.sentinel.LoseWrites(p.t.Context(), func() { p.goesOn(enough) }))
		p.goesOn(enough)
		p.must(old.Restart(p.t.Context()))
		p.must(p.setup.sentinel.AwaitReady(p.t.Context()))
	}},
	{"the master comes back when another has its place", func(p *tier2) {
		old := p.master()
		p.must(old.Suspend())
		p.goesOn(enough)
		p.must(p.setup.sentinel.AwaitNewMaster(p.t.Context(), old))
		p.must(old.Resume())
		p.goesOn(enough)
		p.must(p.setup.sentinel.AwaitReady(p.t.Context()))
	}},
	{"the master comes back at once, with nothing", func(p *tier2) {
		master := p.master()
		master.Kill()
		p.must(master.Restart(p.t.Context()))
		p.goesOn(enough)
		p.must(p.setup.sentinel.AwaitReady(p.t.Context()))
	}},
}
