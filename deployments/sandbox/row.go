package sandbox

import (
	"context"
	"database/sql"
)

// firstRow returns the first row of a query by column name, empty if there is none. NULL is the empty string.
func firstRow(ctx context.Context, conn *sql.Conn, query string) (map[string]string, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || !rows.Next() {
		return map[string]string{}, rowsError(rows, err)
	}
	return scanRow(rows, names)
}

func rowsError(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	return rows.Err()
}

func scanRow(rows *sql.Rows, names []string) (map[string]string, error) {
	values, targets := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, err
	}
	row := make(map[string]string, len(names))
	for i, name := range names {
		row[name] = values[i].String
	}
	return row, nil
}
