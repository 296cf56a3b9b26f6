package inflight_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/ddlwatch"
	"weir/ddlwatch/inflight"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// tablesOnly knows no views.
type tablesOnly struct{}

func (tablesOnly) IsView(dep.Name) bool        { return false }
func (tablesOnly) IsInnoDB(dep.Name) bool      { return false }
func (tablesOnly) HasPrimaryKey(dep.Name) bool { return false }

// read is what the daemon passes, as near as matters here.
func read(schema, sql string) (kind string, tables []dep.Name, ddl bool) {
	e := ddlwatch.Read(schema, sql, tablesOnly{})
	return e.Kind, e.Tables, !e.Unsure && (e.Schema || e.Kind == "truncate" || e.Kind == "optimize_table")
}

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
