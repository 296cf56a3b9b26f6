package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"weir/replicator"
	"weir/replicator/identity"
)

// sources are the addresses at which the source may be found.
func (c *Config) sources() []string {
	if len(c.Source.Addrs) > 0 {
		return c.Source.Addrs
	}
	return []string{c.Source.Addr}
}

// chooseSource finds the source, if there are several that it may be.
func (d *Daemon) chooseSource(ctx context.Context) error {
	if len(d.cfg.Source.Addrs) == 0 {
		return nil
	}
	d.candidates = replicator.NewCandidates(d.cfg.replicator(), d.cfg.Source.Addrs, d.tls.replicator, d.log, d.registry)
	return d.candidates.Choose(ctx)
}

// lookForSource looks whether another server is the source now, until ctx ends.
func (d *Daemon) lookForSource(ctx context.Context) {
	if d.candidates != nil {
		d.candidates.Run(ctx)
	}
}

// moved is called when the source is another server from then on. Clients go there first: whoever waits for the one
// before, and the reader, may take a while to notice.
func (d *Daemon) moved(addr string, silent bool) {
	d.proxy.Follow(addr, silent)
	d.lose("the source is another server now, at " + addr)
}

// sourceAddr is where the source is now.
func (d *Daemon) sourceAddr() string {
	if d.candidates != nil {
		return d.candidates.Addr()
	}
	return d.cfg.Source.Addr
}

// sourceName is what the source is called, wherever it is.
func (d *Daemon) sourceName() string { return strings.Join(d.cfg.sources(), ",") }

// found is the address that belongs to the name of a server.
func (d *Daemon) found(name string) string {
	if name == d.sourceName() {
		return d.sourceAddr()
	}
	return name
}

// session connects to a server, or to the source by its name.
func (d *Daemon) session(name string, timeout time.Duration) *replicator.Session {
	user, password := d.cfg.Source.User, string(d.cfg.Source.Password)
	if d.candidates != nil && name == d.sourceName() {
		return d.candidates.NewSession(user, password, timeout)
	}
	return replicator.NewSession(name, user, password, timeout, d.tls.replicator(name))
}

func (d *Daemon) doubt() string {
	if d.candidates == nil {
		return ""
	}
	return d.candidates.Doubt()
}

var errSourceMoved = errors.New("the source has moved, and its stream is not followed yet; nothing can be proved")

// wasSource reports whether a server that was sampled is the one whose stream is still followed, although another one is
// the source by now: it was compared with itself.
func (d *Daemon) wasSource(addr string, server identity.Identity) bool {
	return d.candidates != nil && addr != d.sourceAddr() && slices.Contains(d.cfg.Source.Addrs, addr) && server == d.following()
}
