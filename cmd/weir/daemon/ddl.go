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
	"weir/replicator"
)

// ddl is the configuration of the DDL watcher. Whoever lets more reads in at first lets more in at the end.
func (c *Config) ddl() ddlwatch.Config {
	d := ddlwatch.DefaultConfig()
	d.Pace.Limit, d.Pace.Wait, d.Refill = c.DDL.Reads, time.Duration(c.DDL.MaxWait), c.DDL.Refill
	d.Pace.Min, d.Pace.Max = min(d.Pace.Min, c.DDL.Reads), max(d.Pace.Max, c.DDL.Reads)
	return d
}

// lookTimeout bounds a question of the DDL watcher's.
const lookTimeout = 5 * time.Second

// ddlParts are what the DDL watcher works with. It is made before the proxy, which asks its gates.
func (d *Daemon) ddlParts() ddlwatch.Parts {
	return ddlwatch.Parts{
		Servers: d.targets(), Cache: d.cache, Applied: d.hasApplied, Log: d.log, Registry: d.registry,
		Read: func(ctx context.Context, key []byte) error {
			err := d.proxy.Refill(ctx, key)
			if errors.Is(err, proxy.ErrBehind) {
				err = fmt.Errorf("%w: %w", ddlwatch.ErrBehind, err)
			}
			return err
		},
	}
}

// targets are the servers that the DDL watcher looks at, each once, the source first.
func (d *Daemon) targets() (all []*target.Server) {
	seen := map[string]bool{}
	for i, addr := range append([]string{d.cfg.Source.Addr}, d.cfg.proxy().Backends...) {
		if seen[addr] {
			continue
		}
		seen[addr] = true
		s := replicator.NewSession(addr, d.cfg.Source.User, string(d.cfg.Source.Password), lookTimeout, d.tls.replicator(addr))
		d.looks = append(d.looks, s)
		all = append(all, &target.Server{Addr: addr, Source: i == 0, Query: s.Query})
	}
	return all
}

// hasApplied reports whether the server at addr is known to show everything up to the mark.
func (d *Daemon) hasApplied(ctx context.Context, addr string, mark cache.Mark) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	s, err := d.sampler(addr).Sample(ctx, mark, time.Time{})
	return err == nil && s.Mark.Epoch == mark.Epoch && s.Mark.Seq >= mark.Seq, err
}
