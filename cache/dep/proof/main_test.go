package proof

import (
	"context"
	"database/sql"
	"flag"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var every = flag.Bool("every", false, "compare every character of the basic plane under every collation: minutes")

// session is a connection to a server, whose settings stay.
type session struct {
	*testing.T
	conn *sql.Conn
}

func startServer(t *testing.T, flavor sandbox.Flavor, extra ...string) (*sandbox.Server, session) {
	s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, Extra: extra})
	conn, err := sandboxtest.RootDB(t, s, "").Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return s, session{t, conn}
}

func (s session) exec(statement string, args ...any) {
	s.Helper()
	if _, err := s.conn.ExecContext(s.Context(), statement, args...); err != nil {
		s.Fatalf("%.200s: %v", statement, err)
	}
}

// query gives all rows of a result, NULL as an empty text.
func (s session) query(query string, args ...any) (all [][]string) {
	s.Helper()
	rows, err := s.conn.QueryContext(s.Context(), query, args...)
	if err != nil {
		s.Fatalf("%.200s: %v", query, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			s.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		s.Fatalf("%.200s: %v", query, err)
	}
	return all
}
