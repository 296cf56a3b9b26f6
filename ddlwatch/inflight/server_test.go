package inflight_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache/dep"
	"weir/ddlwatch"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/target"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
)

// tablesOnly knows no views.
type tablesOnly struct{}

func (tablesOnly) IsView(dep.Name) bool { return false }

// read is what the daemon passes, as near as matters here.
func read(schema, sql string) (kind string, tables []dep.Name, ddl bool) {
	e := ddlwatch.Read(schema, sql, tablesOnly{})
	return e.Kind, e.Tables, !e.Unsure && (e.Schema || e.Kind == "truncate" || e.Kind == "optimize_table")
}

// grants are those of Weir's account, as the README has them.
var grants = []string{"SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"}

// world is a server that is watched, with a table app.t and a log.
type world struct {
	*testing.T
	server *sandbox.Server
	root   *sql.DB
	target *target.Server
	log    lines
}

// lines is a log in memory.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T, server *sandbox.Server, account string, grants ...string) *world {
	if err := server.CreateUser(t.Context(), account, "secret", grants...); err != nil {
		t.Fatal(err)
	}
	session := replicator.NewSession(server.Addr(), account, "secret", 5*time.Second, replicator.TLS{})
	t.Cleanup(session.Close)
	return &world{
		T: t, server: server, root: sandboxtest.RootDB(t, server, "app"),
		target: &target.Server{Addr: server.Addr(), Source: true, Query: session.Query},
	}
}

// watch runs a watch for as long as the test.
func (w *world) watch() *inflight.Watch {
	watch := inflight.New([]*target.Server{w.target}, inflight.Config{Idle: 100 * time.Millisecond, Busy: 50 * time.Millisecond},
		read, slog.New(slog.NewTextHandler(&w.log, nil)), nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); watch.Run(ctx) }()
	w.Cleanup(func() { cancel(); <-done })
	return watch
}

// await polls until what is under way is as wanted.
func (w *world) await(watch *inflight.Watch, what string, wanted func(all []inflight.DDL) bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 30*time.Second)
	defer cancel()
	for !wanted(watch.Now()) {
		if err := watch.Await(ctx); err != nil {
			w.Fatalf("%s: not seen; last: %s\nlog:\n%s", what, show(watch.Now()), w.log.String())
		}
	}
}

func show(all []inflight.DDL) string {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "%+v blocker %+v\n", d, d.Blocker)
	}
	return b.String()
}

// behind runs statements that nobody waits for here; their connections end with the test.
func (w *world) behind(statements ...string) *sync.WaitGroup {
	var all sync.WaitGroup
	for _, statement := range statements {
		all.Go(func() {
			rows, err := w.root.QueryContext(w.Context(), statement)
			if err == nil {
				rows.Close()
			}
		})
	}
	return &all
}

// hold opens a transaction that has read app.t, and says which connection it is.
func (w *world) hold() (conn *sql.Conn, id uint64) {
	w.Helper()
	conn, err := w.root.Conn(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	if err := conn.QueryRowContext(w.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		w.Fatal(err)
	}
	for _, statement := range []string{"BEGIN", "SELECT COUNT(*) FROM t"} {
		if _, err := conn.ExecContext(w.Context(), statement); err != nil {
			w.Fatal(err)
		}
	}
	return conn, id
}

func (w *world) release(conn *sql.Conn) {
	w.Helper()
	if _, err := conn.ExecContext(w.Context(), "ROLLBACK"); err != nil {
		w.Fatal(err)
	}
}

func one(all []inflight.DDL, is func(d inflight.DDL) bool) bool {
	return len(all) == 1 && is(all[0])
}

func none(all []inflight.DDL) bool { return len(all) == 0 }

var (
	appT  = []dep.Name{{Schema: "app", Table: "t"}}
	setUp = []string{"CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY, a VARCHAR(200))", "INSERT INTO app.t VALUES (1,'a'),(2,'b')"}
)

// TestPitfall54BlockerIsNamed: a transaction is idle, an ALTER waits for it, and reads pile up behind the ALTER.
func TestPitfall54BlockerIsNamed(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		sandboxtest.Exec(t, server, setUp...)
		w := newWorld(t, server, "weir", grants...)
		watch := w.watch()
		guess := flavor == sandbox.MariaDB // without the plugin
		w.pileUp(watch, guess)
		if flavor == sandbox.MariaDB {
			sandboxtest.Exec(t, server, "INSTALL SONAME 'metadata_lock_info'")
			w.pileUp(w.watch(), false)
		}
		w.shadowsSeen()
	})
}

func (w *world) pileUp(watch *inflight.Watch, guess bool) {
	w.Helper()
	conn, blocker := w.hold()
	alter := w.behind("ALTER TABLE t ADD COLUMN b INT")
	w.await(watch, "the ALTER that waits, and for whom", func(all []inflight.DDL) bool {
		return one(all, func(d inflight.DDL) bool {
			return d.Waiting && d.Blocker != nil && d.Blocker.ID == blocker && d.Blocker.Guess == guess
		})
	})
	readers := w.behind("SELECT * FROM t", "SELECT id FROM t WHERE id = 1", "/* a comment */ SELECT 1 FROM t")
	w.await(watch, "three waiters", func(all []inflight.DDL) bool {
		return one(all, func(d inflight.DDL) bool { return d.Waiters == 3 })
	})
	w.check(watch.Now()[0])
	w.release(conn)
	alter.Wait()
	readers.Wait()
	w.await(watch, "the end", none)
	sandboxtest.Exec(w, w.server, "ALTER TABLE app.t DROP COLUMN b")
	w.await(watch, "the end", none)
}

func (w *world) check(d inflight.DDL) {
	w.Helper()
	if d.Kind != "alter_table" || !slices.Equal(d.Tables, appT) || d.Statement != "ALTER TABLE t ADD COLUMN b INT" {
		w.Errorf("%+v", d)
	}
	if age := time.Since(d.Since); age < 0 || age > time.Minute {
		w.Errorf("began %s ago", age)
	}
	if d.Blocker.User != "root" || d.Blocker.Command != "Sleep" {
		w.Errorf("blocker %+v", d.Blocker)
	}
	if w.server.Flavor == sandbox.MySQL && !d.Blocker.Guess && d.Blocker.Statement != "SELECT COUNT(*) FROM t" {
		w.Errorf("the blocker's last statement is %q", d.Blocker.Statement)
	}
}

// shadowsSeen runs what the tools do to begin with, and takes it back.
func (w *world) shadowsSeen() {
	w.Helper()
	sandboxtest.Exec(w, w.server, "USE app", "CREATE TABLE _t_gho LIKE t", "CREATE TABLE _t_new LIKE t", "CREATE TABLE _gone_gho LIKE t",
		"CREATE TRIGGER pt_osc_app_t_del AFTER DELETE ON t FOR EACH ROW DELETE IGNORE FROM _t_new WHERE id = OLD.id")
	watch := w.watch() // looks at once; one that has looked waits for some seconds
	w.await(watch, "both tools", func(all []inflight.DDL) bool {
		return len(all) == 2 && all[0].Tool == inflight.GhOst && all[1].Tool == inflight.PtOSC &&
			slices.Equal(all[0].Tables, appT) && slices.Equal(all[1].Tables, appT)
	})
	sandboxtest.Exec(w, w.server, "USE app", "DROP TRIGGER pt_osc_app_t_del", "DROP TABLE _t_gho")
	w.await(watch, "no tool: a table _t_new alone proves nothing", none)
}

// TestApplier: a replica's applier runs the DDL, and waits for a reader there. MySQL cuts the text.
func TestApplier(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		source := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		sandboxtest.Exec(t, source, setUp...)
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: source})
		if err := replica.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, replica, "look", grants...)
		w.target.Source = false
		watch := w.watch()
		conn, blocker := w.hold()
		comment := strings.Repeat("x", 900)
		sandboxtest.Exec(t, source, fmt.Sprintf("ALTER TABLE app.t ADD COLUMN b INT COMMENT '%s', ADD COLUMN c INT COMMENT '%s'", comment, comment))
		w.await(watch, "the applier's ALTER", func(all []inflight.DDL) bool {
			return one(all, func(d inflight.DDL) bool {
				return d.Waiting && d.Blocker != nil && d.Blocker.ID == blocker && d.Kind == "alter_table" &&
					slices.Equal(d.Tables, appT) && !d.Source && len(d.Statement) <= 1024
			})
		})
		w.release(conn)
		w.await(watch, "the end", none)
	})
}

// TestProgress: a long rebuild says how far it is: on MariaDB one that copies and one that InnoDB does, on MySQL one
// that InnoDB does, if the consumer is on.
func TestProgress(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		sandboxtest.Exec(t, server, setUp...)
		sandboxtest.Exec(t, server, fill(15)...)
		if flavor == sandbox.MySQL {
			sandboxtest.Exec(t, server, "UPDATE performance_schema.setup_consumers SET ENABLED='YES' WHERE NAME='events_stages_current'")
		}
		w := newWorld(t, server, "weir", grants...)
		watch := w.watch()
		w.progress(watch, "ALTER TABLE t FORCE, ALGORITHM=INPLACE")
		if flavor == sandbox.MariaDB {
			w.progress(watch, "ALTER TABLE t FORCE, ALGORITHM=COPY")
		}
	})
}

// progress runs the statement again and again until it is seen: how long it takes depends on the machine.
func (w *world) progress(watch *inflight.Watch, statement string) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			// Ended by ctx. If it fails, the test does, by what it does not see.
			_, _ = w.root.ExecContext(ctx, statement)
		}
	}()
	defer func() { cancel(); <-over }()
	w.await(watch, statement, func(all []inflight.DDL) bool {
		return one(all, func(d inflight.DDL) bool {
			return d.Statement == statement && d.Progress > 0 && d.Progress <= 1 && d.Stage != "" && slices.Equal(d.Tables, appT)
		})
	})
}

// fill doubles the table so many times.
func fill(times int) []string {
	statements := []string{"DELETE FROM app.t WHERE id > 1"}
	for range times {
		statements = append(statements, "INSERT INTO app.t SELECT id + (SELECT MAX(id) FROM app.t), REPEAT('x', 150) FROM app.t")
	}
	return statements
}

// TestGrantsMissing: the account may see nothing, or no metadata locks; the log says how to mend it, once.
func TestGrantsMissing(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		sandboxtest.Exec(t, server, setUp...)
		bare := newWorld(t, server, "bare")
		watch := bare.watch()
		if err := watch.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		bare.warned("GRANT PROCESS ON *.* TO 'bare'@'%'", 1)
		if flavor == sandbox.MySQL {
			bare.warned("GRANT SELECT ON performance_schema.* TO 'bare'@'%'", 1)
		}
		newWorld(t, server, "process", "PROCESS ON *.*").degraded()
	})
}

// TestNoPerformanceSchema: its tables are there, and empty. That must not be taken for a server on which nothing runs.
func TestNoPerformanceSchema(t *testing.T) {
	t.Parallel()
	server := sandboxtest.Server(t, sandbox.Options{Flavor: sandbox.MySQL, Extra: []string{"--performance-schema=OFF"}})
	sandboxtest.Exec(t, server, setUp...)
	w := newWorld(t, server, "weir", grants...)
	w.pileUp(w.watch(), true)
	w.warned("performance_schema is OFF", 1)
}

// degraded sees DDL with PROCESS alone, and guesses at the blocker.
func (w *world) degraded() {
	w.Helper()
	watch := w.watch()
	w.pileUp(watch, true)
	if w.server.Flavor == sandbox.MySQL {
		w.warned("GRANT SELECT ON performance_schema.* TO 'process'@'%'", 1)
	}
	w.warned("GRANT PROCESS", 0)
}

func (w *world) warned(text string, times int) {
	w.Helper()
	if got := strings.Count(w.log.String(), text); got != times {
		w.Errorf("%q is %d times in the log, not %d:\n%s", text, got, times, w.log.String())
	}
}
