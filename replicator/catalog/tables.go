package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// readTables reads names, types and engines. On MariaDB that opens .frm files, but no table; more columns would.
//
// It is the only query that gives up on a locked table. The ones after it leave the locked names out and wait for all
// others as long as it takes, since they would leave out what they gave up on without a word.
func (l *loader) readTables(ctx context.Context) (int, error) {
	if _, err := l.q.Query(ctx, "SET SESSION lock_wait_timeout = 1"); err != nil {
		return 0, err
	}
	rows, err := l.query(ctx, 4, "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA "+notSystem)
	_, again := l.q.Query(ctx, "SET SESSION lock_wait_timeout = DEFAULT")
	for _, r := range rows {
		l.tables = append(l.tables, table{rawName{r[0], r[1]}, r[2], r[3]})
	}
	return len(rows), errors.Join(err, again)
}

// except returns conditions that leave out the names that could not be read. The server looks at names before it
// opens anything.
func (l *loader) except(schemaColumn, tableColumn string) string {
	var conditions strings.Builder
	left := maxExcept
	for _, t := range l.tables {
		if t.unreadable() && left > 0 {
			left--
			fmt.Fprintf(&conditions, " AND NOT (%s = %s AND %s = %s)", schemaColumn, literal(t.schema), tableColumn, literal(t.table))
		}
	}
	return conditions.String()
}

// readViews reads definitions: MySQL and MariaDB print them with the schema before every table, also where CREATE
// VIEW had none.
func (l *loader) readViews(ctx context.Context) (int, error) {
	rows, err := l.query(ctx, 3, "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA "+
		notSystem+l.except("TABLE_SCHEMA", "TABLE_NAME"))
	l.definitions = make(map[rawName]string, len(rows))
	for _, r := range rows {
		l.definitions[rawName{r[0], r[1]}] = r[2]
	}
	return len(rows), err
}

func (l *loader) readTriggers(ctx context.Context) (int, error) {
	rows, err := l.query(ctx, 2, "SELECT DISTINCT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA "+
		notSystem+l.except("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE"))
	l.triggers = make(map[rawName]bool, len(rows))
	for _, r := range rows {
		l.triggers[rawName{r[0], r[1]}] = true
	}
	return len(rows), err
}
