package replicator

import (
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/replicator/change"
)

// Flags of MariaDB's GTID event that go-mysql does not know, as its log_event.h has them.
const (
	flagPreparedXA  = 1 << 6
	flagCompletedXA = 1 << 7

	// In the extra flags, which are there since 10.5, and of which these are written since 10.8.
	extraMultiEngine   = 1 << 0
	extraStartAlter    = 1 << 1
	extraCommitAlter   = 1 << 2
	extraRollbackAlter = 1 << 3
	extraThreadID      = 1 << 4
)

// phaseOf reads from a GTID event which phase of an ALTER begins. Under binlog_alter_two_phase MariaDB writes the text of
// the ALTER twice, in the same words, once when it starts and once when it is done or has failed; only flags tell.
//
// Behind the header are the sequence number (8 bytes), the domain (4) and the flags (1). The extra flags follow at once, if
// the group is not part of a group commit, and no XA transaction; what is not used of the 19 bytes that there are at least
// is zero, so that the byte is there on servers without such flags, too. In all other cases, and if there is a flag that is
// not known here, the statement takes effect: a phase more costs hits, one less is a stale read.
func phaseOf(e *replication.MariadbGTIDEvent, raw []byte) change.Phase {
	const at, least = replication.EventHeaderSize + 13, replication.EventHeaderSize + 19
	const elsewhere = replication.BINLOG_MARIADB_FL_GROUP_COMMIT_ID | flagPreparedXA | flagCompletedXA
	const ddl = replication.BINLOG_MARIADB_FL_STANDALONE | replication.BINLOG_MARIADB_FL_DDL
	if len(raw) < least || e.Flags&elsewhere != 0 || e.Flags&ddl != ddl {
		return change.AtOnce
	}
	switch raw[at] &^ (extraMultiEngine | extraThreadID) {
	case extraStartAlter:
		return change.Started
	case extraCommitAlter:
		return change.Committed
	case extraRollbackAlter:
		return change.RolledBack
	}
	return change.AtOnce
}
