package sandbox

import (
	"context"
	"database/sql"
)

// rows returns the rows of a query, each by column name. NULL is the empty string.
func rows(ctx context.Context, conn *sql.Conn, query string) ([]map[string]string, error) {
	result, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	names, err := result.Columns()
	if err != nil {
		return nil, err
	}
	var all []map[string]string
	for result.Next() {
		row, err := scanRow(result, names)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, result.Err()
}

func scanRow(result *sql.Rows, names []string) (map[string]string, error) {
	values, targets := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := result.Scan(targets...); err != nil {
		return nil, err
	}
	row := make(map[string]string, len(names))
	for i, name := range names {
		row[name] = values[i].String
	}
	return row, nil
}

// row returns the first row of a query as root by column name, nil if there is none.
func (s *Server) row(ctx context.Context, query string) (first map[string]string, err error) {
	err = onSocket(ctx, s.Socket, s.Root, func(conn *sql.Conn) error {
		all, err := rows(ctx, conn, query)
		if len(all) > 0 {
			first = all[0]
		}
		return err
	})
	return first, err
}
