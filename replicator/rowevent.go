package replicator

import (
	"github.com/go-mysql-org/go-mysql/replication"
)

// rowKind is what a row event does to its rows.
type rowKind uint8

const (
	otherKind rowKind = iota // partial updates of JSON, and what no server has written for a long time
	inserted
	updated
	deleted
)

func kindOf(t replication.EventType) (kind rowKind, compressed bool) {
	switch t {
	case replication.WRITE_ROWS_EVENTv1, replication.WRITE_ROWS_EVENTv2:
		return inserted, false
	case replication.UPDATE_ROWS_EVENTv1, replication.UPDATE_ROWS_EVENTv2:
		return updated, false
	case replication.DELETE_ROWS_EVENTv1, replication.DELETE_ROWS_EVENTv2:
		return deleted, false
	case replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1:
		return inserted, true
	case replication.MARIADB_UPDATE_ROWS_COMPRESSED_EVENT_V1:
		return updated, true
	case replication.MARIADB_DELETE_ROWS_COMPRESSED_EVENT_V1:
		return deleted, true
	}
	return otherKind, false
}

// rowEvent is what is left to read of an event: row after row an image from before or from after the change, or, for
// updates, one of each.
type rowEvent struct {
	kind          rowKind
	first, second columnSet // logged in the first image of a row, and in the second
	data          []byte

	// guess says that a column which is missing from the second image has not for certain kept its value. MariaDB logs a
	// REPLACE that finds its row as an update. With binlog_row_image=MINIMAL, and for a BLOB or TEXT with NOBLOB, it leaves
	// out the columns that the statement does not name, which are back at their defaults. (Seen on 10.11. Its own replicas
	// keep the old values.) MySQL logs all columns then. It is MySQL that writes events of version 2.
	guess bool
}

// open takes an event apart. It is false for one that is not understood, and for one whose rows take no bytes at all, so
// that nobody knows how many there are: INSERT INTO t () VALUES () with binlog_row_image=MINIMAL.
func (l *teller) open(p *plan, raw *replication.BinlogEvent, e *replication.RowsEvent) (rowEvent, bool) {
	kind, compressed := kindOf(raw.Header.EventType)
	ev := rowEvent{kind: kind, guess: e.Version < 2}
	if kind == otherKind || e.ColumnCount != uint64(len(p.codes)) || len(raw.RawData) <= replication.EventHeaderSize {
		return ev, false
	}
	body := raw.RawData[replication.EventHeaderSize:]
	at, err := e.DecodeHeader(body) // once more: the decoder did, and knows no place for what follows
	if err != nil || at > len(body) {
		return ev, false
	}
	if ev.data = body[at:]; compressed {
		if ev.data, err = l.inflate.inflate(ev.data); err != nil {
			return ev, false
		}
	}
	first, ok1 := columnsIn(e.ColumnBitmap1, len(p.codes))
	second, ok2 := first, true
	if kind == updated {
		second, ok2 = columnsIn(e.ColumnBitmap2, len(p.codes))
	}
	ev.first, ev.second = first, second
	return ev, ok1 && ok2 && first.count > 0 && len(ev.data) > 0
}

// next reads a row into the plan's before and after.
func (p *plan) next(ev *rowEvent) (ok bool) {
	first := p.before
	if ev.kind == inserted {
		first = p.after
	}
	if ev.data, ok = p.images.read(ev.data, ev.first, first); ok && ev.kind == updated {
		ev.data, ok = p.images.read(ev.data, ev.second, p.after)
	}
	return ok
}
