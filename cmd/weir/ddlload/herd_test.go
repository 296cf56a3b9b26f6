package ddlload

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"weir/cmd/weir/daemon"
)

// herdTable is the table on which everything that is cached becomes unservable at once, and is wanted again.
const herdTable = "herd"

// reading is how many reads of the table the server had at one moment, and how many Weir said it would let in then; 0 if
// it did not say.
type reading struct {
	at           time.Duration // since the change began
	reads, limit int
}

// herd is what the server had to do after a change of shape while many readers wanted everything of its table.
type herd struct {
	readings []reading
	trace
	gates bool // Weir limits reads around changes
	// through is how many reads were let in without regard to the limit, since they had waited long enough.
	through int
	// waits is how many reads had to wait. It tells of a limit that came and went between two readings.
	waits int
}

// readingEvery is how often the server is looked at.
const readingEvery = 20 * time.Millisecond

// stampede has readers ask for everything as fast as they are answered, and changes the table.
func (b *bench) stampede(ctx context.Context, d *daemon.Daemon) (h herd, err error) {
	hot := sums(herdTable, b.herd.keys)
	if err := learn(ctx, b.server.Addr(), hot); err != nil {
		return h, err
	}
	look, err := openRoot(ctx, b.server)
	if err != nil {
		return h, err
	}
	defer look.close()
	l := newLoad(d.Addr(), hot, b.herd.readers, 0)
	inner := *b
	inner.before, inner.after = b.herd.before, b.herd.after
	err = l.run(ctx, func(ctx context.Context) error {
		looking, stop := context.WithCancel(ctx)
		g, _ := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			h.readings, err = look.watch(looking, d, l.start)
			return err
		})
		err := inner.during(ctx, l, "ALTER TABLE "+herdTable+" ADD COLUMN extra INT NOT NULL DEFAULT 7, ALGORITHM=COPY", &h.trace)
		stop()
		return firstOf(err, g.Wait())
	})
	if err != nil {
		return h, fmt.Errorf("herd: %w", err)
	}
	for i := range h.readings {
		h.readings[i].at -= h.begun
	}
	h.until, h.bin, h.samples = l.end, inner.bin(), l.samples
	h.gates, h.through = hasGates(d), int(sum(values(d, "weir_ddl_gate_through_total")))
	h.waits = int(sum(values(d, "weir_ddl_gate_waits_total")))
	return h, compare(ctx, d.Addr(), b.server.Addr(), hot[:min(len(hot), 500)])
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// watch counts the readers' statements in the server until ctx ends.
func (r *root) watch(ctx context.Context, d *daemon.Daemon, start time.Time) (all []reading, err error) {
	const count = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '" + appUser + "' AND command IN ('Query', 'Execute') AND info LIKE '%FROM " + herdTable + "%'"
	tick := time.NewTicker(readingEvery)
	defer tick.Stop()
	for {
		x := reading{at: time.Since(start)}
		if err := r.conn.QueryRowContext(context.WithoutCancel(ctx), count).Scan(&x.reads); err != nil {
			return all, err
		}
		if limits := values(d, "weir_ddl_gate_limit"); len(limits) > 0 {
			x.limit = int(slices.Max(limits))
		}
		all = append(all, x)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return all, nil
		}
	}
}

// peak is the most reads that were seen since the change began while there was a limit, or at all if there was none; and
// the highest limit.
func (h herd) peak() (reads, limit int) {
	for _, x := range h.readings {
		limit = max(limit, x.limit)
	}
	for _, x := range h.readings {
		if x.at >= 0 && (x.limit > 0 || limit == 0) {
			reads = max(reads, x.reads)
		}
	}
	return reads, limit
}

// above is how many readings had more reads than the limit was then. A limit that is lowered sends nobody away who is in
// the server already, so there may be a few; there is none that is above the highest limit.
func (h herd) above() (n int) {
	for _, x := range h.readings {
		if x.limit > 0 && x.reads > x.limit {
			n++
		}
	}
	return n
}

// check says what is wrong with the readings.
func (h herd) check() error {
	reads, limit := h.peak()
	switch {
	case !h.gates:
		return nil // what there is not, cannot be exceeded; the report says so
	case limit == 0 && h.waits == 0:
		return fmt.Errorf("a change of shape under load, no limit was seen in %d readings, and nobody had to wait", len(h.readings))
	case limit > 0 && reads > limit && h.through == 0:
		return fmt.Errorf("%d reads at the server at once, with a limit of %d at most", reads, limit)
	}
	return nil
}

// hasGates says whether this Weir limits reads around changes at all.
func hasGates(d *daemon.Daemon) bool {
	families, err := d.Registry().Gather()
	return err == nil && slices.ContainsFunc(families, func(f family) bool { return strings.HasPrefix(f.GetName(), "weir_ddl_gate_") })
}
