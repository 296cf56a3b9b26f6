package daemon

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/replicator"
)

var suiteFiles = flag.String("suite", "", "files")
var suiteMode = flag.String("mode", "", "mode")
var suiteOnce = flag.Bool("once", false, "mode")

func TestExplore(t *testing.T) {
	t.Setenv("TZ", "GMT-3")
	s := newSuite(t, sandbox.MariaDB)
	for _, f := range strings.Fields(strings.ReplaceAll(*suiteFiles, ",", " ")) {
		start := time.Now()
		t.Run(f, func(t *testing.T) {
			direct, through := s.both(t, f)
			hits, misses := s.world.counter("weir_statements_total", "outcome", "hit"), s.world.counter("weir_statements_total", "outcome", "miss")
			verdict := "EQUAL"
			switch {
			case direct.err != nil && through.err != nil:
				verdict = "BOTHFAIL"
			case direct.err != nil:
				verdict = "DIRECTFAIL"
			case through.err != nil:
				verdict = "THROUGHFAIL"
			case !bytes.Equal(direct.result, through.result):
				verdict = "DIFFER"
			}
			os.WriteFile("/tmp/mtrdl/out/"+f+*suiteMode+".direct", append(direct.result, direct.said...), 0o644)
			os.WriteFile("/tmp/mtrdl/out/"+f+*suiteMode+".through", append(through.result, through.said...), 0o644)
			shipped, _ := os.ReadFile(filepath.Join(suiteDir, "main", f+".result"))
			fmt.Printf("SUITE %-30s %-12s hits %v misses %v shipped %v %.1fs\n", f, verdict, hits, misses, bytes.Equal(shipped, direct.result), time.Since(start).Seconds())
			if os.Getenv("COUNTERS") != "" {
				fmt.Println(s.world.counters())
			}
		})
	}
}

const suiteDir = "/tmp/mtrdl/x/usr/share/mysql/mysql-test"

type suite struct {
	t       *testing.T
	world   *world
	plain   *world
	through *repeater
	direct  *repeater
	dirs    [2]string
	globals map[string]string
}

func newSuite(t *testing.T, flavor sandbox.Flavor) *suite {
	o := sandbox.Options{Flavor: flavor, Extra: []string{
		"--skip-name-resolve=0", "--character-set-server=latin1", "--collation-server=latin1_swedish_ci", "--default-storage-engine=MyISAM",
		"--log-bin-trust-function-creators=1", "--use-stat-tables=preferably", "--histogram-type=json_hb",
		"--sort-buffer-size=256K", "--max-heap-table-size=1M", "--secure-file-priv=", "--debug-no-sync", "--local-infile",
	}}
	s := &suite{t: t}
	for i, p := range []**world{&s.plain, &s.world} {
		s.dirs[i] = t.TempDir()
		o.Dir = s.dirs[i]
		*p = newSource(t, o)
		os.Mkdir(filepath.Join(o.Dir, "tmp"), 0o777)
		os.Symlink(filepath.Dir((*p).source.Socket), filepath.Join(o.Dir, "mysqld.1"))
		os.Symlink(filepath.Join(suiteDir, "std_data"), filepath.Join(o.Dir, "std_data"))
	}
	for _, w := range []*world{s.plain, s.world} {
		w.must(w.source.Exec(t.Context(),
			"CREATE DATABASE mtr", "CREATE PROCEDURE mtr.add_suppression(pattern VARCHAR(255)) DO 0",
			"DROP USER root@'%', app@'%', replica@'%'",
			"ALTER USER root@localhost IDENTIFIED BY ''"))
		w.source.Root.Password = ""
		c := exec.Command("mariadb", "--no-defaults", "-uroot", "--socket="+w.source.Socket, "mysql")
		c.Stdin, _ = os.Open("/usr/share/mysql/mysql_test_data_timezone.sql")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
	}
	for _, w := range []*world{s.plain, s.world} {
		s.globals = s.variables(w)
	}
	return s
}

// probe asks where the binlog ends every few milliseconds.
func (s *suite) probe(t *testing.T) {
	cfg := s.world.weir.cfg.replicator()
	cfg.MaxStaleness = 20 * time.Millisecond
	p := replicator.NewProbe(cfg, s.world.weir.ledger, s.world.weir.reader, s.world.weir.log)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

func (s *suite) settle() {
	l := s.world.weir.ledger
	now := l.Now()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		if at, ok := l.CompleteAsOf(); ok && at >= now && s.world.weir.notReady() == "" {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

type suiteRun struct {
	result, said []byte
	err          error
}

// variables are the global ones.
func (s *suite) variables(w *world) map[string]string {
	db, err := w.source.RootDB("")
	w.must(err)
	defer db.Close()
	rows, err := db.Query("SHOW GLOBAL VARIABLES")
	w.must(err)
	all := map[string]string{}
	for rows.Next() {
		var n, v string
		w.must(rows.Scan(&n, &v))
		all[n] = v
	}
	return all
}

func (s *suite) restore(w *world) {
	db, err := w.source.RootDB("")
	w.must(err)
	defer db.Close()
	for n, v := range s.variables(w) {
		if old := s.globals[n]; v != old {
			if _, err := strconv.Atoi(old); err != nil {
				old = "'" + old + "'"
			}
			if _, err := db.Exec("SET GLOBAL " + n + " = " + old); err == nil {
				fmt.Println("RESTORED", n, v, old)
			}
		}
	}
	rows, err := db.Query("SELECT user, host FROM mysql.user WHERE NOT (user = 'root' AND host = 'localhost') AND user NOT IN ('weir', 'mariadb.sys', 'mysql')")
	w.must(err)
	var drop []string
	for rows.Next() {
		var n, h string
		w.must(rows.Scan(&n, &h))
		if h == "" {
			drop = append(drop, "DROP ROLE `"+n+"`")
		} else {
			drop = append(drop, "DROP USER `"+n+"`@`"+h+"`")
		}
	}
	for _, d := range drop {
		fmt.Println("RESTORED", d)
		if _, err := db.Exec(d); err != nil {
			fmt.Println(err)
		}
	}
}

func (s *suite) both(t *testing.T, file string) (direct, through suiteRun) {
	s.plain.t, s.world.t = t, t
	s.restore(s.plain)
	s.restore(s.world)
	s.clean()
	s.world.start(func(c *Config) {
		c.Users = []User{{Name: "root"}}
		c.Writes = "source"
	})
	s.world.caughtUp()
	s.probe(t)
	s.direct = newRepeater(t, s.plain.source.Addr(), func() {})
	s.through = newRepeater(t, s.world.weir.Addr(), s.settle)
	s.direct.once, s.through.once = *suiteOnce, *suiteOnce
	done := make(chan struct{})
	go func() { direct = s.run(file, s.direct, s.plain); close(done) }()
	through = s.run(file, s.through, s.world)
	<-done
	return direct, through
}

func (s *suite) clean() {
	for _, w := range []*world{s.plain, s.world} {
		db, err := w.source.RootDB("")
		w.must(err)
		rows, err := db.Query("SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'mtr')")
		w.must(err)
		var names []string
		for rows.Next() {
			var n string
			w.must(rows.Scan(&n))
			names = append(names, n)
		}
		for _, n := range append(names, "") {
			if n != "" {
				_, err = db.Exec("DROP DATABASE `" + n + "`")
				w.must(err)
			}
		}
		_, err = db.Exec("CREATE DATABASE test CHARACTER SET latin1")
		w.must(err)
		db.Close()
	}
}

func (s *suite) run(file string, r *repeater, w *world) suiteRun {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	dir := s.dirs[0]
	if w == s.world {
		dir = s.dirs[1]
	}
	result := filepath.Join(dir, file+".result")
	args := []string{"--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--port=" + r.port(), "--user=root", "--password=", "--skip-ssl",
		"--database=test", "--silent", "--basedir=" + suiteDir, "--tmpdir=" + dir, "--logdir=" + dir, "--record",
		"--test-file=" + filepath.Join(suiteDir, "main", file+".test"), "--result-file=" + result, "--tail-lines=20", "--wait-for-pos-timeout=300"}
	if *suiteMode != "" {
		args = append(args, "--"+*suiteMode)
	}
	cmd := exec.CommandContext(ctx, "/tmp/mtrdl/x/usr/bin/mariadb-test", args...)
	cmd.Dir = suiteDir
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH=/tmp/mtrdl/x/usr/lib/x86_64-linux-gnu",
		"MYSQL_TEST_DIR="+suiteDir, "MYSQLTEST_VARDIR="+dir, "MYSQL_TMP_DIR="+filepath.Join(dir, "tmp"), "MASTER_MYPORT="+r.port(), "MASTER_MYSOCK=",
		"MYSQL=mariadb", "DEFAULT_MASTER_PORT="+r.port(), "LC_ALL=C", "LC_CTYPE=C", "LC_COLLATE=C", "TZ=GMT-3", "MTR_BINDIR=/usr", "MYSQLD_BOOTSTRAP_CMD=", "BIG_TEST=",
		"CHARSETSDIR=/usr/share/mysql/charsets", "MYSQL_SHAREDIR=/usr/share/mysql", "MYSQL_BINDIR=/usr")
	said, err := cmd.CombinedOutput()
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	b, _ := os.ReadFile(result)
	return suiteRun{b, said, err}
}
