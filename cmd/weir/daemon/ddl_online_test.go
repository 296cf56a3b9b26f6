package daemon

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// onlineQueries are compared with the source's answers while nobody writes, after the change and five seconds later.
// Rows from 1000 on are never written: that their answers are others is only in the statements of the change.
var onlineQueries = []string{
	"SELECT * FROM t WHERE id = 1003", "SELECT * FROM t WHERE id = 3", "SELECT n FROM t WHERE id = 4", "SELECT SUM(n) AS total FROM t", "SELECT * FROM t ORDER BY id",
	"SELECT id, n FROM t WHERE id BETWEEN 2 AND 5 ORDER BY id", "SELECT * FROM tv ORDER BY id", "SELECT COUNT(*) FROM t", "SELECT v FROM c WHERE id = 1",
}

// onlineWorld is a table that is to be changed under writes, a view over it, and another one.
func onlineWorld(t *testing.T, flavor sandbox.Flavor) *tally {
	t.Helper()
	w := newSource(t, sandbox.Options{Flavor: flavor})
	d := w.direct("app", "")
	for _, sql := range []string{
		"CREATE DATABASE shop", "USE shop", "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, n INT NOT NULL, pad VARCHAR(40)) ENGINE=InnoDB",
		"CREATE TABLE c (id INT PRIMARY KEY, v VARCHAR(10))", "INSERT INTO c VALUES (1, 'one')", "CREATE VIEW tv AS SELECT id, n FROM t WHERE id < 4",
	} {
		d.run(sql)
	}
	for id := range tallyRows {
		d.run(fmt.Sprintf("INSERT INTO t VALUES (%d, 0, REPEAT('x', 40))", id))
	}
	d.run("INSERT INTO t SELECT 1000 + a.id * 12 + b.id, 0, 'copied' FROM t a, t b")
	d.run("ANALYZE TABLE t") // or pt-online-schema-change may take it for empty, and copy all rows at once
	w.start(func(c *Config) { c.MaxStaleness = Duration(tallyBound) })
	w.complete()
	return &tally{world: w, t: t}
}

// changedOnline runs the change with writers and readers at work, and compares what has to be equal.
func (y *tally) changedOnline(change func()) {
	y.t.Helper()
	d, p := y.direct("app", "shop"), y.proxy("app", "shop")
	for _, q := range onlineQueries {
		p.warm(q)
	}
	before := d.ask(onlineQueries[0])
	stop := y.begin()
	defer stop()
	y.atLeast(100)
	change()
	y.atLeast(100)
	stop()
	y.caughtUp()
	y.same(d, p, "right after the change", onlineQueries)
	if after := d.ask(onlineQueries[0]); strings.Count(string(after), "|") == strings.Count(string(before), "|") {
		y.t.Errorf("the table has not changed: %q", after)
	}
	for _, q := range onlineQueries {
		p.warm(q)
	}
	time.Sleep(5 * time.Second) //nolint:forbidigo // a stale refill shows only later
	y.same(d, p, "five seconds later", onlineQueries)
	y.t.Logf("%d writes, %d reads, %.0f hits", y.wrote(), y.reads.Load(), y.counter("weir_statements_total", "outcome", "hit"))
}

// TestPitfall11GhostCutOver goes through what gh-ost does to a table, in its statements: a ghost table is made, changed
// and filled, and takes the table's place while one session holds a lock on it and another one waits with a RENAME, so
// that no statement ever finds no table (gh-ost, go/logic/applier.go, AtomicCutOverMagicLock and AtomicCutoverRename).
// What gh-ost reads from the binlog, the session with the lock reads from the table here.
func TestPitfall11GhostCutOver(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		y := onlineWorld(t, flavor)
		y.changedOnline(y.ghost)
	})
}

func (y *tally) ghost() {
	apply, lock, rename := y.direct("app", "shop"), y.direct("app", "shop"), y.direct("app", "shop")
	for _, sql := range []string{
		"create /* gh-ost */ table `shop`.`_t_ghc` (id bigint unsigned auto_increment, last_update timestamp not null DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, " +
			"hint varchar(64) charset ascii not null, value varchar(4096) charset ascii not null, primary key(id), unique key hint_uidx(hint)) auto_increment=256 comment='gh-ost changelog'",
		"create /* gh-ost */ table `shop`.`_t_gho` like `shop`.`t`",
		"alter /* gh-ost */ table `shop`.`_t_gho` add column extra int not null default 5",
		"insert /* gh-ost */ into `shop`.`_t_ghc` (id, hint, value) values (NULLIF(2, 0), 'state', 'GhostTableMigrated') on duplicate key update last_update=NOW(), value=VALUES(value)",
		"insert /* gh-ost `shop`.`t` iteration:0 */ ignore into `shop`.`_t_gho` (`id`, `n`, `pad`) (select `id`, `n`, `pad` from `shop`.`t` force index (`PRIMARY`) where (`id` >= 0 and `id` <= 99999) lock in share mode)",
	} {
		apply.run(sql)
	}
	y.atLeast(20)
	lock.run("START TRANSACTION")
	lock.run("select /* gh-ost */ get_lock('gh-ost.lock', 0)")
	lock.run("set /* gh-ost */ session lock_wait_timeout:=6")
	apply.run("create /* gh-ost */ table `shop`.`_t_del` (id int auto_increment primary key) engine=InnoDB comment='ghost-cut-over-sentry'")
	lock.run("lock /* gh-ost */ tables `shop`.`t` write, `shop`.`_t_del` write")
	apply.run("insert /* gh-ost */ into `shop`.`_t_ghc` (id, hint, value) values (NULLIF(2, 0), 'state', 'AllEventsUpToLockProcessed') on duplicate key update last_update=NOW(), value=VALUES(value)")
	y.catchUpGhost(lock, apply)
	rename.run("START TRANSACTION")
	rename.run("set /* gh-ost */ session lock_wait_timeout:=3")
	renamed := make(chan answer, 1)
	go func() {
		renamed <- rename.ask("rename /* gh-ost */ table `shop`.`t` to `shop`.`_t_del`, `shop`.`_t_gho` to `shop`.`t`")
	}()
	y.eventually("the RENAME waits for the lock", func() bool {
		return strings.Contains(string(apply.ask("select count(*) as n from information_schema.processlist where id != connection_id() and state like concat('%', 'metadata lock', '%') and info like concat('%', 'rename', '%')")), "1")
	})
	lock.run("drop /* gh-ost */ table if exists `shop`.`_t_del`")
	lock.run("unlock /* gh-ost */ tables")
	lock.run("ROLLBACK")
	if err := succeeds(<-renamed); err != nil {
		y.t.Error(err)
	}
	y.atLeast(20)
	apply.run("drop /* gh-ost */ table if exists `shop`.`_t_ghc`")
	apply.run("drop /* gh-ost */ table if exists `shop`.`_t_del`")
}

// catchUpGhost writes to the ghost table what has changed since it was filled.
func (y *tally) catchUpGhost(lock, apply *client) {
	for line := range strings.Lines(string(lock.ask("select id, n from t where id < 1000 order by id"))) {
		if id, n, ok := strings.Cut(strings.TrimSpace(line), "|"); ok && id != "id" {
			apply.run("replace /* gh-ost `shop`.`_t_gho` */ into `shop`.`_t_gho` (`id`, `n`, `pad`) values (" + id + ", " + n + ", repeat('x', 40))")
		}
	}
}

// TestPitfall11PtOnlineSchemaChange runs Percona's pt-online-schema-change.
func TestPitfall11PtOnlineSchemaChange(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		y := onlineWorld(t, flavor)
		y.changedOnline(func() {
			dsn := fmt.Sprintf("h=127.0.0.1,P=%d,u=app,p=app-secret,D=shop,t=t", y.source.Port)
			args := []string{
				dsn, "--alter", "ADD COLUMN extra INT NOT NULL DEFAULT 5", "--execute", "--no-version-check", "--recursion-method=none",
				"--chunk-size=20", "--chunk-time=0", "--sleep=0.05", "--statistics",
			}
			if flavor == sandbox.MySQL { // it reads EXPLAIN as a table, which is not what MySQL 9 says unasked
				args = append(args, "--set-vars", "explain_format=TRADITIONAL")
			}
			out, err := exec.CommandContext(t.Context(), "pt-online-schema-change", args...).CombinedOutput()
			if err != nil {
				t.Fatalf("pt-online-schema-change: %v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	})
}
