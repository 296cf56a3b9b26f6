package catalog

import (
	"context"
	"strconv"
	"strings"

	"weir/cache/dep"
)

// column is a row of information_schema.COLUMNS.
type column struct {
	rawName
	position int // from 1; 0 if the server gave no number
	name     string
	// extra says INVISIBLE, VIRTUAL GENERATED, and more. On MySQL 5.7 and later and MariaDB 10.2 and later a column that
	// is generated is VIRTUAL or STORED.
	extra, expression string
	described         dep.Described
}

// isTime: MariaDB adds a comment to the type of columns in the format of before 10.1.2.
func (c column) isTime() bool {
	kind := strings.ToLower(c.described.DataType)
	return strings.HasPrefix(kind, "time") && !strings.HasPrefix(kind, "timestamp")
}

func (c column) isVirtual() bool { return strings.Contains(strings.ToUpper(c.extra), "VIRTUAL") }

// listColumns are in no order: MySQL gives a table's columns in that of their names.
const listColumns = `SELECT TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE,
	CHARACTER_SET_NAME, COLLATION_NAME, EXTRA, GENERATION_EXPRESSION FROM information_schema.COLUMNS`

// readColumns reads all columns. On MariaDB they are in the .frm files, which are opened, but not the tables.
func (l *loader) readColumns(ctx context.Context, p portion) ([]column, error) {
	rows, err := l.ask(ctx, 10, p, listColumns, "TABLE_SCHEMA", "TABLE_NAME")
	columns := make([]column, 0, len(rows))
	for _, r := range rows {
		columns = append(columns, l.column(r))
	}
	return columns, err
}

func (l *loader) column(r []string) column {
	position, err := strconv.Atoi(r[2])
	if err != nil {
		position = 0
	}
	described := dep.Described{DataType: strings.ToLower(r[4]), ColumnType: r[5], Charset: r[6], Collation: r[7], MariaDB: l.mariaDB}
	return column{rawName{r[0], r[1]}, position, r[3], r[8], r[9], described}
}
