package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"weir/cache"
)

// fakeSource is a source and its stream. What it shows, what its binlog has and what the ledger has recorded are set
// by hand, so that a test can stop anywhere in the race.
type fakeSource struct {
	legacy bool // as MariaDB

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at every change
	head     cache.Seq     // recorded in the ledger
	visible  cache.Seq     // shown by the source
	position cache.Seq     // end of the binlog
	views    map[string]string
	keys     [][]string // child, parent, type
	locked   []string   // names that a statement holds
	indexes  []string   // unique ones of s.t, over its only column
	grants   string
	fail     error           // of every query
	asked    func()          // called when the position is asked for
	hold     <-chan struct{} // keeps the query for views waiting until closed
	queries  []string
	loads    int
}

func newFakeSource() *fakeSource {
	return &fakeSource{
		changed: make(chan struct{}),
		views:   map[string]string{},
		grants:  "GRANT SELECT, PROCESS, SHOW VIEW, TRIGGER ON *.* TO `weir`@`%`",
	}
}

// set changes the source under its lock.
func (f *fakeSource) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// at makes binlog, source and ledger agree.
func (f *fakeSource) at(seq cache.Seq) {
	f.set(func() { f.head, f.visible, f.position = seq, seq, seq })
}

func (f *fakeSource) loadCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loads
}

func (f *fakeSource) queryCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queries)
}

func (f *fakeSource) await(ctx context.Context, ready func() bool) error {
	for {
		f.mu.Lock()
		ok, changed := ready(), f.changed
		f.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (f *fakeSource) WaitHead(ctx context.Context, seq cache.Seq) error {
	return f.await(ctx, func() bool { return f.head >= seq })
}

// Covered fails as a real one may: of what is not recorded nobody can say whether it is visible.
func (f *fakeSource) Covered(ctx context.Context, seq cache.Seq) error {
	f.mu.Lock()
	head := f.head
	f.mu.Unlock()
	if head < seq {
		return fmt.Errorf("asked for %v at head %v", seq, head)
	}
	return f.await(ctx, func() bool { return f.visible >= seq })
}

func (f *fakeSource) Position(context.Context) (cache.Seq, error) {
	f.mu.Lock()
	position, asked := f.position, f.asked
	f.mu.Unlock()
	if asked != nil {
		asked()
	}
	return position, nil
}

func (f *fakeSource) Query(ctx context.Context, sql string) ([][]string, error) {
	rows, hold, err := f.answer(sql)
	rows = asked(rows, sql)
	if hold == nil {
		return rows, err
	}
	select {
	case <-hold:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return rows, err
}

func (f *fakeSource) answer(sql string) (rows [][]string, hold <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sql = strings.Join(strings.Fields(sql), " ")
	f.queries = append(f.queries, sql)
	if f.fail != nil {
		return nil, nil, f.fail
	}
	switch {
	case strings.HasPrefix(sql, "SET "):
	case sql == "SHOW GRANTS":
		f.loads++
		return lines(f.grants), nil, nil
	case strings.Contains(sql, "'INNODB_SYS_FOREIGN'"):
		return [][]string{{f.list()}}, nil, nil
	case strings.Contains(sql, "information_schema."+f.list()):
		return f.foreignKeys(strings.HasSuffix(sql, "_COLS")), nil, nil
	case strings.HasPrefix(sql, "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES"):
		return names(f.tables()), nil, nil
	case strings.Contains(sql, "information_schema.TABLES"):
		return f.tables(), nil, nil
	case strings.Contains(sql, "information_schema.VIEWS"):
		return f.definitions(), f.hold, nil
	case strings.Contains(sql, "information_schema.TRIGGERS"):
		return [][]string{{"s", "t"}}, nil, nil
	case strings.Contains(sql, "information_schema.COLUMNS"):
		return [][]string{{"s", "u", "1", "Begins", "time", "time", "", "", "", ""}, {"s", "t", "1", "id", "int", "int", "", "", "", ""}}, nil, nil
	case strings.Contains(sql, "information_schema.STATISTICS"):
		return f.statistics(), nil, nil
	default:
		return nil, nil, fmt.Errorf("unexpected query %q", sql)
	}
	return nil, nil, nil
}

// asked keeps the rows of the names in a question for some.
func asked(rows [][]string, sql string) [][]string {
	if !strings.Contains(sql, " WHERE TABLE_SCHEMA = 's'") && !strings.Contains(sql, " WHERE EVENT_OBJECT_SCHEMA = 's'") {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r []string) bool {
		return !strings.Contains(sql, literal(r[0])) || !strings.Contains(sql, literal(r[1]))
	})
}

func names(rows [][]string) [][]string {
	var all [][]string
	for _, r := range rows {
		all = append(all, r[:2])
	}
	return all
}

func (f *fakeSource) list() string {
	if f.legacy {
		return "INNODB_SYS_FOREIGN"
	}
	return "INNODB_FOREIGN"
}

// foreignKeys are the list of keys, each over one column, or that of their columns.
func (f *fakeSource) foreignKeys(columns bool) [][]string {
	var rows [][]string
	for i, k := range f.keys {
		id := fmt.Sprintf("s/k%d", i)
		if columns {
			rows = append(rows, []string{id, "ID"})
		} else {
			rows = append(rows, []string{id, k[0], k[1], "1", k[2]})
		}
	}
	return rows
}

// tables are s.t and s.u, and the views.
func (f *fakeSource) tables() [][]string {
	rows := [][]string{{"s", "t", "BASE TABLE", "InnoDB"}, {"s", "u", "BASE TABLE", "InnoDB"}}
	for _, name := range slices.Sorted(maps.Keys(f.views)) {
		rows = append(rows, []string{"s", name, "VIEW", ""})
	}
	for _, name := range f.locked {
		rows = append(rows, []string{"s", name, "BASE TABLE", ""})
	}
	return rows
}

func (f *fakeSource) statistics() [][]string {
	rows := [][]string{{"s", "t", "PRIMARY", "0", "1", "id", ""}}
	for _, index := range f.indexes {
		rows = append(rows, []string{"s", "t", index, "0", "1", "id", ""})
	}
	return rows
}

func (f *fakeSource) definitions() [][]string {
	var rows [][]string
	for name, definition := range f.views {
		rows = append(rows, []string{"s", name, definition})
	}
	return rows
}
