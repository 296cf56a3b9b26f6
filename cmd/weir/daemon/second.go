package daemon

import (
	"context"
	"time"

	"weir/cache"
	"weir/cache/redistier"
	"weir/proxy"
)

// openSecond reads what the second tier is to be, if there is to be one. It connects to nothing: a Redis that is away at the
// start is one that is away.
func (d *Daemon) openSecond() (err error) {
	if d.cfg.Redis.enabled() && d.cfg.proxy().CacheType != proxy.Off {
		d.redis, err = d.cfg.redisTier()
	}
	return err
}

// attachSecond puts the second tier behind the cache, and lets the reader go on where a Weir has been before. It is called
// before the reader runs.
func (d *Daemon) attachSecond() {
	if d.seams.second != nil {
		d.cache.Second = d.seams.second(d.ledger)
	}
	if d.seams.notes != nil {
		d.keepWarm(d.seams.notes, redistier.DefaultConfig().WarmWindow)
	}
	if len(d.redis.Addrs) == 0 {
		return
	}
	d.second = redistier.New(d.redis, d.changes.History(), proxy.Dialect, d.registry)
	d.second.Log = d.log
	d.cache.Second = d.second
	d.keepWarm(d.second, d.redis.WarmWindow)
}

// writeSecond writes what is offered to the second tier, until ctx ends.
func (d *Daemon) writeSecond(ctx context.Context) {
	if d.second != nil {
		d.second.Run(ctx)
	}
}

// refreshSecond writes what is asked for most again, before a start could not judge it any more, until ctx ends.
func (d *Daemon) refreshSecond(ctx context.Context) {
	if d.second != nil && d.redis.WarmWindow > 0 {
		d.cache.KeepWarm(ctx, d.warmBounds(), keeper{ctx, d.second})
	}
}

// leaveNotes leaves what a start needs, until ctx ends.
func (d *Daemon) leaveNotes(ctx context.Context) {
	if d.warmth != nil {
		d.warmth.run(ctx)
	}
}

func (d *Daemon) warmBounds() cache.Warmth {
	w := cache.DefaultWarmth()
	w.Every = max(d.redis.WarmWindow/3, time.Second)
	return w
}

// saveTimeout bounds how long a Weir that ends writes to the second tier.
const saveTimeout = 3 * time.Second

// saveOnStop writes what is asked for most once more, for the Weir that starts next. Nobody is served any more, and the
// stream is still read.
func (d *Daemon) saveOnStop() {
	if d.second == nil || !d.redis.SaveOnStop {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	n := d.cache.Spill(ctx, d.warmBounds(), keeper{ctx, d.second})
	if err := d.second.Drain(ctx); err != nil {
		d.log.Warn("not all that was to be found after a restart was written to Redis in time", "after", saveTimeout)
		return
	}
	d.log.Info("what was asked for most is in Redis", "results", n)
}

// keeper waits for the writers when they cannot keep up, until ctx ends.
type keeper struct {
	ctx  context.Context
	tier *redistier.Tier
}

// OfferAs implements [cache.Keeper].
func (k keeper) OfferAs(e *cache.Entry, at cache.Mark, age time.Duration) {
	if !k.tier.OfferAs(e, at, age) && k.ctx.Err() == nil && k.tier.Drain(k.ctx) == nil {
		k.tier.OfferAs(e, at, age)
	}
}
