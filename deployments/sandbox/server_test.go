package sandbox_test

import (
	"database/sql"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

func value(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var v sql.NullString
	if err := db.QueryRowContext(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v.String
}

func expect(t *testing.T, db *sql.DB, query, want string) {
	t.Helper()
	if got := value(t, db, query); got != want {
		t.Errorf("%s = %q, want %q", query, got, want)
	}
}

// TestServer goes through the life of one server, in order.
func TestServer(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		db := sandboxtest.RootDB(t, s, "")
		t.Run("defaults", func(t *testing.T) { checkDefaults(t, s, db) })
		t.Run("history starts empty", func(t *testing.T) { checkFirstTransaction(t, s) })
		t.Run("accounts", func(t *testing.T) { checkAccounts(t, s) })
		t.Run("restart keeps data and port", func(t *testing.T) { checkRestart(t, s, db) })
		t.Run("kill", func(t *testing.T) { checkKill(t, s, db) })
		t.Run("suspend", func(t *testing.T) { checkSuspend(t, s, db) })
		t.Run("stop", func(t *testing.T) { checkStop(t, s) })
	})
}

func checkDefaults(t *testing.T, s *sandbox.Server, db *sql.DB) {
	if version := value(t, db, "SELECT VERSION()"); !strings.HasPrefix(version, s.Version) {
		t.Errorf("VERSION() is %q, Version %q", version, s.Version)
	}
	want := map[string]string{
		"log_bin": "1", "binlog_format": "ROW", "binlog_row_image": "FULL", "sync_binlog": "0",
		"innodb_flush_log_at_trx_commit": "2", "innodb_buffer_pool_size": "67108864", "lower_case_table_names": "0",
	}
	if s.Flavor == sandbox.MySQL {
		want["gtid_mode"], want["enforce_gtid_consistency"] = "ON", "ON"
		want["performance_schema"], want["log_replica_updates"] = "1", "1"
	} else {
		want["performance_schema"], want["log_slave_updates"] = "0", "1"
	}
	for variable, value := range want {
		expect(t, db, "SELECT @@global."+variable, value)
	}
}

func checkFirstTransaction(t *testing.T, s *sandbox.Server) {
	before, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if before.GTID != "" {
		t.Errorf("GTIDs before the first transaction: %q", before.GTID)
	}
	sandboxtest.Exec(t, s, "CREATE DATABASE app")
	after, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.File != before.File || after.Pos <= before.Pos {
		t.Errorf("binlog went from %+v to %+v", before, after)
	}
	if !strings.HasSuffix(after.GTID, map[sandbox.Flavor]string{sandbox.MySQL: ":1", sandbox.MariaDB: "-1"}[s.Flavor]) {
		t.Errorf("GTIDs after the first transaction: %q", after.GTID)
	}
}

func checkAccounts(t *testing.T, s *sandbox.Server) {
	if err := s.CreateUser(t.Context(), "o'neil", `p\w'd`, "SELECT ON app.*"); err != nil {
		t.Fatal(err)
	}
	db, err := s.DB("o'neil", `p\w'd`, "app")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	expect(t, db, "SELECT CURRENT_USER()", "o'neil@%")
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE app.x (i INT)"); err == nil {
		t.Error("an account with SELECT alone created a table")
	}
}

func checkRestart(t *testing.T, s *sandbox.Server, db *sql.DB) {
	sandboxtest.Exec(t, s, "CREATE TABLE app.t (id INT PRIMARY KEY)", "INSERT INTO app.t VALUES (7)")
	addr, pid := s.Addr(), s.Pid()
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Addr() != addr || s.Pid() == pid {
		t.Errorf("restarted from %s, process %d to %s, process %d", addr, pid, s.Addr(), s.Pid())
	}
	expect(t, db, "SELECT id FROM app.t", "7")
}

func checkKill(t *testing.T, s *sandbox.Server, db *sql.DB) {
	sandboxtest.Exec(t, s, "UPDATE app.t SET id = 8")
	s.Kill()
	if s.Pid() != 0 {
		t.Errorf("process %d lives on", s.Pid())
	}
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a killed server answers")
	}
	if err := s.Suspend(); err == nil {
		t.Error("suspended a killed server")
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, db, "SELECT id FROM app.t", "8")
}

func checkSuspend(t *testing.T, s *sandbox.Server, db *sql.DB) {
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- db.PingContext(t.Context()) }()
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
}

func checkStop(t *testing.T, s *sandbox.Server) {
	dir := filepath.Dir(s.Socket)
	s.Stop()
	s.Stop()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want %v", dir, err, fs.ErrNotExist)
	}
	if conn, err := net.Dial("tcp", s.Addr()); err == nil {
		conn.Close()
		t.Error("a stopped server listens")
	}
}

// TestStartFails checks that a server that does not come up says why and leaves nothing behind.
func TestStartFails(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		dir := shortDir(t)
		_, err := sandbox.StartServer(t.Context(), sandbox.Options{Flavor: flavor, Dir: dir, Extra: []string{"--no-such-option"}})
		if err == nil || !strings.Contains(err.Error(), "no-such-option") {
			t.Errorf("error is %v, want the server's words about no-such-option", err)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

// shortDir is a temporary folder for a Unix socket, for which t.TempDir is too long on some systems.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "weir-") //nolint:usetesting // that folder's name is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
