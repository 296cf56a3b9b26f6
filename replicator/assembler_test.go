package replicator

import (
	"fmt"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/replicator/change"
)

// Events, as short as they can be written. The number is the end position.

func event(t replication.EventType, pos uint32, e replication.Event) *replication.BinlogEvent {
	return &replication.BinlogEvent{Header: &replication.EventHeader{EventType: t, LogPos: pos}, Event: e}
}

func rotate(name string, pos uint64) *replication.BinlogEvent {
	return event(replication.ROTATE_EVENT, 0, &replication.RotateEvent{NextLogName: []byte(name), Position: pos})
}

func gtidMySQL(pos uint32, n int64) *replication.BinlogEvent {
	return event(replication.GTID_EVENT, pos, &replication.GTIDEvent{SID: make([]byte, 16), GNO: n})
}

func gtidMariaDB(pos uint32, n uint64, flags byte) *replication.BinlogEvent {
	return event(replication.MARIADB_GTID_EVENT, pos, &replication.MariadbGTIDEvent{
		GTID: gomysql.MariadbGTID{DomainID: 0, ServerID: 1, SequenceNumber: n}, Flags: flags,
	})
}

func query(pos uint32, sql string) *replication.BinlogEvent {
	return event(replication.QUERY_EVENT, pos, &replication.QueryEvent{Schema: []byte("shop"), Query: []byte(sql)})
}

func rows(pos uint32, table string) *replication.BinlogEvent {
	schema, name, _ := strings.Cut(table, ".")
	return event(replication.WRITE_ROWS_EVENTv2, pos, &replication.RowsEvent{
		Table: &replication.TableMapEvent{Schema: []byte(schema), Table: []byte(name)},
	})
}

func orphanRows(pos uint32, id uint64) *replication.BinlogEvent {
	return event(replication.UPDATE_ROWS_EVENTv2, pos, &replication.RowsEvent{TableID: id})
}

func xid(pos uint32) *replication.BinlogEvent {
	return event(replication.XID_EVENT, pos, &replication.XIDEvent{})
}

func xaPrepare(pos uint32, gtrid string, onePhase byte) *replication.BinlogEvent {
	data := []byte{onePhase, 1, 0, 0, 0, byte(len(gtrid)), 0, 0, 0, 0, 0, 0, 0}
	return event(replication.XA_PREPARE_LOG_EVENT, pos, &replication.GenericEvent{Data: append(data, gtrid...)})
}

func payload(pos uint32, inner ...*replication.BinlogEvent) *replication.BinlogEvent {
	return event(replication.TRANSACTION_PAYLOAD_EVENT, pos, &replication.TransactionPayloadEvent{Events: inner})
}

func generic(t replication.EventType, pos uint32) *replication.BinlogEvent {
	return event(t, pos, &replication.GenericEvent{})
}

// show writes a transaction in one line: its Seq, what it touches, and its statements.
func show(t *change.Transaction) string {
	parts := []string{t.Seq.String()}
	for _, n := range t.Tables {
		parts = append(parts, n.String())
	}
	if t.Everything != "" {
		parts = append(parts, "EVERYTHING")
	}
	for _, s := range t.Statements {
		parts = append(parts, fmt.Sprintf("%s:%q", s.Schema, s.SQL))
	}
	return strings.Join(parts, " ")
}

func assemble(t *testing.T, events []*replication.BinlogEvent) []string {
	t.Helper()
	a := &assembler{unknown: func(replication.EventType, string) {}}
	var got []string
	for _, e := range append([]*replication.BinlogEvent{rotate("bin.000007", 4)}, events...) {
		done, err := a.event(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, tx := range done {
			got = append(got, show(tx))
		}
	}
	return got[1:] // the first is about the rotation
}

func TestAssembler(t *testing.T) {
	const standalone = replication.BINLOG_MARIADB_FL_STANDALONE
	type events = []*replication.BinlogEvent
	cases := []struct {
		name   string
		events events
		want   []string
	}{
		{"transaction", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.a"), rows(250, "shop.b"), rows(300, "shop.A"), xid(330)},
			[]string{"7/330 shop.a shop.b"}},
		{"nothing is known of a transaction before its end", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.a")}, nil},
		{"MariaDB has no BEGIN", events{gtidMariaDB(100, 1, 0), rows(200, "shop.a"), xid(230)}, []string{"7/230 shop.a"}},
		{"DDL is a group of one statement", events{gtidMySQL(100, 1), query(180, "DROP TABLE x")}, []string{`7/180 shop:"DROP TABLE x"`}},
		{"DDL of MariaDB", events{gtidMariaDB(100, 1, standalone), query(180, "DROP TABLE x")}, []string{`7/180 shop:"DROP TABLE x"`}},
		{"CREATE TABLE ... SELECT", events{gtidMySQL(100, 1), query(150, "BEGIN"), query(200, "CREATE TABLE n (i INT) START TRANSACTION"), rows(250, "shop.n"), xid(280)},
			[]string{`7/280 shop.n shop:"CREATE TABLE n (i INT) START TRANSACTION"`}},
		{"Pitfall 5: DML in statement format", events{gtidMySQL(100, 1), query(150, "BEGIN"), query(200, "UPDATE a SET v = 1"), xid(230)},
			[]string{`7/230 shop:"UPDATE a SET v = 1"`}},
		{"savepoints are not statements", events{gtidMySQL(100, 1), query(150, "BEGIN"), query(160, "SAVEPOINT `s`"), rows(200, "shop.a"), query(210, "ROLLBACK TO `s`"), xid(230)},
			[]string{"7/230 shop.a"}},
		{"Pitfall 8: COMMIT in place of Xid", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.myisam"), query(230, "COMMIT")}, []string{"7/230 shop.myisam"}},
		{"Pitfall 8: what ROLLBACK ends has changed tables without transactions", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.myisam"), query(230, "ROLLBACK")}, []string{"7/230 shop.myisam"}},
		{"Pitfall 3: XA counts at its commit", events{
			gtidMySQL(100, 1), query(150, "XA START X'6162',X'',1"), rows(200, "shop.a"), query(210, "XA END X'6162',X'',1"), xaPrepare(240, "ab", 0),
			gtidMySQL(300, 2), query(340, "XA COMMIT X'6162',X'',1"),
		}, []string{"7/240", "7/340 shop.a"}},
		{"Pitfall 3: XA ROLLBACK changes nothing", events{
			gtidMySQL(100, 1), query(150, "XA START X'6162',X'',1"), rows(200, "shop.a"), query(210, "XA END X'6162',X'',1"), xaPrepare(240, "ab", 0),
			gtidMySQL(300, 2), query(340, "XA ROLLBACK X'6162',X'',1"),
		}, []string{"7/240", "7/340"}},
		{"Pitfall 3: XA COMMIT ... ONE PHASE", events{gtidMySQL(100, 1), query(150, "XA START X'6162',X'',1"), rows(200, "shop.a"), query(210, "XA END X'6162',X'',1"), xaPrepare(240, "ab", 1)},
			[]string{"7/240 shop.a"}},
		{"Pitfall 3: prepared before the stream was read", events{gtidMySQL(300, 2), query(340, "XA COMMIT X'6162',X'',1")}, []string{"7/340 EVERYTHING"}},
		{"Pitfall 3: an id that cannot be read", events{gtidMySQL(300, 2), query(340, "XA COMMIT 'ab'")}, []string{"7/340 EVERYTHING"}},
		{"Pitfall 9: an event of the future", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.a"), generic(99, 210), xid(230)}, []string{"7/230 shop.a EVERYTHING"}},
		{"Pitfall 9: an event of the future between transactions", events{generic(99, 210)}, []string{"7/210 EVERYTHING"}},
		{"Pitfall 9: INCIDENT", events{generic(replication.INCIDENT_EVENT, 210)}, []string{"7/210 EVERYTHING"}},
		{"Pitfall 9: PARTIAL_UPDATE_ROWS", events{gtidMySQL(100, 1), query(150, "BEGIN"), event(replication.PARTIAL_UPDATE_ROWS_EVENT, 200, rows(0, "shop.json").Event), xid(230)}, []string{"7/230 shop.json"}},
		{"Pitfall 9: rows of a table that was not named", events{gtidMySQL(100, 1), query(150, "BEGIN"), orphanRows(200, 77), xid(230)}, []string{"7/230 EVERYTHING"}},
		{"the dummy rows event at the end of a statement", events{gtidMySQL(100, 1), query(150, "BEGIN"), orphanRows(200, 1<<48-1), xid(230)}, []string{"7/230"}},
		{"Pitfall 10: a compressed transaction", events{gtidMySQL(100, 1), payload(400, query(1, "BEGIN"), rows(2, "shop.a"), xid(3))}, []string{"7/400 shop.a"}},
		{"privileges edited by hand", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "mysql.user"), xid(230)}, []string{"7/230 EVERYTHING"}},
		{"the server's own bookkeeping", events{gtidMariaDB(100, 1, 0), rows(200, "mysql.gtid_slave_pos"), xid(230)}, []string{"7/230"}},
		{"heartbeat and rotation show how far the stream is", events{generic(replication.HEARTBEAT_EVENT, 500), rotate("bin.000008", 4)}, []string{"7/500", "8/4"}},
		{"a heartbeat within a transaction shows nothing", events{gtidMySQL(100, 1), query(150, "BEGIN"), generic(replication.HEARTBEAT_EVENT, 150), rows(200, "shop.a"), xid(230)}, []string{"7/230 shop.a"}},
		{"the source died in the middle", events{gtidMySQL(100, 1), query(150, "BEGIN"), rows(200, "shop.a"), gtidMySQL(260, 2), query(300, "BEGIN"), rows(350, "shop.b"), xid(380)}, []string{"7/260 shop.a", "7/380 shop.b"}},
		{"BEGIN NOT ATOMIC is no transaction control", events{gtidMySQL(100, 1), query(180, "BEGIN NOT ATOMIC SELECT 1; END")}, []string{`7/180 shop:"BEGIN NOT ATOMIC SELECT 1; END"`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := assemble(t, c.events)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// A file that a huge transaction made larger than 4 GiB: positions start again from zero. A change must then look
// newer than any snapshot in the file, and nothing in it may look complete.
func TestPitfall17PositionsPast4GiB(t *testing.T) {
	a := &assembler{unknown: func(replication.EventType, string) {}}
	a.event(rotate("bin.000007", 4))
	a.event(gtidMySQL(1<<32-100, 1))
	a.event(query(1<<32-50, "BEGIN"))
	a.event(rows(200, "shop.a")) // wrapped
	done, _ := a.event(xid(300))
	if got, want := done[0].Seq, cache.At(8, 0); got != want {
		t.Errorf("the change is at %s, want %s", got, want)
	}
	if snapshot := cache.At(7, 1<<32+300); done[0].Seq <= snapshot {
		t.Errorf("the change at %s does not look newer than a snapshot at %s", done[0].Seq, snapshot)
	}
	if position := cache.After(7, 1<<32+300); a.place.reached() >= position {
		t.Errorf("the stream has reached %s, which passes for complete at %s", a.place.reached(), position)
	}
}

func TestPitfall14RotationBackwardsLosesThePlace(t *testing.T) {
	for _, next := range []string{"bin.000001", "other.000009", "nonumber"} {
		a := &assembler{unknown: func(replication.EventType, string) {}}
		a.event(rotate("bin.000007", 4))
		if _, err := a.event(rotate(next, 4)); err == nil {
			t.Errorf("going from bin.000007 to %s did not lose the place", next)
		}
	}
}
