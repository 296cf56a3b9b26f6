package inflight_test

import (
	"slices"
	"strings"
	"time"

	"weir/ddlwatch/inflight"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

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

func (w *world) warned(text string, times int) {
	w.Helper()
	if got := strings.Count(w.log.String(), text); got != times {
		w.Errorf("%q is %d times in the log, not %d:\n%s", text, got, times, w.log.String())
	}
}
