package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir/replicator/lag"
)

// row is the prober's row as it is seen somewhere: a change gets there after some time. Each question takes a
// millisecond.
type row struct {
	delay     time.Duration
	value     answer
	changed   time.Time
	asked     int
	failAfter int // questions; 0 is never
}

func (r *row) change(_ context.Context, statement string) error {
	value, _ := strings.CutPrefix(statement, "UPDATE probe SET value = ")
	value, _ = strings.CutSuffix(value, " WHERE id = 1")
	r.value, r.changed = answer("value\n"+value+"\n"), time.Now()
	return nil
}

func (r *row) ask(context.Context, string) (answer, error) {
	if r.asked++; r.failAfter > 0 && r.asked > r.failAfter {
		return "", errors.New("gone away")
	}
	seen := answer("value\n0\n")
	if time.Since(r.changed) >= r.delay {
		seen = r.value
	}
	wait(context.Background(), nil, time.Millisecond)
	return seen, nil
}

func TestProber(t *testing.T) {
	const never = time.Hour
	for _, c := range []struct {
		name          string
		weir, replica time.Duration // how long the change takes to be seen
		lag           time.Duration // that is noted, rounded up to a bucket; 0 if none is
		stale, behind int64
	}{
		{name: "at once", lag: lag.EndOf(lag.BucketOf(time.Millisecond))},
		{name: "after a while", weir: 40 * time.Millisecond, lag: lag.EndOf(lag.BucketOf(41 * time.Millisecond))},
		{name: "just in time", weir: time.Second, lag: lag.EndOf(lag.BucketOf(1001 * time.Millisecond))},
		{name: "after max_staleness", weir: 2 * time.Second, lag: lag.EndOf(lag.BucketOf(2021 * time.Millisecond)), stale: 1},
		{name: "after max_staleness, the replica too", weir: 2 * time.Second, replica: 2 * time.Second, lag: lag.EndOf(lag.BucketOf(2021 * time.Millisecond)), behind: 1},
		{name: "never", weir: never, stale: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			weir, replica := &row{delay: c.weir}, &row{delay: c.replica}
			var seen histogram
			var f findings
			p := prober{weir: weir.ask, replica: replica.ask, maxStaleness: time.Second, lag: &seen, findings: &f}
			p.change = func(ctx context.Context, statement string) error {
				return errors.Join(weir.change(ctx, statement), replica.change(ctx, statement))
			}
			enough, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if err := p.once(t.Context(), enough.Done(), 7); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			got := seen.counts()
			if q := got.quantile(1); q != c.lag {
				t.Errorf("%s: lag %v, want %v", c.name, q, c.lag)
			}
			if f.stale.n.Load() != c.stale || f.behind.Load() != c.behind {
				t.Errorf("%s: %d stale, %d behind; want %d and %d", c.name, f.stale.n.Load(), f.behind.Load(), c.stale, c.behind)
			}
		})
	}
}

func TestProberError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		weir := &row{delay: time.Hour, failAfter: 3}
		var lag histogram
		p := prober{change: weir.change, weir: weir.ask, maxStaleness: time.Second, lag: &lag}
		err := p.run(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), "measure the lag: gone away") {
			t.Errorf("got error %v", err)
		}
		if n := lag.counts(); n.total() != 0 {
			t.Errorf("%d changes were seen, want none", n.total())
		}
	})
}
