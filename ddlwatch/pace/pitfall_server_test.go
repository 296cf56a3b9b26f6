package pace

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall54OnServers: a transaction is idle after a SELECT, an ALTER waits for it, and nobody has told the gates.
// Sixty-four reads come at once. Four go to the server and do not come back; the others stay.
func TestPitfall54OnServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newPileUp(t, flavor)
		blocker := w.begin("SELECT * FROM orders")
		altered := w.alter()
		w.until("the ALTER waits", func() bool { return w.waiting("ALTER") == 1 })

		w.read(64, "SELECT * FROM orders", orders)
		w.until("sixty reads wait at the gate", func() bool {
			s, _ := stateOf(w.gates, orders)
			return s.Phase == PhasePileUp && s.Waiting == 60
		})
		if n := w.waiting("SELECT"); n != 4 {
			t.Errorf("%d reads wait at the server, want 4", n)
		}
		if _, err := w.db.ExecContext(t.Context(), "SELECT * FROM items"); err != nil {
			t.Error(err)
		}

		if err := blocker.Rollback(); err != nil {
			t.Error(err)
		}
		if err := <-altered; err != nil {
			t.Error(err)
		}
		w.gates.Piled(orders, false)
		w.readers.Wait()
		wantNothingInside(t, w.gates)
	})
}

// pileUp is a server, its gates, and who reads through them.
type pileUp struct {
	t       *testing.T
	db      *sql.DB
	gates   *Gates
	readers sync.WaitGroup
}

func newPileUp(t *testing.T, flavor sandbox.Flavor) *pileUp {
	s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
	sandboxtest.Exec(t, s, "CREATE DATABASE shop", "CREATE TABLE shop.orders (id INT PRIMARY KEY)", "CREATE TABLE shop.items (id INT PRIMARY KEY)")
	cfg := DefaultConfig()
	cfg.StallReads = 4
	w := &pileUp{t: t, db: sandboxtest.RootDB(t, s, "shop"), gates: newGates(cfg)}
	var asking sync.WaitGroup
	w.gates.OnStall = func(n dep.Name) {
		asking.Go(func() { w.gates.Verdict(n, w.waiting("SELECT") > 0) })
	}
	ctx, stop := context.WithCancel(context.Background())
	asking.Go(func() { w.gates.Run(ctx) })
	t.Cleanup(func() { stop(); asking.Wait() })
	return w
}

// begin leaves a transaction open that has run the statement.
func (w *pileUp) begin(statement string) *sql.Tx {
	tx, err := w.db.BeginTx(w.t.Context(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := tx.ExecContext(w.t.Context(), statement); err != nil {
		w.t.Fatal(err)
	}
	return tx
}

func (w *pileUp) alter() <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := w.db.ExecContext(w.t.Context(), "ALTER TABLE orders ADD COLUMN note INT")
		done <- err
	}()
	return done
}

func (w *pileUp) read(n int, statement string, table dep.Name) {
	for range n {
		w.readers.Go(func() {
			leave, err := w.gates.Enter(w.t.Context(), []dep.Name{table})
			if err != nil {
				w.t.Error(err)
				return
			}
			defer leave()
			if _, err := w.db.ExecContext(w.t.Context(), statement); err != nil && !errors.Is(err, context.Canceled) {
				w.t.Error(err)
			}
		})
	}
}

// waiting is how many statements that begin with the word wait for a metadata lock.
func (w *pileUp) waiting(word string) (n int) {
	const q = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'Waiting for table metadata lock' AND INFO LIKE ?"
	if err := w.db.QueryRowContext(w.t.Context(), q, word+" %").Scan(&n); err != nil {
		w.t.Error(err)
	}
	return n
}

func (w *pileUp) until(what string, so func() bool) {
	w.t.Helper()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for deadline := time.Now().Add(20 * time.Second); !so(); <-every.C {
		if time.Now().After(deadline) {
			w.t.Fatalf("it is not so that %s; the gates are %+v", what, w.gates.State())
		}
	}
}

func wantNothingInside(t *testing.T, g *Gates) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for n, known := range g.tables {
		if known.inside != 0 || known.waiting != 0 {
			t.Errorf("%d reads of %s are left over, and %d wait", known.inside, n, known.waiting)
		}
	}
}
