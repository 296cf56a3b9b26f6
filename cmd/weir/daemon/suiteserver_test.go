package daemon

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"weir/deployments/sandbox"
)

// suiteServer is a server as the files of the suite expect one, as far as that makes a difference to what they record:
// their runner's options, its folders, its accounts. It outlives the test of one file.
type suiteServer struct {
	*world
	dir     string // "var" of the suite: tmp, std_data, and the server's own folder as mysqld.1
	globals map[string]string
}

func newSuiteServer(t *testing.T, found sandbox.Suite, flavor sandbox.Flavor, extra ...string) *suiteServer {
	t.Helper()
	dir := t.TempDir()
	s := &suiteServer{dir: dir, world: newSource(t, sandbox.Options{Flavor: flavor, Dir: dir, TimeZone: suiteZone, Extra: append(suiteOptions(flavor), extra...)})}
	s.must(os.Mkdir(filepath.Join(dir, "tmp"), 0o755))
	s.must(os.Symlink(filepath.Dir(s.source.Socket), filepath.Join(dir, "mysqld.1")))
	s.must(os.Symlink(filepath.Join(found.Dir, "std_data"), filepath.Join(dir, "std_data")))
	s.must(s.source.Exec(t.Context(),
		"CREATE DATABASE mtr", "CREATE PROCEDURE mtr.add_suppression(pattern VARCHAR(255)) DO 0",
		"DROP USER app@'%', replica@'%'", "ALTER USER root@localhost IDENTIFIED BY ''", "ALTER USER root@'%' IDENTIFIED BY ''"))
	s.source.Root.Password = ""
	if flavor == sandbox.MariaDB {
		s.must(s.source.Exec(t.Context(), "DROP USER root@'%'")) // who comes is root@localhost, as the files expect
		s.loadTimeZones()
	}
	s.globals = s.pairs("SHOW GLOBAL VARIABLES")
	return s
}

// suiteOptions: MariaDB calls localhost who comes from 127.0.0.1 unless --skip-name-resolve keeps it from that. Both
// servers have one id, since UUID_SHORT() begins with it. InnoDB's estimates of rows, and with them EXPLAIN and the order
// of rows that nobody has asked for, depend on when its statistics were taken; MyISAM's do not.
func suiteOptions(flavor sandbox.Flavor) []string {
	both := []string{"--skip-name-resolve=0", "--server-id=1", "--secure-file-priv=", "--log-bin-trust-function-creators=1",
		"--default-storage-engine=MyISAM", "--character-set-server=latin1"}
	if flavor == sandbox.MySQL {
		return both
	}
	return append(both, "--use-stat-tables=preferably",
		"--histogram-type=json_hb", "--sort-buffer-size=256K", "--max-heap-table-size=1M", "--debug-no-sync")
}

// loadTimeZones loads the zones that the files know, which come with the server.
func (s *suiteServer) loadTimeZones() {
	files, err := filepath.Glob("/usr/share/*/mysql_test_data_timezone.sql")
	s.must(err)
	if len(files) == 0 {
		s.t.Fatal("the MariaDB server's package has no mysql_test_data_timezone.sql below /usr/share")
	}
	b, err := os.ReadFile(files[0])
	s.must(err)
	s.do("USE mysql;\n" + string(b))
}

// begin makes the server as it was before the first file, for one that t plays.
func (s *suiteServer) begin(t *testing.T) {
	s.t = t
	for name, value := range s.pairs("SHOW GLOBAL VARIABLES") {
		if was := s.globals[name]; was != value {
			s.try("SET GLOBAL " + name + " = " + literal(was)) // some cannot be set, and move by themselves
		}
	}
	for user, host := range s.pairs("SELECT user, host FROM mysql.user WHERE user NOT IN ('root', 'weir') AND user NOT LIKE 'm%.%'") {
		if host == "" {
			s.try("DROP ROLE '" + user + "'")
		}
		s.try("DROP USER '" + user + "'@'" + host + "'")
	}
	for schema := range s.pairs("SELECT schema_name, 1 FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'mtr')") {
		s.do("DROP DATABASE `" + schema + "`")
	}
	s.do("CREATE DATABASE test")
}

func literal(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

// pairs returns the rows of a query that has two columns.
func (s *suiteServer) pairs(query string) map[string]string {
	all := map[string]string{}
	s.connected(func(c *sql.Conn) {
		rows, err := c.QueryContext(context.Background(), query)
		s.must(err)
		defer rows.Close()
		for rows.Next() {
			var a, b string
			s.must(rows.Scan(&a, &b))
			all[a] = b
		}
		s.must(rows.Err())
	})
	return all
}

// do runs statements, separated by semicolons.
func (s *suiteServer) do(statements string) { s.must(s.try(statements)) }

func (s *suiteServer) try(statements string) (err error) {
	s.connected(func(c *sql.Conn) { _, err = c.ExecContext(context.Background(), statements) })
	return err
}

func (s *suiteServer) connected(f func(*sql.Conn)) {
	cfg := s.source.Config(s.source.Root.User, s.source.Root.Password, "")
	cfg.MultiStatements = true
	db, err := sql.Open("mysql", cfg.FormatDSN())
	s.must(err)
	defer db.Close()
	c, err := db.Conn(context.Background())
	s.must(err)
	defer c.Close()
	f(c)
}
