package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// writer changes the shop on the source, at a steady pace.
type writer struct {
	addr    string
	dice    *dice
	every   time.Duration
	commits *atomic.Int64
}

// run writes until it is told that it is enough. ctx cuts a statement off.
func (w *writer) run(ctx context.Context, enough <-chan struct{}) error {
	return withConn(ctx, w.addr, func(conn *sql.Conn) error {
		tick := time.NewTicker(w.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-enough:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if err := w.once(ctx, conn); err != nil {
				return fmt.Errorf("write to %s: %w", w.addr, err)
			}
		}
	})
}

// once makes one commit. The server may choose a transaction as the victim of a deadlock, and means it to be repeated.
func (w *writer) once(ctx context.Context, conn *sql.Conn) error {
	a := actions[pick(w.dice.Rand, len(actions), func(i int) int { return actions[i].share })]
	statements := a.statements(w.dice)
	for {
		err := commit(ctx, conn, statements)
		if !isDeadlock(err) {
			w.commits.Add(1)
			return err
		}
	}
}

func commit(ctx context.Context, conn *sql.Conn, statements []string) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing, and after an error that one counts
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%q: %w", statement, err)
		}
	}
	return tx.Commit()
}

func isDeadlock(err error) bool {
	const deadlock = 1213
	var said *mysql.MySQLError
	return errors.As(err, &said) && said.Number == deadlock
}

// action is one thing that happens in a shop: the statements of one transaction.
type action struct {
	share      int // of a hundred
	statements func(*dice) []string
}

// actions happen to popular things, since these are what is in the cache. None takes back what another has done: prices
// and points only rise, stocks only fall, an order that came in during the run is not shipped in it. So no question
// of [kinds] gets an answer again that it had before another one.
var actions = []action{
	{10, raisePrice},
	{10, sellOne},
	{35, order},
	{35, ship},
	{10, givePoints},
}

func raisePrice(d *dice) []string {
	return []string{fmt.Sprintf("UPDATE products SET price = price + 0.01 WHERE id = %d", 1+d.rank(d.sizes.Products))}
}

func sellOne(d *dice) []string {
	return []string{fmt.Sprintf("UPDATE products SET stock = stock - 1 WHERE id = %d", 1+d.rank(d.sizes.Products))}
}

func givePoints(d *dice) []string {
	return []string{fmt.Sprintf("UPDATE customers SET points = points + 1 WHERE id = %d", 1+d.rank(d.sizes.Customers))}
}

func order(d *dice) []string {
	one, two := 1+d.rank(d.sizes.Products), 1+d.rank(d.sizes.Products)
	return []string{
		fmt.Sprintf("INSERT INTO orders (customer_id, created, status, total) SELECT %d, '%s', 'open', SUM(price) FROM products WHERE id IN (%d, %d)",
			1+d.rank(d.sizes.Customers), today, one, two),
		fmt.Sprintf("INSERT INTO items SELECT LAST_INSERT_ID(), IF(id = %d, 1, 2), id, 1, price FROM products WHERE id IN (%[1]d, %d)", one, two),
	}
}

// ship sends the latest order that is still open, up to a popular one.
func ship(d *dice) []string {
	latest := d.sizes.Orders - d.rank(d.sizes.Orders)
	return []string{fmt.Sprintf("UPDATE orders SET status = 'shipped' WHERE status = 'open' AND id <= %d ORDER BY id DESC LIMIT 1", latest)}
}
