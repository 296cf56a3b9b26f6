package sandbox

import (
	"context"
	"errors"
	"fmt"
)

// follow makes s a replica of source, from the beginning of the source's binlog, and waits until both its threads run.
func (s *Server) follow(ctx context.Context, source *Server) error {
	if err := s.Exec(ctx, s.followStatements(source)...); err != nil {
		return fmt.Errorf("set up replication from %s: %w", source.Addr(), err)
	}
	err := poll(ctx, func() (bool, error) { return s.following(ctx) })
	if err != nil {
		return fmt.Errorf("wait for replication from %s: %w; the log ends with:\n%s", source.Addr(), err, s.LogTail())
	}
	return nil
}

// Follow makes s a replica of source from where it is: on MySQL it gets what it lacks, on MariaDB what comes after its
// gtid_slave_pos. It waits until both threads run. A server that was a source before may have transactions of its own.
func (s *Server) Follow(ctx context.Context, source *Server) error {
	s.opts.ReplicaOf = source
	return s.follow(ctx, source)
}

// Promote makes a replica follow nobody any more. Whether it takes writes is another matter: see the variable read_only.
func (s *Server) Promote(ctx context.Context) error {
	s.opts.ReplicaOf = nil
	return s.Exec(ctx, s.say("STOP REPLICA", "STOP SLAVE"), s.say("RESET REPLICA ALL", "RESET SLAVE ALL"))
}

func (s *Server) followStatements(source *Server) []string {
	place := fmt.Sprintf("HOST='127.0.0.1', %%[1]s_PORT=%d, %%[1]s_USER='%s', %%[1]s_PASSWORD='%s', %%[1]s_CONNECT_RETRY=1",
		source.Port, replicaAccount.User, replicaAccount.Password)
	if s.Flavor == MariaDB {
		gtid := map[bool]string{false: "slave_pos", true: "no"}[s.opts.NoGTID]
		return []string{
			fmt.Sprintf("CHANGE MASTER TO MASTER_"+place+", MASTER_USE_GTID=%[2]s", "MASTER", gtid),
			"START SLAVE",
		}
	}
	auto := map[bool]int{false: 1, true: 0}[s.opts.NoGTID]
	return []string{
		// Without TLS the account's plugin needs the source's public key.
		fmt.Sprintf("CHANGE REPLICATION SOURCE TO SOURCE_"+place+", SOURCE_AUTO_POSITION=%[2]d, GET_SOURCE_PUBLIC_KEY=1", "SOURCE", auto),
		"START REPLICA",
	}
}

// following reports whether the replica is connected and applies. An error that stopped it is the error.
func (s *Server) following(ctx context.Context) (bool, error) {
	status, err := s.ReplicaStatus(ctx)
	if err != nil {
		return false, err
	}
	if text := status["Last_SQL_Error"]; text != "" {
		return false, errors.New(text)
	}
	if text := status["Last_IO_Error"]; text != "" && s.runs(status, "IO") == "No" {
		return false, errors.New(text)
	}
	return s.runs(status, "IO") == "Yes" && s.runs(status, "SQL") == "Yes", nil
}

// runs says whether the replica's receiver (IO) or applier (SQL) runs: Yes, No or Connecting.
func (s *Server) runs(status map[string]string, thread string) string {
	if s.Flavor == MariaDB {
		return status["Slave_"+thread+"_Running"]
	}
	return status["Replica_"+thread+"_Running"]
}

// ReplicaStatus is the row of SHOW REPLICA STATUS by column name; the names are the server's own, Slave_* on MariaDB
// and Replica_* on MySQL. It is empty on a server that is no replica. NULL is the empty string.
func (s *Server) ReplicaStatus(ctx context.Context) (map[string]string, error) {
	return s.row(ctx, s.say("SHOW REPLICA STATUS", "SHOW SLAVE STATUS"))
}

// StopReplica stops the applier, or the receiver, or with no argument both. thread is SQL, IO or empty.
func (s *Server) StopReplica(ctx context.Context, thread string) error {
	return s.Exec(ctx, s.say("STOP REPLICA ", "STOP SLAVE ")+s.threadName(thread))
}

// StartReplica undoes [Server.StopReplica]. It does not wait.
func (s *Server) StartReplica(ctx context.Context, thread string) error {
	return s.Exec(ctx, s.say("START REPLICA ", "START SLAVE ")+s.threadName(thread))
}

func (s *Server) threadName(thread string) string {
	if thread == "" {
		return ""
	}
	return thread + "_THREAD"
}

// CatchUp waits until the replica has applied everything that its source has in its binlog now, or until ctx ends. It
// needs GTIDs.
func (s *Server) CatchUp(ctx context.Context) error {
	source := s.opts.ReplicaOf
	if source == nil || s.opts.NoGTID {
		return errors.New("catch up: the server is not a replica with GTIDs")
	}
	position, err := source.Position(ctx)
	if err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	return poll(ctx, func() (bool, error) { return s.applied(ctx, position.GTID) })
}

// applied waits up to a second until the GTIDs are applied, and reports whether they are. If they are not, an error
// that stopped the replica is the error.
func (s *Server) applied(ctx context.Context, gtids string) (bool, error) {
	call := s.say("SELECT WAIT_FOR_EXECUTED_GTID_SET(%s, 1) AS missing", "SELECT MASTER_GTID_WAIT(%s, 1) AS missing")
	row, err := s.row(ctx, fmt.Sprintf(call, quote(gtids)))
	if err != nil {
		return false, fmt.Errorf("wait for %s: %w", gtids, err)
	}
	if row["missing"] == "0" {
		return true, nil
	}
	_, err = s.following(ctx)
	return false, err
}

// say picks the flavor's wording.
func (s *Server) say(mysql, mariadb string) string {
	if s.Flavor == MariaDB {
		return mariadb
	}
	return mysql
}
