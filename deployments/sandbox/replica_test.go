package sandbox_test

import (
	"time"

	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

func catchUp(t *testing.T, replica *sandbox.Server) {
	t.Helper()
	if err := replica.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestReplica(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		source := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, RowImage: "MINIMAL"})
		sandboxtest.Exec(t, source, "CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY)", "INSERT INTO app.t VALUES (1)")
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: source, Workers: 2})
		db := sandboxtest.RootDB(t, replica, "app")
		expect(t, sandboxtest.RootDB(t, source, ""), "SELECT @@global.binlog_row_image", "MINIMAL")

		catchUp(t, replica)
		expect(t, db, "SELECT id FROM t", "1")

		if err := replica.StopReplica(t.Context(), "SQL"); err != nil {
			t.Fatal(err)
		}
		sandboxtest.Exec(t, source, "UPDATE app.t SET id = 2")
		expect(t, db, "SELECT id FROM t", "1")
		if err := replica.StartReplica(t.Context(), "SQL"); err != nil {
			t.Fatal(err)
		}
		catchUp(t, replica)
		expect(t, db, "SELECT id FROM t", "2")

		// The replica finds its source again without being told to.
		if err := source.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		sandboxtest.Exec(t, source, "UPDATE app.t SET id = 3")
		catchUp(t, replica)
		expect(t, db, "SELECT id FROM t", "3")
	})
}

// TestReplicaByPosition follows a source without GTIDs, and passes on options that are not the default.
func TestReplicaByPosition(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		o := sandbox.Options{Flavor: flavor, NoGTID: true, LowerCaseTableNames: 1, BinlogFormat: "MIXED", BufferPool: 32 << 20}
		source := sandboxtest.Server(t, o)
		o.ReplicaOf = source
		replica := sandboxtest.Server(t, o)
		db := sandboxtest.RootDB(t, replica, "")
		for variable, want := range map[string]string{
			"lower_case_table_names": "1", "binlog_format": "MIXED", "innodb_buffer_pool_size": "33554432",
		} {
			expect(t, db, "SELECT @@global."+variable, want)
		}
		status, err := replica.ReplicaStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		column, want := "Auto_Position", "0"
		if flavor == sandbox.MariaDB {
			column, want = "Using_Gtid", "No"
		}
		if status[column] != want {
			t.Errorf("%s = %q, want %q", column, status[column], want)
		}
		if err := replica.CatchUp(t.Context()); err == nil {
			t.Error("CatchUp promised something without GTIDs")
		}
	})
}

// TestPitfall01SemiSync shows the state that the race between binlog and visibility is tested with: a commit is in the
// binlog, and no other session sees it.
func TestPitfall01SemiSync(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, SemiSync: true, SemiSyncTimeout: 5 * time.Minute})
		db := sandboxtest.RootDB(t, s, "")
		prefix := map[sandbox.Flavor]string{sandbox.MySQL: "rpl_semi_sync_source_", sandbox.MariaDB: "rpl_semi_sync_master_"}[flavor]
		expect(t, db, "SELECT @@global."+prefix+"enabled", "1")
		expect(t, db, "SELECT @@global."+prefix+"wait_point", "AFTER_SYNC")
		expect(t, db, "SELECT @@global."+prefix+"timeout", "300000")

		setSemiSync(t, s, false)
		sandboxtest.Exec(t, s, "CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY)", "INSERT INTO app.t VALUES (1)")
		setSemiSync(t, s, true)
		before, err := s.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		update := make(chan error, 1)
		go func() { update <- s.Exec(t.Context(), "UPDATE app.t SET id = 2") }()
		awaitBinlog(t, s, before)
		expect(t, db, "SELECT id FROM app.t", "1")

		setSemiSync(t, s, false)
		if err := <-update; err != nil {
			t.Fatal(err)
		}
		expect(t, db, "SELECT id FROM app.t", "2")
	})
}

func setSemiSync(t *testing.T, s *sandbox.Server, on bool) {
	t.Helper()
	if err := s.SetSemiSync(t.Context(), on); err != nil {
		t.Fatal(err)
	}
}

// awaitBinlog returns when the binlog is longer than it was.
func awaitBinlog(t *testing.T, s *sandbox.Server, before sandbox.Position) {
	t.Helper()
	for {
		now, err := s.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now.Pos > before.Pos {
			return
		}
	}
}
