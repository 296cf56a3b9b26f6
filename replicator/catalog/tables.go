package catalog

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
)

// everyTable are the portions of a question for names, none of which is left out.
func (l *loader) everyTable() []portion {
	if l.scope != nil {
		return each(l.scope, l.legacy)
	}
	return []portion{{everywhere(nil)}}
}

// readTables reads names, types and engines. On MariaDB that opens .frm files, but no table; more columns would.
//
// It is the only query that gives up on a locked table. The ones after it leave the locked names out and wait for all
// others as long as it takes, since they would leave out what they gave up on without a word.
func (l *loader) readTables(ctx context.Context) (int, error) {
	if _, err := l.q.Query(ctx, "SET SESSION lock_wait_timeout = 1"); err != nil {
		return 0, err
	}
	rows, err := l.gather(ctx, 4, l.everyTable(), "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES", "TABLE_SCHEMA", "TABLE_NAME")
	_, again := l.q.Query(ctx, "SET SESSION lock_wait_timeout = DEFAULT")
	for _, r := range rows {
		l.tables = append(l.tables, table{rawName{r[0], r[1]}, r[2], r[3]})
	}
	return len(rows), errors.Join(err, again)
}

// gather asks for one portion after the other.
func (l *loader) gather(ctx context.Context, columns int, portions []portion, sql, schemaColumn, tableColumn string) ([][]string, error) {
	var all [][]string
	for _, p := range portions {
		rows, err := l.ask(ctx, columns, p, sql, schemaColumn, tableColumn)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// ask asks for one portion. A name of which two conditions hold is told twice; each row counts once.
func (l *loader) ask(ctx context.Context, columns int, p portion, sql, schemaColumn, tableColumn string) ([][]string, error) {
	rows, err := l.query(ctx, columns, p.query(sql, schemaColumn, tableColumn))
	if err != nil || len(p) < 2 {
		return rows, err
	}
	seen := make(map[string]bool, len(rows))
	return slices.DeleteFunc(rows, func(r []string) bool {
		id := strings.Join(r, "\x00")
		again := seen[id]
		seen[id] = true
		return again
	}), nil
}

// locked are the names that could not be read, as many as a query leaves out.
func (l *loader) locked() []rawName {
	var names []rawName
	for _, t := range l.tables {
		if t.unreadable() && len(names) < maxExcept {
			names = append(names, t.rawName)
		}
	}
	return names
}

// readable are the names that could be read.
func (l *loader) readable() []rawName {
	var names []rawName
	for _, t := range l.tables {
		if !t.unreadable() {
			names = append(names, t.rawName)
		}
	}
	return names
}

// everyReadable are the portions of a question about the names that could be read, with up to so many in one.
func (l *loader) everyReadable(most int) []portion {
	if l.scope != nil {
		return each(l.readable(), l.legacy)
	}
	return divide(l.readable(), l.locked(), most)
}

// readViews reads definitions: MySQL and MariaDB print them with the schema before every table, also where CREATE
// VIEW had none.
func (l *loader) readViews(ctx context.Context) (int, error) {
	rows, err := l.gather(ctx, 3, l.everyReadable(math.MaxInt), "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS", "TABLE_SCHEMA", "TABLE_NAME")
	l.definitions = make(map[rawName]string, len(rows))
	for _, r := range rows {
		l.definitions[rawName{r[0], r[1]}] = r[2]
	}
	return len(rows), err
}

func (l *loader) readTriggers(ctx context.Context) (int, error) {
	rows, err := l.gather(ctx, 2, l.everyReadable(math.MaxInt), "SELECT DISTINCT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS", "EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")
	l.triggers = make(map[rawName]bool, len(rows))
	for _, r := range rows {
		l.triggers[rawName{r[0], r[1]}] = true
	}
	return len(rows), err
}
