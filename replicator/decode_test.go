package replicator

import (
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/replication"
)

// loadEvent is an Execute_load_query event: header, fixed part, three bytes of status variables, schema and text.
func loadEvent(schema, sql string) []byte {
	fixed := make([]byte, 13+13)
	fixed[8], fixed[11] = byte(len(schema)), 3
	return []byte(strings.Repeat("h", replication.EventHeaderSize) + string(fixed) + "var" + schema + "\x00" + sql)
}

func TestPitfall5LoadStatementHasNoChecksum(t *testing.T) {
	const sql = "LOAD DATA INFILE 'x' INTO TABLE `t` (`a`)"
	for _, c := range []struct {
		name      string
		checksums bool
		raw       []byte
	}{
		{"with a checksum that would open a string", true, append(loadEvent("shop", sql), " '/*"...)},
		{"with a checksum that ends in zeros", true, append(loadEvent("shop", sql), 'x', 0, 0, 0)},
		{"without checksums", false, loadEvent("shop", sql)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &replication.BinlogEvent{Header: &replication.EventHeader{EventType: replication.EXECUTE_LOAD_QUERY_EVENT}, RawData: c.raw}
			d := decoder{checksums: c.checksums}
			d.trim(e)
			if schema, got, ok := loadStatement(e.RawData); schema != "shop" || got != sql || !ok {
				t.Errorf("schema %q, text %q, %v", schema, got, ok)
			}
		})
	}
}
