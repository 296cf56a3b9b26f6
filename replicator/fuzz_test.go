package replicator

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
)

// rawEvent is an event as it travels: header and body, without a checksum.
func rawEvent(kind replication.EventType, pos uint32, body []byte) *replication.BinlogEvent {
	h := make([]byte, replication.EventHeaderSize, replication.EventHeaderSize+len(body))
	h[4] = byte(kind)
	binary.LittleEndian.PutUint32(h[9:], uint32(len(h)+len(body)))
	binary.LittleEndian.PutUint32(h[13:], pos)
	header := &replication.EventHeader{EventType: kind, LogPos: pos, EventSize: uint32(len(h) + len(body))}
	return &replication.BinlogEvent{RawData: append(h, body...), Header: header}
}

// formatBody is the body of a format description event without checksums: version, time, header length, and the lengths
// of the fixed parts, which nobody looks at.
func formatBody(version string) []byte {
	b := make([]byte, 2+50+4, 120)
	b[0] = 4
	copy(b[2:], version)
	b = append(b, replication.EventHeaderSize)
	for range 180 {
		b = append(b, 8)
	}
	return append(b, 0, 0, 0, 0, 0) // no checksum, and room for one
}

// FuzzDecode: whatever the source sends, an event is decoded and put together with others, or is an error that touches
// everything. Nothing else ends the stream.
func FuzzDecode(f *testing.F) {
	for kind, body := range map[replication.EventType]string{
		replication.QUERY_EVENT:               "\x01\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00shop\x00DROP TABLE t",
		replication.TABLE_MAP_EVENT:           "\x01\x00\x00\x00\x00\x00\x01\x00\x04shop\x00\x01t\x00\x01\x03\x00\x01",
		replication.WRITE_ROWS_EVENTv2:        "\x01\x00\x00\x00\x00\x00\x01\x00\x02\x00\x01\x01\x00\x05\x00\x00\x00",
		replication.XID_EVENT:                 "\x01\x00\x00\x00\x00\x00\x00\x00",
		replication.XA_PREPARE_LOG_EVENT:      "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00x",
		replication.ROTATE_EVENT:              "\x04\x00\x00\x00\x00\x00\x00\x00binlog.000002",
		replication.MARIADB_GTID_EVENT:        "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		replication.GTID_EVENT:                "\x00" + strings.Repeat("u", 16) + "\x01\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 25),
		replication.EXECUTE_LOAD_QUERY_EVENT:  string(loadEvent("shop", "LOAD DATA")[replication.EventHeaderSize:]),
		replication.TRANSACTION_PAYLOAD_EVENT: "\x02\x01\xff\x03\x01\x04\x01\x01\x01\x00\x00xxxx",
		replication.INCIDENT_EVENT:            "\x01\x00\x04lost",
	} {
		f.Add(true, byte(kind), []byte(body), byte(replication.XID_EVENT), []byte("12345678"))
		f.Add(false, byte(replication.TABLE_MAP_EVENT), []byte("\x01\x00\x00\x00\x00\x00\x01\x00\x04shop\x00\x01t\x00\x01\x03\x00\x01"), byte(kind), []byte(body))
	}
	f.Fuzz(func(t *testing.T, mysql bool, kind byte, body []byte, next byte, after []byte) {
		flavor, version := gomysql.MariaDBFlavor, "10.11.19-MariaDB-log"
		if mysql {
			flavor, version = gomysql.MySQLFlavor, "9.7.4"
		}
		d := newDecoder(flavor)
		a := &assembler{unknown: func(replication.EventType, string) {}}
		for i, raw := range []*replication.BinlogEvent{
			rawEvent(replication.FORMAT_DESCRIPTION_EVENT, 0, formatBody(version)), nil,
			rawEvent(replication.EventType(kind), 1000, body), rawEvent(replication.EventType(next), 2000, after),
		} {
			if raw == nil {
				if _, err := a.event(rotate("binlog.000001", 4)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			e, err := d.decode(raw)
			if i == 0 && err != nil {
				t.Fatalf("format description: %v", err)
			}
			if err != nil {
				checkBroken(t, a, raw, err)
			} else if _, err := a.event(e); err != nil && e.Header.EventType != replication.ROTATE_EVENT {
				return // a place that makes no sense: the reader starts again
			}
		}
	})
}

// checkBroken: an event that cannot be read touches everything.
func checkBroken(t *testing.T, a *assembler, raw *replication.BinlogEvent, err error) {
	done, failed := a.broken(raw.Header, err)
	if failed != nil {
		return
	}
	if a.group != nil && a.group.Everything != "" {
		return
	}
	for _, tx := range done {
		if tx.Everything != "" {
			return
		}
	}
	t.Fatalf("%v touches nothing", err)
}

// FuzzXID: the id in a prepare event and the id in the text of the commit are one.
func FuzzXID(f *testing.F) {
	f.Add([]byte("gtrid"), []byte("bqual"), uint32(1), "X'6162',X'',1")
	f.Fuzz(func(t *testing.T, gtrid, bqual []byte, format uint32, text string) {
		if key, ok := parseXID(text); ok && strings.Count(key, "/") != 2 {
			t.Fatalf("%q is %q", text, key)
		}
		gtrid, bqual = gtrid[:min(len(gtrid), 64)], bqual[:min(len(bqual), 64)]
		data := binary.LittleEndian.AppendUint32([]byte{0}, format)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(gtrid)))
		data = binary.LittleEndian.AppendUint32(data, uint32(len(bqual)))
		prepared, _, ok := decodeXAPrepare(&replication.GenericEvent{Data: append(append(data, gtrid...), bqual...)})
		committed, alike := parseXID(xaText(gtrid, bqual, format))
		if !ok || !alike || prepared != committed {
			t.Fatalf("prepared %q (%v), committed %q (%v)", prepared, ok, committed, alike)
		}
	})
}

// xaText writes an id as servers do in XA COMMIT.
func xaText(gtrid, bqual []byte, format uint32) string {
	return fmt.Sprintf("X'%x',X'%x',%d", gtrid, bqual, format)
}

// FuzzLoadStatement: schema and text are parts of the event, which itself may be anything.
func FuzzLoadStatement(f *testing.F) {
	f.Add(loadEvent("shop", "LOAD DATA INFILE 'x' INTO TABLE t"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		schema, sql, ok := loadStatement(raw)
		if ok && !strings.Contains(string(raw), schema+"\x00"+sql) {
			t.Fatalf("% x gives %q and %q", raw, schema, sql)
		}
	})
}
