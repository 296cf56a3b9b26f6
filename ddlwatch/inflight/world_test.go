package inflight_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache/dep"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/target"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator"
)

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
