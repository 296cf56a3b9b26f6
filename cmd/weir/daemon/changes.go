package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"weir/cache/dep"
	"weir/cache/redistier"
	"weir/replicator"
	stages "weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
	relaying "weir/replicator/relay"
)

// Where a Weir has its source's changes from.
const (
	streamBinlog = "binlog"
	streamRedis  = "redis"
)

// changes is where the source's changes come from. Whichever it is, the ledger begins its epochs, and is complete as of
// moments, by the same rules.
type changes interface {
	// Run follows the changes until ctx ends, through every error.
	Run(ctx context.Context)
	// Ask makes it show at once that the ledger is complete; it does not wait.
	Ask()
	// Following tells whose changes the ledger has.
	Following() identity.Identity
	// History is that of their binlog.
	History() *replicator.History
	State() replicator.State
}

// fromBinlog reads the source's binlog.
type fromBinlog struct {
	*replicator.Reader
	probe *replicator.Probe
}

// Run implements [changes].
func (b fromBinlog) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { b.Reader.Run(ctx) })
	both.Go(func() { b.probe.Run(ctx) })
	both.Wait()
}

// Ask implements [changes].
func (b fromBinlog) Ask() { b.probe.Ask() }

// validateStream: whoever follows a relay needs the Redis that it publishes to.
func (c *Config) validateStream() error {
	switch {
	case c.Stream != streamBinlog && c.Stream != streamRedis:
		return fmt.Errorf("stream %q must be binlog or redis", c.Stream)
	case c.Stream == streamRedis && !c.Redis.enabled():
		return errors.New("stream is redis, and redis.addrs is missing; give the Redis to which weir relay publishes")
	}
	return nil
}

// relay is the configuration of a relay and its consumers: they find each other by the namespace.
func (c *Config) relay() relaying.Config {
	r := relaying.DefaultConfig()
	r.Name, r.MaxStaleness = c.Redis.Namespace, c.replicator().MaxStaleness
	return r
}

// newWatch: interests are followed by whoever reads the binlog.
func (d *Daemon) newWatch() *dep.Watch {
	if d.cfg.Stream == streamRedis {
		return dep.NewRemoteWatch(d.ledger)
	}
	return dep.NewWatch(d.ledger)
}

// follow connects the first stage to where the changes come from.
func (d *Daemon) follow(stage stages.Applier) {
	if d.cfg.Stream == streamRedis {
		d.bus = redistier.NewClient(d.redis)
		consumer := relaying.NewConsumer(d.cfg.relay(), d.bus, d.ledger, d.journal, d.watch, stage, d.log, d.registry)
		consumer.OnRestart, consumer.OnFile = d.restarted, d.recent.File
		if d.redis.WarmWindow > 0 {
			consumer.Prepare = d.foresee
		}
		d.changes = consumer
		return
	}
	d.readBinlog(stage)
	d.reader.OnRestart = d.restarted
	d.reader.OnFile = func(name string, _ uint32) { d.recent.File(name) }
}

// foresee reads the source's schema for changes that follow on these transactions, all of which may be of a while ago.
func (d *Daemon) foresee(ctx context.Context, source identity.Identity, done *gtid.Set) error {
	ctx, cancel := context.WithTimeout(ctx, schemaTimeout)
	defer cancel()
	if err := d.source.Shows(ctx, source, done); err != nil {
		return err
	}
	return d.catalog.Foresee(ctx)
}

// readBinlog makes the reader and its probe.
func (d *Daemon) readBinlog(first stages.Applier) {
	rcfg := d.replicator()
	d.reader = replicator.NewReader(rcfg, d.source, d.ledger, d.journal, first, d.log, d.registry)
	d.reader.Precision = &replicator.Precision{Watch: d.watch, Schema: d.catalog.Rows()}
	d.probe = replicator.NewProbe(rcfg, d.ledger, d.reader, d.log)
	d.changes = fromBinlog{d.reader, d.probe}
}

// lose makes the reader look where the source is. A relay looks by itself, and its consumers see what it has found.
func (d *Daemon) lose(why string) {
	if d.reader != nil {
		d.reader.Lost(why)
	}
}

// openBus reads where the relay's stream is, also for a Weir that stores nothing.
func (d *Daemon) openBus() (err error) {
	if d.cfg.Stream == streamRedis && len(d.redis.Addrs) == 0 {
		d.redis, err = d.cfg.redisTier()
	}
	return err
}
