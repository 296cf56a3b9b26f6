package daemon

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tallyRows is how many rows the table shop.t has, with ids from 0.
const tallyRows = 12

// tallyBound is max_staleness: so short that a change lasts several times as long.
const tallyBound = 200 * time.Millisecond

// tally is a table under writes that say what a read must find. The writer adds one to n, in one row after the other; so
// after k writes row id has had (k - id + tallyRows - 1) / tallyRows of them, and the sum of all is k. A read must find all
// that was committed max_staleness before it was asked, and nothing that was not written yet.
type tally struct {
	*world
	t *testing.T

	mu        sync.Mutex
	committed []time.Time // when the answer to each write was there
	begun     int         // writes sent
	reads     atomic.Int64
}

// begin starts the writer and some readers, and returns what ends them, once.
func (y *tally) begin() (stop func()) {
	quit := make(chan struct{})
	var all sync.WaitGroup
	loop := func(step func(*client, int), c *client) {
		all.Go(func() {
			tick := time.NewTicker(ddlPause)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-quit:
					return
				case <-tick.C:
					step(c, i)
				}
			}
		})
	}
	loop(y.write, y.direct("app", "shop"))
	for range ddlReaders {
		loop(y.read, y.proxy("app", "shop"))
	}
	return sync.OnceFunc(func() { close(quit); all.Wait() })
}

// write makes the next write, and if it fails because of a lock, once more.
func (y *tally) write(c *client, i int) {
	y.mu.Lock()
	y.begun = i + 1
	y.mu.Unlock()
	sql := fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id = %d", i%tallyRows)
	a := c.ask(sql)
	for a == "error 1205" || a == "error 1213" {
		a = c.ask(sql)
	}
	if err := succeeds(a); err != nil {
		y.t.Errorf("write %d: %v", i, err)
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.committed = append(y.committed, time.Now())
}

// wrote is how many writes are committed.
func (y *tally) wrote() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return len(y.committed)
}

// atLeast waits for so many more writes.
func (y *tally) atLeast(n int) {
	y.t.Helper()
	until := y.wrote() + n
	y.eventually("there are more writes", func() bool { return y.wrote() >= until })
}

// read asks for a row, or for the sum, and checks what comes.
func (y *tally) read(c *client, i int) {
	sql, had := "SELECT SUM(n) AS total FROM t", func(k int) int { return k }
	if i%4 != 0 {
		id := i % tallyRows
		sql, had = fmt.Sprintf("SELECT n FROM t WHERE id = %d", id), func(k int) int { return max(0, (k-id+tallyRows-1)/tallyRows) }
	}
	asked := time.Now()
	a := c.ask(sql)
	_, row, _ := strings.Cut(string(a), "\n")
	n, err := strconv.Atoi(strings.TrimSpace(row))
	low, high := y.between(asked.Add(-tallyBound))
	y.reads.Add(1)
	if err != nil || n < had(low) || n > had(high) {
		y.t.Errorf("%s: %q; want a number from %d to %d", sql, a, had(low), had(high))
	}
}

// between returns how many writes were committed at the time, and how many have been sent by now.
func (y *tally) between(at time.Time) (low, high int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for low < len(y.committed) && !y.committed[low].After(at) {
		low++
	}
	return low, y.begun
}
