package replicator

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/replicator/change"
	"weir/replicator/gtid"
)

// assembler puts binlog events together to transactions. It is a state machine without I/O.
//
// A group begins with a GTID event and ends with an Xid event, with a Query event COMMIT or ROLLBACK, with an XA prepare
// event, or, if it was not begun, with its only statement. ROLLBACK is taken for COMMIT: it is written to the binlog
// only when tables without transactions were changed, and their rows stay.
type assembler struct {
	place    place
	prepared prepared
	group    *change.Transaction
	begun    bool   // the group goes on until COMMIT
	thread   uint32 // that said the last statement
	xid      string // between XA START and the prepare event
	phase    change.Phase
	inner    bool // within a transaction payload, whose events have no positions of their own

	teller *teller
	under  versions // of what was known when the group began

	unknown func(replication.EventType, string)
}

// event takes the next event and returns the transactions that it completes: none or one, except after a payload.
// A transaction may have nothing but a Seq: then it says that everything up to there was delivered.
func (a *assembler) event(e *replication.BinlogEvent) ([]*change.Transaction, error) {
	if rotate, ok := e.Event.(*replication.RotateEvent); ok {
		return a.rotate(rotate)
	}
	if !a.inner {
		if err := a.place.move(e.Header); err != nil {
			return nil, err
		}
	}
	switch e.Header.EventType {
	case replication.QUERY_EVENT, replication.MARIADB_QUERY_COMPRESSED_EVENT:
		return a.query(e.Event.(*replication.QueryEvent)), nil
	case replication.XID_EVENT:
		return a.end(), nil
	case replication.XA_PREPARE_LOG_EVENT:
		return a.prepare(e), nil
	case replication.TRANSACTION_PAYLOAD_EVENT:
		return a.payload(e.Event.(*replication.TransactionPayloadEvent))
	}
	if rows, ok := e.Event.(*replication.RowsEvent); ok {
		a.rows(e, rows)
		return nil, nil
	}
	return a.other(e), nil
}

// broken takes an event that could not be decoded.
func (a *assembler) broken(h *replication.EventHeader, err error) ([]*change.Transaction, error) {
	a.unknown(h.EventType, err.Error())
	a.open().Everything = err.Error()
	if err := a.place.move(h); err != nil {
		return nil, err
	}
	return a.endUnlessBegun(), nil
}

func (a *assembler) rotate(e *replication.RotateEvent) ([]*change.Transaction, error) {
	if err := a.place.rotate(e); err != nil {
		return nil, err
	}
	return a.progress(), nil
}

func (a *assembler) other(e *replication.BinlogEvent) []*change.Transaction {
	switch e.Header.EventType {
	case replication.GTID_EVENT, replication.ANONYMOUS_GTID_EVENT:
		return a.beginMySQL(e.Event.(*replication.GTIDEvent))
	case replication.GTID_TAGGED_LOG_EVENT:
		return a.beginMySQL(&e.Event.(*replication.GtidTaggedLogEvent).GTIDEvent)
	case replication.MARIADB_GTID_EVENT:
		return a.beginMariaDB(e.Event.(*replication.MariadbGTIDEvent), e)
	case replication.EXECUTE_LOAD_QUERY_EVENT:
		return a.load(e)
	case replication.INCIDENT_EVENT:
		a.open().Everything = "the source reports an incident: changes may be missing from its binlog"
		return a.endUnlessBegun()
	}
	if changesNothing(e.Header) {
		return a.progress()
	}
	a.unknown(e.Header.EventType, "not known to Weir")
	a.open().Everything = fmt.Sprintf("binlog event of unknown type %d", e.Header.EventType)
	return a.endUnlessBegun()
}

// changesNothing lists the events that are about the stream, or that only accompany one that does change something.
// An event that its sender marked as ignorable is not on the list by that: the mark means that a replica may go on
// without it, not that a cache may.
func changesNothing(h *replication.EventHeader) bool {
	switch h.EventType {
	case replication.FORMAT_DESCRIPTION_EVENT, replication.START_EVENT_V3, replication.STOP_EVENT,
		replication.PREVIOUS_GTIDS_EVENT, replication.HEARTBEAT_EVENT, replication.HEARTBEAT_LOG_EVENT_V2,
		replication.TABLE_MAP_EVENT, replication.ROWS_QUERY_EVENT, replication.IGNORABLE_EVENT,
		replication.INTVAR_EVENT, replication.RAND_EVENT, replication.USER_VAR_EVENT,
		replication.BEGIN_LOAD_QUERY_EVENT, replication.APPEND_BLOCK_EVENT, replication.DELETE_FILE_EVENT,
		replication.TRANSACTION_CONTEXT_EVENT, replication.VIEW_CHANGE_EVENT,
		replication.MARIADB_ANNOTATE_ROWS_EVENT, replication.MARIADB_BINLOG_CHECKPOINT_EVENT,
		replication.MARIADB_GTID_LIST_EVENT, replication.MARIADB_START_ENCRYPTION_EVENT:
		return true
	}
	return false
}

// progress says how far the stream has got, unless a group is open: its own end will say so.
func (a *assembler) progress() []*change.Transaction {
	if a.group != nil || a.inner || a.place.name == "" {
		return nil
	}
	return []*change.Transaction{{Seq: a.place.reached()}}
}

func (a *assembler) open() *change.Transaction {
	if a.group == nil {
		a.begin(&change.Transaction{})
	}
	return a.group
}

func (a *assembler) begin(t *change.Transaction) { a.group, a.under = t, a.teller.versions() }

// end completes the group.
func (a *assembler) end() []*change.Transaction {
	t := a.open()
	a.group, a.begun, a.xid, a.phase = nil, false, "", change.AtOnce
	t.Seq = a.place.changed()
	return []*change.Transaction{t}
}

func (a *assembler) endUnlessBegun() []*change.Transaction {
	if a.begun || a.inner {
		return nil
	}
	return a.end()
}

// abandoned completes a group whose end never came, as the source leaves it in its binlog when it dies in the middle.
// What it had written may or may not have been committed at the recovery.
func (a *assembler) abandoned() []*change.Transaction {
	if a.group == nil {
		return nil
	}
	return a.end()
}

func (a *assembler) beginMySQL(e *replication.GTIDEvent) []*change.Transaction {
	done := a.abandoned()
	a.begin(&change.Transaction{CommittedAt: microseconds(e.ImmediateCommitTimestamp)})
	if e.GNO != 0 {
		a.group.GTID = gtid.OfMySQL([16]byte(e.SID), e.Tag.String(), e.GNO)
	}
	return done
}

func (a *assembler) beginMariaDB(e *replication.MariadbGTIDEvent, raw *replication.BinlogEvent) []*change.Transaction {
	done := a.abandoned()
	a.begin(&change.Transaction{
		GTID:        gtid.OfMariaDB(e.GTID.DomainID, e.GTID.ServerID, e.GTID.SequenceNumber),
		CommittedAt: time.Unix(int64(raw.Header.Timestamp), 0),
		Coarse:      true,
	})
	a.begun, a.phase = !e.IsStandalone(), phaseOf(e, raw.RawData)
	return done
}

func microseconds(t uint64) time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(t))
}

// rows notes which table changed. MySQL ends a statement that changed nothing with an event for a table that does not
// exist, whose id is all ones.
func (a *assembler) rows(raw *replication.BinlogEvent, e *replication.RowsEvent) {
	const dummy = 1<<48 - 1
	switch {
	case e.Table != nil:
		a.teller.tell(a.open(), raw, e)
	case e.TableID != dummy && e.TableID != 0xffffff:
		a.open().Everything = fmt.Sprintf("row changes of a table that the binlog did not name (id %d)", e.TableID)
	}
}

func (a *assembler) query(e *replication.QueryEvent) []*change.Transaction {
	sql := strings.TrimSpace(string(e.Query))
	a.thread = e.SlaveProxyID
	switch verb, rest := controlVerb(sql); verb {
	case "BEGIN", "START TRANSACTION":
		a.open()
		a.begun = true
		return nil
	case "COMMIT", "ROLLBACK":
		return a.end()
	case "SAVEPOINT", "ROLLBACK TO", "RELEASE SAVEPOINT", "XA END":
		return nil
	case "XA START", "XA BEGIN":
		a.open()
		a.begun, a.xid = true, rest
		return nil
	case "XA COMMIT":
		under := a.prepared.commit(rest, a.open())
		a.teller.recall(a.group, under)
		a.group.XAThread = a.thread
		return a.end()
	case "XA ROLLBACK":
		a.prepared.forget(rest)
		return a.end()
	}
	t := a.open()
	t.Statements = append(t.Statements, change.Statement{Schema: string(e.Schema), SQL: string(e.Query), Phase: a.phase})
	return a.endUnlessBegun()
}

func (a *assembler) load(e *replication.BinlogEvent) []*change.Transaction {
	t := a.open()
	if schema, sql, ok := loadStatement(e.RawData); ok {
		t.Statements = append(t.Statements, change.Statement{Schema: schema, SQL: sql})
	} else {
		t.Everything = "LOAD DATA in statement format whose text cannot be read"
	}
	return a.endUnlessBegun()
}

// payload unpacks a compressed transaction of MySQL. All of its events stand at the position where it ends.
func (a *assembler) payload(e *replication.TransactionPayloadEvent) (all []*change.Transaction, err error) {
	a.inner = true
	defer func() { a.inner = false }()
	for _, inner := range e.Events {
		done, err := a.event(inner)
		all = append(all, done...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
