package replicator

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/replicator/gtid"
)

// TestPitfall1SamplesNeverRunAhead holds what a source says it has applied against what it shows: whatever kind of
// change it is, once a sample covers it, a statement that starts afterwards must see it.
//
// Each kind makes a visible number grow by one with every change. A reader samples, reads the number, samples, reads;
// afterwards the binlog tells how many changes each sample covered.
func TestPitfall1SamplesNeverRunAhead(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, SyncBinlog: 1})
		for _, k := range kindsOfChange {
			t.Run(k.name, func(t *testing.T) { watch(t, s, flavor, k) })
		}
	})
}

// kindOfChange makes the number n visible.
type kindOfChange struct {
	name    string
	prepare []string
	change  func(n int) []string
	visible string // what the statement starts with that makes the number visible
	show    string
}

var kindsOfChange = []kindOfChange{
	{
		name:    "update",
		visible: "UPDATE",
		prepare: []string{"CREATE TABLE t (v INT) ENGINE=InnoDB", "INSERT INTO t VALUES (0)"},
		change:  func(n int) []string { return []string{fmt.Sprintf("UPDATE t SET v = %d", n)} },
		show:    "SELECT v FROM t",
	},
	{
		name:    "XA from its own connection",
		visible: "XA COMMIT",
		prepare: []string{"CREATE TABLE t (v INT) ENGINE=InnoDB", "INSERT INTO t VALUES (0)"},
		change: func(n int) []string {
			return []string{"XA START 'x'", fmt.Sprintf("UPDATE t SET v = %d", n), "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"}
		},
		show: "SELECT v FROM t",
	},
	{
		name:    "XA one phase",
		visible: "XA COMMIT",
		prepare: []string{"CREATE TABLE t (v INT) ENGINE=InnoDB", "INSERT INTO t VALUES (0)"},
		change: func(n int) []string {
			return []string{"XA START 'x'", fmt.Sprintf("UPDATE t SET v = %d", n), "XA END 'x'", "XA COMMIT 'x' ONE PHASE"}
		},
		show: "SELECT v FROM t",
	},
	{
		name:    "view",
		visible: "CREATE",
		prepare: []string{"CREATE VIEW t AS SELECT 0 AS v"},
		change:  func(n int) []string { return []string{fmt.Sprintf("CREATE OR REPLACE VIEW t AS SELECT %d AS v", n)} },
		show:    "SELECT v FROM t",
	},
	{
		name:    "rename",
		visible: "RENAME",
		prepare: []string{"CREATE TABLE t (v INT) ENGINE=InnoDB", "INSERT INTO t VALUES (0)"},
		change: func(n int) []string {
			return []string{"CREATE TABLE n (v INT) ENGINE=InnoDB", fmt.Sprintf("INSERT INTO n VALUES (%d)", n), "RENAME TABLE t TO o, n TO t", "DROP TABLE o"}
		},
		show: "SELECT v FROM t",
	},
	{
		name:    "MyISAM",
		visible: "UPDATE",
		prepare: []string{"CREATE TABLE t (v INT) ENGINE=MyISAM", "INSERT INTO t VALUES (0)"},
		change:  func(n int) []string { return []string{fmt.Sprintf("UPDATE t SET v = %d", n)} },
		show:    "SELECT v FROM t",
	},
	{
		name:    "column",
		visible: "ALTER",
		prepare: []string{"CREATE TABLE t (i INT, v INT DEFAULT 0) ENGINE=InnoDB", "INSERT INTO t (i) VALUES (0)"},
		change: func(n int) []string {
			return []string{fmt.Sprintf("ALTER TABLE t DROP COLUMN v, ADD COLUMN v INT NOT NULL DEFAULT %d, ALGORITHM=COPY", n)}
		},
		show: "SELECT v FROM t",
	},
}

// observation is what a reader saw after a sample.
type observation struct {
	seq  cache.Seq // MariaDB
	set  *gtid.Set // MySQL
	seen int
}

func watch(t *testing.T, s *sandbox.Server, flavor sandbox.Flavor, k kindOfChange) {
	schema := "w" + regexp.MustCompile(`\W`).ReplaceAllString(k.name, "_")
	sandboxtest.Exec(t, s, append([]string{"CREATE DATABASE " + schema, "USE " + schema}, k.prepare...)...)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	writer := oneConn(t, s, schema)
	ended := ""
	if flavor == sandbox.MariaDB && strings.HasPrefix(k.visible, "XA") { // as Sampler.settle does
		id, err := strconv.ParseUint(oneText(t, writer, "SELECT CONNECTION_ID()"), 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		ended = endedQuery([]uint32{uint32(id)})
	}
	var readers sync.WaitGroup
	seen := make([][]observation, 3)
	for i := range seen {
		readers.Go(func() { seen[i] = observe(ctx, t, s, flavor, schema, k.show, ended) })
	}
	ends := makeChanges(ctx, t, s, flavor, writer, k)
	readers.Wait()
	n := 0
	for _, list := range seen {
		for _, o := range list {
			n++
			if covered := o.covered(ends); covered > o.seen {
				t.Fatalf("a sample covers %d changes, but the statement after it saw %d", covered, o.seen)
			}
		}
	}
	if n < 20 || len(ends) < 2 {
		t.Fatalf("only %d observations of %d changes", n, len(ends))
	}
	t.Logf("%d observations of %d changes", n, len(ends))
}

// end is where a change ends: in the binlog, or as a GTID.
type end struct {
	seq  cache.Seq
	gtid *gtid.Set
}

// covered returns the number of the last change that the sample contains.
func (o observation) covered(ends []end) (n int) {
	for i, e := range ends {
		if e.gtid != nil && o.set.Covers(e.gtid) || e.gtid == nil && o.seq >= e.seq {
			n = i + 1
		}
	}
	return n
}

func observe(ctx context.Context, t *testing.T, s *sandbox.Server, flavor sandbox.Flavor, schema, show, ended string) (all []observation) {
	conn := oneConn(t, s, schema)
	for ctx.Err() == nil {
		o := sample(t, conn, flavor)
		if ended != "" && oneText(t, conn, ended) != "0" {
			continue
		}
		if err := conn.QueryRowContext(context.Background(), show).Scan(&o.seen); err == nil {
			all = append(all, o)
		}
	}
	return all
}

func sample(t *testing.T, conn *sql.Conn, flavor sandbox.Flavor) (o observation) {
	if flavor == sandbox.MySQL {
		o.set = mustSet(t, gtid.MySQL, oneText(t, conn, "SELECT @@global.gtid_executed"))
		return o
	}
	status := map[string]string{}
	rows, err := conn.QueryContext(context.Background(), "SHOW STATUS WHERE Variable_name IN ('Binlog_snapshot_file', 'Binlog_snapshot_position')")
	if err != nil {
		t.Error(err)
		return o
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Error(err)
		}
		status[name] = value
	}
	o.seq = mustSeq(t, status["Binlog_snapshot_file"], status["Binlog_snapshot_position"])
	return o
}

// makeChanges goes on until ctx ends, and notes after each where the binlog is: nobody else writes.
func makeChanges(ctx context.Context, t *testing.T, s *sandbox.Server, flavor sandbox.Flavor, conn *sql.Conn, k kindOfChange) (ends []end) {
	for n := 1; ctx.Err() == nil; n++ {
		for _, statement := range k.change(n) {
			if _, err := conn.ExecContext(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
				return ends
			}
			if strings.HasPrefix(statement, k.visible) {
				ends = append(ends, whereItEnds(t, s, flavor))
			}
		}
	}
	return ends
}

func whereItEnds(t *testing.T, s *sandbox.Server, flavor sandbox.Flavor) end {
	p, err := s.Position(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if flavor == sandbox.MySQL {
		return end{gtid: mustSet(t, gtid.MySQL, p.GTID)}
	}
	return end{seq: mustSeq(t, p.File, strconv.FormatUint(p.Pos, 10))}
}

func mustSet(t *testing.T, f gtid.Flavor, text string) *gtid.Set {
	set, err := gtid.Parse(f, text)
	if err != nil {
		t.Error(err)
	}
	return set
}

func mustSeq(t *testing.T, file, pos string) cache.Seq {
	n, p, err := parsePlace(file, pos)
	if err != nil {
		t.Error(err)
	}
	return cache.At(n, p)
}

func oneConn(t *testing.T, s *sandbox.Server, schema string) *sql.Conn {
	t.Helper()
	db := sandboxtest.RootDB(t, s, schema)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func oneText(t *testing.T, conn *sql.Conn, query string) (text string) {
	if err := conn.QueryRowContext(context.Background(), query).Scan(&text); err != nil {
		t.Error(err)
	}
	return text
}
