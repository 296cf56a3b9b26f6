package daemon

import (
	"context"
	"time"

	"weir/cache/redistier"
	"weir/replicator"
)

// keepWarm lets a relay that begins to publish go on where it, or another relay, or a Weir that reads the binlog, has been
// before: at the oldest place within the window. Its consumers, which begin anew with it, so have a floor that is as old, and
// go on finding what is in Redis. The window is 0 for not at all.
//
// What columns it tells rows by it knows before: consumers leave their interests for it, and Weirs for each other.
func (r *Relay) keepWarm() {
	d := r.d
	if d.redis.WarmWindow == 0 {
		return
	}
	d.warmth = &warmth{notes: relayNotes{d}, window: d.redis.WarmWindow, reader: d.reader, watch: d.watch, catalog: d.catalog, log: d.log}
	d.reader.Warm = &replicator.Warm{Places: d.warmth.places, Prepare: d.catalog.Foresee}
}

// leavePositions leaves where the relay is, as long as it publishes, until ctx ends.
func (r *Relay) leavePositions(ctx context.Context) {
	if r.d.warmth == nil {
		return
	}
	tick := time.NewTicker(leaveEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.d.warmth.leavePosition(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// relayNotes are the notes of the Weirs that follow the same source.
type relayNotes struct{ d *Daemon }

func (n relayNotes) now() redistier.Notes {
	return redistier.NewNotes(n.d.bus, n.d.cfg.Redis.Namespace, n.d.reader.History().Source())
}

// Leave implements [Notes].
func (n relayNotes) Leave(ctx context.Context, name, field string, value []byte, keep time.Duration) error {
	return n.now().Leave(ctx, name, field, value, keep)
}

// Left implements [Notes].
func (n relayNotes) Left(ctx context.Context, name string) (map[string][]byte, error) {
	return n.now().Left(ctx, name)
}
