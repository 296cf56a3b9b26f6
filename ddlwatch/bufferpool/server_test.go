package bufferpool

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"weir/ddlwatch/target"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// real is a real server for the probe, asked by an account without any privilege.
func real(t *testing.T, s *sandbox.Server) *target.Server {
	t.Helper()
	if err := s.CreateUser(t.Context(), "nobody", "secret"); err != nil {
		t.Fatal(err)
	}
	db, err := s.DB("nobody", "secret", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &target.Server{Addr: s.Addr(), Source: true, Query: func(ctx context.Context, q string) ([][]string, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return texts(ctx, db, q)
	}}
}

// texts runs a query whose rows have two columns.
func texts(ctx context.Context, db *sql.DB, q string) (all [][]string, err error) {
	rows, err := db.QueryContext(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row := make([]string, 2)
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

const rows = 4096

// fill makes a table of about 2,000 pages, half of the pool of 64 MiB.
func fill(t *testing.T, s *sandbox.Server) {
	t.Helper()
	sandboxtest.Exec(t, s, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, pad VARBINARY(8000) NOT NULL)",
		"INSERT INTO d.t VALUES (0, REPEAT('x', 8000))")
	for n := 1; n < rows; n *= 2 {
		sandboxtest.Exec(t, s, fmt.Sprintf("INSERT INTO d.t SELECT id + %d, pad FROM d.t", n))
	}
}

// points reads n rows by their key, in an order in which no read-ahead helps.
func points(t *testing.T, db *sql.DB, from, n int) {
	t.Helper()
	var length int
	for i := from; i < from+n; i++ {
		if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT LENGTH(pad) FROM d.t WHERE id = %d", i*797%rows)).Scan(&length); err != nil {
			t.Fatal(err)
		}
	}
}

// seen waits for a reading that will do. Some work is done for each reading, so that what a reading shows does not depend
// on how fast the machine is.
func seen(t *testing.T, readings <-chan Reading, what string, work func(), will func(Reading) bool) Reading {
	t.Helper()
	var last Reading
	for deadline := time.After(30 * time.Second); ; {
		work()
		select {
		case last = <-readings:
			if will(last) {
				return last
			}
		case <-deadline:
			t.Fatalf("no reading was %s; the last was %+v", what, last)
		}
	}
}

// TestPitfall55Restart: a server is read, restarted, and read again. Its pool is found warm, cold or warming, and warm.
func TestPitfall55Restart(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, Extra: []string{
			"--innodb-buffer-pool-load-at-startup=OFF", "--innodb-buffer-pool-dump-at-shutdown=OFF", "--innodb-random-read-ahead=OFF",
		}})
		fill(t, s)
		db := sandboxtest.RootDB(t, s, "")
		readings := make(chan Reading, 1024)
		server := real(t, s)
		loads(t, s, server)
		p := New([]*target.Server{server}, Config{Idle: 250 * time.Millisecond}, nil, nil)
		p.OnReading = func(r Reading) { readings <- r }
		defer watch(p)()

		warm := seen(t, readings, "warm", func() { points(t, db, 0, 300) }, func(r Reading) bool {
			_, known := p.server().usual()
			return r.State == Warm && r.telling && known
		})
		plausible(t, warm)
		restarted := time.Now()
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := 0
		cold := seen(t, readings, "cold or warming", func() { points(t, db, next, 300); next += 300 }, func(r Reading) bool {
			return r.State == Cold || r.State == Warming
		})
		if !(cold.Data < warm.Data) {
			t.Errorf("after the restart the pool holds %v of its pages, before it %v", cold.Data, warm.Data)
		}
		seen(t, readings, "warm again", func() { points(t, db, next, 300); next += 300 }, func(r Reading) bool { return r.State == Warm && r.telling })
		if low, usual := p.Low(s.Addr(), restarted), p.Baseline(s.Addr()).HitRatio; !(low < usual) {
			t.Errorf("the lowest hit ratio is %v, the usual one %v", low, usual)
		}
	})
}

func (p *Probe) server() *server { return p.servers[0] }

// usual is the baseline's share of misses.
func (s *server) usual() (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.judge.base.miss()
}

// watch runs p until stop is called.
func watch(p *Probe) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	return func() { cancel(); <-done }
}

// plausible: both flavours tell everything that a reading has room for.
func plausible(t *testing.T, r Reading) {
	t.Helper()
	if r.PoolBytes < 60<<20 || r.PoolBytes > 64<<20 {
		t.Errorf("the pool of 64 MiB has %d bytes", r.PoolBytes)
	}
	if !(r.Free > 0 && r.Data > .3 && r.Free+r.Data <= 1.001 && r.Dirty >= 0 && r.Dirty <= r.Data) {
		t.Errorf("shares do not fit: %+v", r)
	}
	if !(r.HitRatio > .5 && r.HitRatio <= 1 && r.Requests > 0 && r.Reads >= 0 && r.WaitFree >= 0) {
		t.Errorf("rates do not fit: %+v", r)
	}
}

// loads: the server says of the load of its dump what [sample.loading] knows.
func loads(t *testing.T, s *sandbox.Server, server *target.Server) {
	t.Helper()
	sandboxtest.Exec(t, s, "SET GLOBAL innodb_buffer_pool_dump_now = ON")
	for deadline := time.Now().Add(10 * time.Second); ; {
		sandboxtest.Exec(t, s, "SET GLOBAL innodb_buffer_pool_load_now = ON")
		last, err := ask(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(last.load, "load completed") && last.loading() == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the status of the load is %q", last.load)
		}
	}
}
