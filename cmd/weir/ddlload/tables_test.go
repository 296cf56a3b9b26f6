package ddlload

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"weir/deployments/sandbox"
)

// The schema, and the account of the readers. Weir's own has what the README tells people to grant.
const (
	schema                     = "shop"
	appUser, appPassword       = "app", "app-secret"
	weirUser, weirPassword     = "weir", "weir-secret"
	weirGrants                 = "SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"
	smallRows                  = 1000
	firstRows, rowsOfStatement = 500, 250_000
)

// root is a connection that may do everything.
type root struct {
	db   *sql.DB
	conn *sql.Conn
}

func openRoot(ctx context.Context, s *sandbox.Server) (*root, error) {
	db, err := s.RootDB("")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &root{db, conn}, nil
}

func (r *root) close() {
	r.conn.Close()
	r.db.Close()
}

func (r *root) run(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := r.conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.100s: %w", s, err)
		}
	}
	return nil
}

// makeTables makes everything, with nothing of it in the binlog: no Weir follows yet.
func makeTables(ctx context.Context, r *root, tables map[string]int) error {
	if err := r.run(ctx, "CREATE DATABASE "+schema, "USE "+schema); err != nil {
		return err
	}
	for name, rows := range tables {
		create := "CREATE TABLE " + name + " (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, amount INT NOT NULL, note CHAR(220) CHARACTER SET latin1 NOT NULL) ENGINE=InnoDB"
		if err := r.run(ctx, create); err != nil {
			return err
		}
		if err := r.fill(ctx, name, rows); err != nil {
			return err
		}
	}
	return nil
}

// fill makes rows 1 to rows, without telling the binlog. The table is empty.
func (r *root) fill(ctx context.Context, table string, rows int) error {
	if err := r.run(ctx, "SET sql_log_bin = 0", firstOnes(table, min(rows, firstRows))); err != nil {
		return err
	}
	for have := min(rows, firstRows); have < rows; {
		more := min(have, rows-have, rowsOfStatement)
		err := r.run(ctx, fmt.Sprintf(`INSERT INTO %[1]s SELECT id + %[2]d, CRC32(id + %[2]d) %% 1000000, CRC32(-id - %[2]d) %% 1000, REPEAT(SHA2(id + %[2]d, 256), 3)
			FROM %[1]s WHERE id <= %[3]d`, table, have, more))
		if err != nil {
			return err
		}
		have += more
	}
	return r.run(ctx, "SET sql_log_bin = 1", "ANALYZE NO_WRITE_TO_BINLOG TABLE "+table)
}

func firstOnes(table string, rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table + " VALUES ")
	for id := 1; id <= rows; id++ {
		fmt.Fprintf(&b, "(%d, %d, %d, REPEAT(SHA2(%d, 256), 3)),", id, id*7919%1_000_000, id%1000, id)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// size is that of a table with its indexes, in bytes, as the server estimates it.
func (r *root) size(ctx context.Context, table string) (bytes int64, err error) {
	const size = "SELECT data_length + index_length FROM information_schema.tables WHERE table_schema = '" + schema + "' AND table_name = ?"
	err = r.conn.QueryRowContext(ctx, size, table).Scan(&bytes)
	return bytes, err
}
