package replicator

import (
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
)

// place follows where in the binlog the stream is. Event headers give 32 bits of the end position; a file that one
// transaction has made larger than 4 GiB makes them start again from zero.
type place struct {
	name     string
	file     uint32
	pos      uint32
	added    bool // pos was added up from the sizes of events
	overflow bool
}

// rotate goes to another file. Going to a lower number, or to a file of another name, is losing the place.
func (p *place) rotate(e *replication.RotateEvent) error {
	name := string(e.NextLogName)
	if name == p.name {
		return nil // the artificial one at the start of a stream
	}
	n, err := fileNumber(name)
	if err != nil {
		return lostPlace("the source rotates to a file with an unexpected name: %v", err)
	}
	if p.name != "" && (n < p.file || !sameBase(name, p.name)) {
		return lostPlace("after %s the source continues with %s", p.name, name)
	}
	*p = place{name: name, file: n, pos: uint32(min(e.Position, 1<<32-1))}
	return nil
}

func sameBase(a, b string) bool {
	a, _, _ = cutLast(a, '.')
	b, _, _ = cutLast(b, '.')
	return a == b
}

// move notes where an event ends.
//
// Servers send some events from elsewhere than the place that the stream is at, such as the description of the format
// from the beginning of the file; a heartbeat among them says how far the stream is. Of the others MariaDB, since 11.4,
// leaves the position out in the middle of a transaction, and it has to be added up; the next one that has a position
// shows whether the sum was right.
func (p *place) move(h *replication.EventHeader) error {
	switch {
	case fromElsewhere(h):
		p.pos = max(p.pos, h.LogPos)
	case h.LogPos == 0:
		p.pos += h.EventSize
		p.added = true
	case h.LogPos < p.pos && p.pos-h.LogPos > 1<<31:
		p.overflow = true
	case p.added && h.LogPos != p.pos+h.EventSize:
		return lostPlace("events add up to position %d of %s, but the next one is at %d", p.pos, p.name, h.LogPos-h.EventSize)
	default:
		p.pos, p.added = max(p.pos, h.LogPos), false
	}
	return nil
}

func fromElsewhere(h *replication.EventHeader) bool {
	switch h.EventType {
	case replication.FORMAT_DESCRIPTION_EVENT, replication.PREVIOUS_GTIDS_EVENT, replication.MARIADB_GTID_LIST_EVENT,
		replication.MARIADB_BINLOG_CHECKPOINT_EVENT, replication.HEARTBEAT_EVENT, replication.HEARTBEAT_LOG_EVENT_V2:
		return true
	}
	return h.Flags&replication.LOG_EVENT_ARTIFICIAL_F != 0
}

// reached is the Seq up to which everything was delivered.
func (p *place) reached() cache.Seq {
	if p.overflow {
		return cache.At(p.file, 1<<32-1)
	}
	return cache.At(p.file, uint64(p.pos))
}

// changed is the Seq of a change that ends here.
func (p *place) changed() cache.Seq {
	if p.overflow {
		return cache.After(p.file, 1<<32-1)
	}
	return cache.After(p.file, uint64(p.pos))
}
