package daemon

import (
	"context"
	"errors"
	"slices"

	"weir/cache/redistier"
	"weir/replicator"
)

// Access is a server of the configuration, and how Weir gets there: for those who look at the servers without serving.
type Access struct {
	Addr string
	// Source: its binlog is read, or may be after a promotion if there are several of these. Backend: it answers reads.
	Source, Backend bool
	// Replicator has the account, TLS and server id.
	Replicator replicator.Config
}

// Access lists the servers, those that are or may be the source first. The configuration must be a valid one.
func (c *Config) Access() ([]Access, error) {
	tls, err := newServerTLS(*c)
	if err != nil {
		return nil, err
	}
	var all []Access
	for _, addr := range c.sources() {
		all = append(all, Access{Addr: addr, Source: true, Backend: len(c.Backends) == 0})
	}
	for _, b := range c.Backends {
		i := slices.IndexFunc(all, func(a Access) bool { return a.Addr == b.Addr })
		if i < 0 {
			i, all = len(all), append(all, Access{Addr: b.Addr})
		}
		all[i].Backend = true
	}
	for i := range all {
		all[i].Replicator = c.replicator()
		all[i].Replicator.Addr, all[i].Replicator.Addrs = all[i].Addr, nil
		all[i].Replicator.TLS = tls.replicator(all[i].Addr)
	}
	return all, nil
}

// RedisTier is how the second tier, and a relay's stream, are reached; without addresses if there is no Redis.
func (c *Config) RedisTier() (redistier.Config, error) {
	if !c.Redis.enabled() {
		return redistier.Config{}, nil
	}
	return c.redisTier()
}

// FollowsRelay reports whether the changes come through Redis rather than from the source's binlog.
func (c *Config) FollowsRelay() bool { return c.Stream == streamRedis }

// unfit is why Weir does not start with a source that has answered.
type unfit struct{ error }

func (u unfit) Unwrap() error { return u.error }

// Unfit reports whether the error says that the source, or Weir's account there, is not set up for Weir: there may be more
// that is not.
func Unfit(err error) bool {
	var u unfit
	return errors.As(err, &u)
}

// checkSource reports what keeps Weir from following the source.
func (d *Daemon) checkSource(ctx context.Context) error {
	obstacle, err := d.source.Check(ctx, d.replicator())
	if err == nil {
		err = checkSchemaGrants(ctx, d.source)
	}
	if err == nil || obstacle == replicator.NoConnection {
		return err
	}
	return unfit{err}
}
