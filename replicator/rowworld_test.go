package replicator

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator/change"
)

// rowWorld is a server, its stream, and what the stream has told. Tables are in the schema shop.
type rowWorld struct {
	t      *testing.T
	server *sandbox.Server
	db     *sql.DB
	ledger *cache.Ledger
	watch  *dep.Watch
	schema *fixedSchema
	reader *Reader
	tagged dictionary

	mu   sync.Mutex
	seen []*change.Transaction
	next change.Applier
}

func newRowWorld(t *testing.T, o sandbox.Options) *rowWorld {
	w := &rowWorld{t: t, server: sandboxtest.Server(t, o), schema: newFixedSchema(), tagged: dictionary{}}
	if err := w.server.CreateUser(t.Context(), "weir", "secret", "ALL PRIVILEGES ON *.*"); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Exec(t, w.server, "CREATE DATABASE shop")
	w.db = sandboxtest.RootDB(t, w.server, "shop")
	w.db.SetMaxIdleConns(-1) // what a statement sets ends with it
	w.ledger = cache.NewLedger(1 << 16)
	w.watch = dep.NewWatch(w.ledger)
	log := slog.New(slog.DiscardHandler)
	journal := NewJournal()
	recorder := NewRecorder(w.ledger, journal, w.schema, log, nil)
	recorder.Watch = w.watch
	w.next = recorder
	cfg := DefaultConfig()
	cfg.Addr, cfg.User, cfg.Password = w.server.Addr(), "weir", "secret"
	source := NewSource(cfg)
	w.reader = NewReader(cfg, source, w.ledger, journal, w, log, nil)
	w.reader.Precision = &Precision{Watch: w.watch, Schema: w.schema}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { w.reader.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done; source.Close() })
	w.caughtUp()
	return w
}

// Apply implements [change.Applier].
func (w *rowWorld) Apply(ctx context.Context, t *change.Transaction) {
	w.mu.Lock()
	if len(t.Statements) > 0 || touches(t) {
		w.seen = append(w.seen, t)
	}
	next := w.next
	w.mu.Unlock()
	next.Apply(ctx, t)
}

// readTexts puts a stage before the recorder.
func (w *rowWorld) readTexts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = textsToTables{w.next}
}

// caughtUp waits until everything that the server has written is recorded.
func (w *rowWorld) caughtUp() {
	w.t.Helper()
	p, err := w.server.Position(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(w.t.Context(), 30*time.Second, fmt.Errorf("the stream does not come to %s:%d", p.File, p.Pos))
	defer cancel()
	n, pos, err := parsePlace(p.File, fmt.Sprint(p.Pos))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.ledger.WaitHead(ctx, cache.At(n, pos)); err != nil {
		w.t.Fatalf("%v: %v", err, w.reader.State().Err)
	}
}

// prepare runs statements and forgets what they did.
func (w *rowWorld) prepare(statements ...string) {
	w.t.Helper()
	w.tell(statements...)
}

// tell runs statements on one connection and says what each transaction with rows touched.
func (w *rowWorld) tell(statements ...string) string {
	w.t.Helper()
	w.caughtUp()
	w.mu.Lock()
	w.seen = nil
	w.mu.Unlock()
	conn, err := w.db.Conn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range statements {
		if _, err := conn.ExecContext(w.t.Context(), s); err != nil {
			w.t.Fatalf("%s: %v", s, err)
		}
	}
	w.caughtUp()
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, t := range w.seen {
		if text := w.tagged.show(t); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, " | ")
}

// learn gives the schema the tables that the server has now.
func (w *rowWorld) learn(tables ...string) {
	w.t.Helper()
	for _, table := range tables {
		w.schema.set(dep.Fold("shop", table), w.shape(table))
	}
}

// shape takes integers for what they are and all else for Opaque: which types have values of their own is not the subject.
func (w *rowWorld) shape(table string) *dep.Shape {
	w.t.Helper()
	rows, err := w.db.Query("SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, EXTRA FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION", table)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var columns []dep.Column
	for rows.Next() {
		var name, kind, described, extra string
		if err := rows.Scan(&name, &kind, &described, &extra); err != nil {
			w.t.Fatal(err)
		}
		c := dep.Column{Name: strings.ToLower(name), Virtual: strings.Contains(extra, "VIRTUAL")}
		if strings.HasSuffix(kind, "int") {
			c.Type = dep.TypeOf(dep.Described{DataType: kind, ColumnType: described})
		}
		columns = append(columns, c)
	}
	return dep.NewShape(columns, nil)
}

// follow learns the table and takes up interests in it.
func (w *rowWorld) follow(table string, wants ...dep.Want) {
	w.t.Helper()
	w.learn(table)
	w.want(table, wants...)
}

func (w *rowWorld) want(table string, wants ...dep.Want) {
	n := dep.Fold("shop", table)
	w.watch.Want(n, wants)
	w.tagged.learn(n, wants)
}

// fixedSchema is a schema of which the test says what it is.
type fixedSchema struct {
	mu         sync.Mutex
	shapes     map[dep.Name]*dep.Shape
	cascades   map[dep.Name][]dep.Name
	referenced map[dep.Name][]string
	uncertain  bool
	version    uint64
}

func newFixedSchema() *fixedSchema {
	return &fixedSchema{shapes: map[dep.Name]*dep.Shape{}, cascades: map[dep.Name][]dep.Name{}, referenced: map[dep.Name][]string{}}
}

func (s *fixedSchema) set(n dep.Name, shape *dep.Shape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shapes[n] = shape
	s.version++
}

func (s *fixedSchema) parent(n dep.Name, referenced []string, children ...dep.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cascades[n], s.referenced[n] = children, referenced
	s.version++
}

func (s *fixedSchema) Shape(n dep.Name) *dep.Shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shapes[n]
}

func (s *fixedSchema) Cascades(n dep.Name) []dep.Name {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cascades[n]
}

func (s *fixedSchema) Referenced(n dep.Name) (columns []string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.referenced[n], s.referenced[n] != nil
}

func (s *fixedSchema) Uncertain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uncertain
}

func (*fixedSchema) Blank() bool { return false }

func (s *fixedSchema) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// dictionary gives tags the names under which tests speak of them: id=5 for a row, r@4/0/0 for the buckets of a value at
// the three levels, a~ for a changed column, +- for the set of rows, ! for the anchor. They are those of values from 0 to
// 999, of columns of a signed integer type.
type dictionary map[cache.Tag]string

func (d dictionary) learn(n dep.Name, wants []dep.Want) {
	d[n.Rowset()], d[n.Anchor()] = "+-", "!"
	for _, w := range wants {
		kind := dep.Type{Class: dep.Whole, Name: "int"}
		key := n.RowKey(w.Column)
		for v := range uint64(1000) {
			literal := dep.Literal{Kind: dep.WholeLiteral, Magnitude: v}
			encoded, _ := kind.AppendLiteral(nil, literal)
			position, _ := kind.LiteralPosition(literal)
			d[key.Row(encoded)] = fmt.Sprintf("%s=%d", w.Column, v)
			for level := range uint8(dep.Levels) {
				b := dep.BucketOf(position, level)
				d[key.Bucket(b)] = fmt.Sprintf("%s@%d/%d", w.Column, level, v>>(6*(level+1)))
			}
		}
		d[n.Column(w.Column)] = w.Column + "~"
	}
}

// show writes what a transaction touched, names of tables without their schema: "t: id=1 +-" for one that is told by its
// rows, "t WHOLE" for one that is not. Tags of all tables are with the last.
func (d dictionary) show(t *change.Transaction) string {
	var parts []string
	for _, n := range t.Tables {
		parts = append(parts, n.Table+" WHOLE")
	}
	for _, n := range t.Rows {
		mark := ":"
		if slices.Contains(t.Parents, n) {
			mark = " (children):"
		}
		parts = append(parts, n.Table+mark)
	}
	names := map[string]bool{}
	for _, tag := range t.Tags {
		name, ok := d[tag]
		if !ok {
			name = "?"
		}
		names[name] = true
	}
	parts = append(parts, slices.Sorted(maps.Keys(names))...)
	if t.Everything != "" {
		parts = append(parts, "EVERYTHING")
	}
	return strings.Join(parts, " ")
}

// textsToTables takes every statement in text for a change to the table parent: the stage that reads them is elsewhere.
type textsToTables struct{ next change.Applier }

func (s textsToTables) Apply(ctx context.Context, t *change.Transaction) {
	if len(t.Statements) > 0 {
		t.Touch(dep.Fold("shop", "parent"))
	}
	s.next.Apply(ctx, t)
}
