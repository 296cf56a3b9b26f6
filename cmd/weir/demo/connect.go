package demo

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// The accounts: the shop's own, and Weir's.
const (
	shopUser, shopPassword = "shop", "shop-secret"
	weirUser, weirPassword = "weir", "weir-secret"
)

var (
	shopGrants = []string{"ALL PRIVILEGES ON " + schema + ".*"}
	weirGrants = []string{"SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"}
)

// open returns a pool of so many connections as the shop's account. All statements are sent without arguments, so that
// they go as text (COM_QUERY).
func open(addr string, connections int) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", addr, shopUser, shopPassword, schema
	c.Logger = &mysql.NopLogger{} // what it would print is in the errors
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure a connection to %s: %w", addr, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// withConn runs f with one connection, which is not replaced if it breaks: that would hide it.
func withConn(ctx context.Context, addr string, f func(*sql.Conn) error) error {
	db, err := open(addr, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to %s as %s: %w", addr, shopUser, err)
	}
	defer conn.Close()
	return f(conn)
}

// answer is a result as text: a line for each row, a bar between columns.
type answer string

// first is the first column of the first row.
func (a answer) first() string {
	_, rows, _ := strings.Cut(string(a), "\n")
	if i := strings.IndexAny(rows, "|\n"); i >= 0 {
		return rows[:i]
	}
	return rows
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ask runs a statement and reads all that comes back.
func ask(ctx context.Context, q queryer, text string) (answer, error) {
	rows, err := q.QueryContext(ctx, text)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	return read(rows)
}

func read(rows *sql.Rows) (answer, error) {
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, pointers := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, "|") + "\n")
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return "", err
		}
		writeRow(&b, values)
	}
	return answer(b.String()), rows.Err()
}

func writeRow(b *strings.Builder, values []sql.RawBytes) {
	for i, v := range values {
		if i > 0 {
			b.WriteByte('|')
		}
		if v == nil {
			b.WriteString("NULL")
		} else {
			b.Write(v)
		}
	}
	b.WriteByte('\n')
}
