package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir/cache"
	"weir/ddlwatch"
	"weir/ddlwatch/target"
	"weir/proxy"
)

// ddl is the configuration of the DDL watcher. Whoever lets more reads in at first lets more in at the end.
func (c *Config) ddl() ddlwatch.Config {
	d := ddlwatch.DefaultConfig()
	d.Pace.Limit, d.Pace.Wait, d.Refill = int(c.DDL.Reads), time.Duration(c.DDL.MaxWait), int(c.DDL.Refill)
	d.Pace.Min, d.Pace.Max = min(d.Pace.Min, d.Pace.Limit), max(d.Pace.Max, d.Pace.Limit)
	return d
}

// validate reports what is wrong with d, in the words of the configuration.
func (d DDL) validate() error {
	wait := time.Duration(d.MaxWait)
	switch {
	case d.Reads < 1 || d.Reads > maxReads:
		return fmt.Errorf("ddl.reads is %d; it must be 1 to %d reads at one time", d.Reads, maxReads)
	case wait < minWait || wait > maxWait:
		return fmt.Errorf("ddl.max_wait is %s; it must be %s to %s", wait, minWait, maxWait)
	case d.Refill < 0 || d.Refill > maxRefill:
		return fmt.Errorf("ddl.refill is %d; it must be 0 to %d statements", d.Refill, maxRefill)
	}
	return nil
}

const (
	maxReads  = 1024
	minWait   = 100 * time.Millisecond
	maxWait   = time.Hour
	maxRefill = 10000
)

// lookTimeout bounds a question of the DDL watcher's.
const lookTimeout = 5 * time.Second

// ddlParts are what the DDL watcher works with. It is made before the proxy, which asks its gates.
func (d *Daemon) ddlParts() ddlwatch.Parts {
	return ddlwatch.Parts{
		Servers: d.targets(), Cache: d.cache, Applied: d.hasApplied, Log: d.log, Registry: d.registry,
		Ours: func(addr string, id uint64) bool { return d.proxy.Ours(d.found(addr), id) },
		Read: func(ctx context.Context, key []byte) error {
			err := d.proxy.Refill(ctx, key)
			if errors.Is(err, proxy.ErrBehind) {
				err = fmt.Errorf("%w: %w", ddlwatch.ErrBehind, err)
			}
			return err
		},
	}
}

func (d *Daemon) gate() proxy.Gate {
	if d.seams.gate != nil {
		return d.seams.gate
	}
	return d.ddl.Gates()
}

// targets are the servers that the DDL watcher looks at, each once, the source first. Where the source may move, it is
// looked at under a name of its own, wherever it is.
func (d *Daemon) targets() (all []*target.Server) {
	seen := map[string]bool{}
	for i, addr := range append([]string{d.sourceName()}, d.cfg.proxy().Backends...) {
		if seen[addr] {
			continue
		}
		seen[addr] = true
		s := d.session(addr, lookTimeout)
		d.looks = append(d.looks, s)
		all = append(all, &target.Server{Addr: addr, Source: i == 0, Query: s.Query})
	}
	return all
}

// hasApplied reports whether the server at addr is known to show everything up to the mark.
func (d *Daemon) hasApplied(ctx context.Context, addr string, mark cache.Mark) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	s, err := d.sampler(d.found(addr)).Sample(ctx, mark, time.Time{})
	return err == nil && s.Mark.Epoch == mark.Epoch && s.Mark.Seq >= mark.Seq, err
}
