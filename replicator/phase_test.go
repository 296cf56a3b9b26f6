package replicator

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/go-sql-driver/mysql"

	"weir/deployments/sandbox"
	"weir/replicator/change"
)

// gtidRaw is a GTID event of MariaDB with these bytes behind the flags.
func gtidRaw(flags byte, rest ...byte) *replication.BinlogEvent {
	raw := make([]byte, replication.EventHeaderSize, 64)
	raw = binary.LittleEndian.AppendUint64(raw, 7)
	raw = binary.LittleEndian.AppendUint32(raw, 0)
	raw = append(append(raw, flags), rest...)
	raw = append(raw, make([]byte, max(0, replication.EventHeaderSize+19-len(raw)))...)
	e := gtidMariaDB(100, 7, flags)
	e.RawData = append(raw, 0xaa, 0xbb, 0xcc, 0xdd) // a checksum
	return e
}

func TestPhaseOf(t *testing.T) {
	const ddl = replication.BINLOG_MARIADB_FL_STANDALONE | replication.BINLOG_MARIADB_FL_DDL | replication.BINLOG_MARIADB_FL_ALLOW_PARALLEL
	number := []byte{4, 0, 0, 0, 0, 0, 0, 0}
	for _, c := range []struct {
		name string
		e    *replication.BinlogEvent
		want change.Phase
	}{
		{"an ALTER that is written once", gtidRaw(ddl), change.AtOnce},
		{"START", gtidRaw(ddl, extraStartAlter), change.Started},
		{"START, on a server that adds its thread's number", gtidRaw(ddl, extraStartAlter|extraThreadID, 1, 2, 3, 4), change.Started},
		{"START over several engines", gtidRaw(ddl, extraStartAlter|extraMultiEngine, 1), change.Started},
		{"COMMIT", gtidRaw(ddl, append([]byte{extraCommitAlter}, number...)...), change.Committed},
		{"ROLLBACK", gtidRaw(ddl, append([]byte{extraRollbackAlter}, number...)...), change.RolledBack},
		{"a flag of the future beside START", gtidRaw(ddl, extraStartAlter|1<<5), change.AtOnce},
		{"START and COMMIT", gtidRaw(ddl, extraStartAlter|extraCommitAlter), change.AtOnce},
		{"a group commit, whose number is in the place of the flags", gtidRaw(ddl|replication.BINLOG_MARIADB_FL_GROUP_COMMIT_ID, extraStartAlter, 0, 0, 0, 0, 0, 0, 0), change.AtOnce},
		{"an XA transaction, whose name is", gtidRaw(ddl|flagCompletedXA, extraStartAlter), change.AtOnce},
		{"no DDL", gtidRaw(replication.BINLOG_MARIADB_FL_STANDALONE, extraStartAlter), change.AtOnce},
		{"an event that is cut off", &replication.BinlogEvent{Event: gtidMariaDB(100, 7, ddl).Event, RawData: make([]byte, 30)}, change.AtOnce},
	} {
		if got := phaseOf(c.e.Event.(*replication.MariadbGTIDEvent), c.e.RawData); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPitfall6PhasesOfAlter: what a real server writes in two phases is told as such, and what it writes once is not.
func TestPitfall6PhasesOfAlter(t *testing.T) {
	w := newRowWorld(t, sandbox.Options{Flavor: sandbox.MariaDB, Extra: []string{"--binlog-alter-two-phase=1"}})
	w.prepare("CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1), (2, 1)")
	for _, c := range []struct {
		sql    string
		fails  uint16
		phases []change.Phase
	}{
		{"ALTER TABLE t ADD COLUMN w INT, ALGORITHM=COPY", 0, []change.Phase{change.Started, change.Committed}},
		{"ALTER TABLE t ADD UNIQUE (v), ALGORITHM=COPY", 1062, []change.Phase{change.Started, change.RolledBack}},
		{"CREATE INDEX i ON t (w)", 0, []change.Phase{change.Started, change.Committed}},
		{"DROP INDEX i ON t", 0, []change.Phase{change.Started, change.Committed}},
		{"OPTIMIZE TABLE t", 0, []change.Phase{change.AtOnce}},
		{"ALTER TABLE t RENAME TO u", 0, []change.Phase{change.AtOnce}},
		{"DROP TABLE u", 0, []change.Phase{change.AtOnce}},
	} {
		if got := w.phases(c.sql, c.fails); !slices.Equal(got, c.phases) {
			t.Errorf("%s: got %v, want %v", c.sql, got, c.phases)
		}
	}
}

// phases runs a statement, which must fail with that error if it is not 0, and returns the phases that the stream told.
func (w *rowWorld) phases(sql string, fails uint16) []change.Phase {
	w.t.Helper()
	w.prepare()
	_, err := w.db.Exec(sql)
	var said *mysql.MySQLError
	if (fails != 0) != errors.As(err, &said) || said != nil && said.Number != fails {
		w.t.Fatalf("%s: %v, want error %d", sql, err, fails)
	}
	w.caughtUp()
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []change.Phase
	for _, t := range w.seen {
		for _, s := range t.Statements {
			all = append(all, s.Phase)
		}
	}
	return all
}
