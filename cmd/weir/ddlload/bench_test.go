package ddlload

import (
	"context"
	"fmt"
	"testing"
	"time"

	"weir/cmd/weir/daemon"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// bench is one server, and what is measured on it.
type bench struct {
	options
	t      *testing.T
	server *sandbox.Server
	root   *root
	hot    []statement
}

func newBench(ctx context.Context, t *testing.T, o options, f sandbox.Flavor) (*bench, error) {
	b := &bench{options: o, t: t, server: sandboxtest.Server(t, o.server(f))}
	if err := b.server.CreateUser(ctx, weirUser, weirPassword, weirGrants); err != nil {
		return nil, err
	}
	if err := b.server.CreateUser(ctx, appUser, appPassword, "SELECT ON "+schema+".*"); err != nil {
		return nil, err
	}
	var err error
	if b.root, err = openRoot(ctx, b.server); err != nil {
		return nil, err
	}
	t.Cleanup(b.root.close)
	start := time.Now()
	if err := makeTables(ctx, b.root, map[string]int{"big": o.rows, "spare": o.spare, "small": smallRows, herdTable: o.herd.rows}); err != nil {
		return nil, err
	}
	t.Logf("%s %s: tables made in %v", f, b.server.Version, time.Since(start).Round(time.Second))
	b.hot = hotSet(o.statements, o.rows, o.writes > 0)
	return b, learn(ctx, b.server.Addr(), b.hot)
}

// result is everything that is measured on one server.
type result struct {
	server string
	options
	max     float64 // answers per second of the server alone, as fast as it can
	size    int64   // of the large table, in bytes
	changes []outcome
	herd    herd
}

// outcome is one change in three situations.
type outcome struct {
	change
	alone         time.Duration
	without, with trace
}

// measure does all.
func (b *bench) measure(ctx context.Context) (r result, err error) {
	r = result{server: string(b.server.Flavor) + " " + b.server.Version}
	if r.size, err = b.root.size(ctx, "big"); err != nil {
		return r, err
	}
	if r.max, err = b.calibrate(ctx); err != nil {
		return r, fmt.Errorf("calibrate: %w", err)
	}
	if b.rate == 0 {
		b.rate = r.max * b.share
	}
	r.options = b.options
	for _, c := range changes() {
		r.changes = append(r.changes, outcome{change: c})
	}
	for i := range r.changes {
		if err := b.alone(ctx, &r.changes[i]); err != nil {
			return r, err
		}
	}
	for i := range r.changes {
		m := &r.changes[i]
		if m.without, err = b.under(ctx, b.server.Addr(), m.change); err != nil {
			return r, fmt.Errorf("%s without Weir: %w", m.name, err)
		}
	}
	return r, b.withWeir(ctx, &r)
}

func (b *bench) withWeir(ctx context.Context, r *result) (err error) {
	d, stop, err := startWeir(ctx, b.t, b.server)
	if err != nil {
		return err
	}
	defer func() {
		if e := stop(); err == nil {
			err = e
		}
	}()
	for i := range r.changes {
		m := &r.changes[i]
		if m.with, err = b.under(ctx, d.Addr(), m.change); err != nil {
			return fmt.Errorf("%s with Weir: %w", m.name, err)
		}
	}
	r.herd, err = b.stampede(ctx, d)
	return err
}

// calibrate finds how much the server alone answers in a second.
func (b *bench) calibrate(ctx context.Context) (float64, error) {
	l := newLoad(b.server.Addr(), b.hot, b.readers, 0)
	err := l.run(ctx, func(ctx context.Context) error { return wait(ctx, b.options.calibrate) })
	return float64(len(l.samples)) / l.end.Seconds(), err
}

// alone times a change on a server that has nothing else to do.
func (b *bench) alone(ctx context.Context, m *outcome) error {
	start := time.Now()
	if err := b.root.run(ctx, m.do); err != nil {
		return err
	}
	m.alone = time.Since(start)
	return m.undo(ctx, b.root, b.options)
}

// under measures a change while readers read from addr.
func (b *bench) under(ctx context.Context, addr string, c change) (t trace, err error) {
	l := newLoad(addr, b.hot, b.readers, b.rate)
	err = l.run(ctx, func(ctx context.Context) error {
		stop, err := b.write(ctx)
		if err != nil {
			return err
		}
		defer stop()
		return b.during(ctx, l, c.do, &t)
	})
	if err != nil {
		return t, err
	}
	t.until, t.bin, t.samples = l.end, b.bin(), l.samples
	b.t.Logf("%s %s through %s: %v", b.server.Flavor, c.name, addr, t.took())
	if err := wait(ctx, time.Duration(daemon.Default().MaxStaleness)*time.Duration(min(1, b.writes))); err != nil {
		return t, err
	}
	if err := compare(ctx, addr, b.server.Addr(), b.hot); err != nil {
		return t, fmt.Errorf("after the change: %w", err)
	}
	return t, c.undo(ctx, b.root, b.options)
}

// during makes the change in the middle of the load.
func (b *bench) during(ctx context.Context, l *load, do string, t *trace) error {
	if err := wait(ctx, b.before); err != nil {
		return err
	}
	t.begun = time.Since(l.start)
	if err := b.root.run(ctx, do); err != nil {
		return err
	}
	t.ended = time.Since(l.start)
	return wait(ctx, b.after)
}

// bin is a second if the run is long enough for that.
func (b *bench) bin() time.Duration { return min(time.Second, b.before/4) }

// wait waits, unless ctx ends first.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
