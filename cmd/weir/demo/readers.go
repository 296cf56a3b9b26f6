package demo

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

// reader asks one question after the other on one connection, as fast as it is answered.
type reader struct {
	addr    string
	dice    *dice
	latency *histogram
	wrong   *wrongs
	samples chan<- string // statements for the auditor, who takes one when it has time for it; may be nil
}

// run reads until it is told that it is enough. ctx cuts a statement off.
func (r *reader) run(ctx context.Context, enough <-chan struct{}) error {
	return withConn(ctx, r.addr, func(conn *sql.Conn) error {
		for !over(enough) {
			if err := r.once(ctx, conn); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *reader) once(ctx context.Context, conn *sql.Conn) error {
	q := r.dice.question()
	start := time.Now()
	a, err := ask(ctx, conn, q.text)
	if err != nil {
		return fmt.Errorf("read from %s: %q: %w", r.addr, q.text, err)
	}
	r.latency.add(time.Since(start))
	if q.first != "" && a.first() != q.first {
		r.wrong.note(fmt.Sprintf("%s\nanswered with what belongs to another statement:\n%s", q.text, a))
	}
	select {
	case r.samples <- q.text:
	default:
	}
	return nil
}

// wrongs counts answers that are wrong and keeps the first.
type wrongs struct {
	n     atomic.Int64
	first atomic.Pointer[string]
}

func (w *wrongs) note(what string) {
	w.n.Add(1)
	w.first.CompareAndSwap(nil, &what)
}

func (w *wrongs) example() string {
	if p := w.first.Load(); p != nil {
		return *p
	}
	return ""
}

func over(enough <-chan struct{}) bool {
	select {
	case <-enough:
		return true
	default:
		return false
	}
}
