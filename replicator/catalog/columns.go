package catalog

import (
	"context"
	"strings"
)

// column is a row of information_schema.COLUMNS.
type column struct {
	rawName
	name, kind, extra, expression string
}

// isTime: MariaDB adds a comment to the type of columns in the format of before 10.1.2.
func (c column) isTime() bool {
	kind := strings.ToLower(c.kind)
	return strings.HasPrefix(kind, "time") && !strings.HasPrefix(kind, "timestamp")
}

func (c column) isVirtual() bool { return strings.Contains(strings.ToUpper(c.extra), "VIRTUAL") }

// readColumns reads the few columns that matter. On MariaDB the types are in the .frm files, which are opened, but
// not the tables.
func (l *loader) readColumns(ctx context.Context) (int, error) {
	rows, err := l.query(ctx, 6, `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, EXTRA, GENERATION_EXPRESSION
		FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA `+notSystem+` AND (DATA_TYPE LIKE 'time%' OR EXTRA LIKE '%VIRTUAL%')`+
		l.except("TABLE_SCHEMA", "TABLE_NAME"))
	for _, r := range rows {
		l.columns = append(l.columns, column{rawName{r[0], r[1]}, r[2], r[3], r[4], r[5]})
	}
	return len(rows), err
}
