package redistier

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// probeEvery is how often a server that is out is asked.
	probeEvery = 100 * time.Millisecond
	// measureEvery is how often a lookup is timed while there are none: else a moment in which Redis was slow could have every
	// class taken for cheap, and nothing would show that it is over.
	measureEvery = time.Second
)

// probe looks after servers that are out until ctx ends.
func (t *Tier) probe(ctx context.Context) {
	probes, measures := time.NewTicker(probeEvery), time.NewTicker(measureEvery)
	defer probes.Stop()
	defer measures.Stop()
	var asked uint64
	for {
		select {
		case <-probes.C:
			t.nodes.probe(ctx, t.names.probe())
		case <-measures.C:
			now := t.metrics.lookups.Load()
			if now == asked {
				t.measure(ctx)
			}
			asked = now
			t.nodes.forget(time.Now().Add(-forgetAfter))
		case <-ctx.Done():
			return
		}
	}
}

func (t *Tier) measure(ctx context.Context) {
	start := time.Now()
	r := t.nodes.get(ctx, t.names.probe(), start.Add(t.cfg.Budget))
	if r.err == nil {
		t.costs.looked(time.Since(start))
	}
}

// probe asks each server that is out, and tells of each that has gone out or come back. None comes back unseen: that takes
// several probes.
func (n *nodes) probe(ctx context.Context, name string) {
	n.each(func(of *node) {
		n.tell(of, time.Now())
		if of.open() && of.probed(n.well(ctx, of, name)) {
			n.tell(of, time.Now())
		}
	})
}

// well reports whether the server answers in the time that a lookup would have. In a Cluster its slots may be another's by
// now, so the map is loaded again, too.
func (n *nodes) well(ctx context.Context, of *node, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, n.budget)
	defer cancel()
	if n.cluster != nil {
		n.cluster.ReloadState(ctx)
		if of == n.root {
			_, err := n.cluster.MasterForKey(ctx, name)
			return err == nil
		}
	}
	return answered(of.client.GetRange(ctx, name, 0, 0).Err())
}

// answered: a master of a Cluster that says where the key is has answered.
func answered(err error) bool {
	if err == nil {
		return true
	}
	_, moved := redis.IsMovedError(err)
	_, ask := redis.IsAskError(err)
	return moved || ask
}

// forget drops masters that nobody has asked for since, such as those that are masters no longer.
func (n *nodes) forget(before time.Time) {
	n.masters.Range(func(addr, of any) bool {
		if of.(*node).asked.Load() < before.Unix() {
			n.masters.Delete(addr)
		}
		return true
	})
}
