package replicator

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/replicator/change"
)

// maxPrepared bounds what is remembered of prepared XA transactions; one that was not remembered counts, at its
// commit, as a change to everything.
const maxPrepared = 10_000

// prepared holds what XA transactions changed between PREPARE, where their rows are in the binlog, and COMMIT, where
// the rows become visible and the binlog has only a statement:
//
//  1. XA PREPARE: the rows arrive. Nobody can see them.
//  2. A result is read, old, with a snapshot that contains the prepare event.
//  3. XA COMMIT: without rows, perhaps from another connection, perhaps after a restart of Weir.
//
// Touching at 1 alone would leave the result of 2 servable for ever.
type prepared struct {
	byXID map[string]held
	tags  int // of all of them
}

// held is what a prepared transaction changed, and under which versions its rows were looked at.
type held struct {
	*change.Transaction
	under versions
}

// maxHeldTags bounds the tags of all prepared transactions, 8 MiB. Those beyond count their tables as a whole.
const maxHeldTags = 1 << 20

// prepare ends the group at its XA prepare event: the rows wait for the commit. ONE PHASE is the commit.
func (a *assembler) prepare(e *replication.BinlogEvent) []*change.Transaction {
	xid, onePhase, ok := decodeXAPrepare(e.Event)
	if !ok {
		a.open().Everything = "XA prepare event that cannot be read"
		return a.end()
	}
	if onePhase {
		a.open().XAThread = a.thread
		return a.end()
	}
	t := a.open()
	a.prepared.hold(xid, held{t, a.under})
	a.group = &change.Transaction{GTID: t.GTID, CommittedAt: t.CommittedAt, Coarse: t.Coarse}
	return a.end()
}

func (p *prepared) hold(xid string, h held) {
	if p.byXID == nil {
		p.byXID = map[string]held{}
	}
	if len(p.byXID) >= maxPrepared {
		return
	}
	p.take(xid) // there is none, unless the stream was opened again
	if p.tags+len(h.Tags) > maxHeldTags {
		h.Coarsen()
	}
	p.tags += len(h.Tags)
	p.byXID[xid] = h
}

func (p *prepared) take(xid string) (held, bool) {
	h, ok := p.byXID[xid]
	if ok {
		p.tags -= len(h.Tags)
		delete(p.byXID, xid)
	}
	return h, ok
}

// commit moves what the XA transaction named in the statement changed into t, and returns the versions under which its
// rows were looked at. "ONE PHASE" at the end of the statement means that there was no prepare, and that the group has
// its rows itself.
func (p *prepared) commit(args string, t *change.Transaction) (under versions) {
	args, onePhase := strings.CutSuffix(args, " ONE PHASE")
	xid, ok := parseXID(args)
	h, known := p.take(xid)
	switch {
	case onePhase:
	case !ok:
		t.Everything = "XA COMMIT of an id that cannot be read"
	case !known:
		t.Everything = "XA COMMIT of a transaction that was prepared before the stream was read"
	default:
		t.Tables, t.Schemas, t.Statements = h.Tables, h.Schemas, h.Statements
		t.Rows, t.Tags, t.Parents = h.Rows, h.Tags, h.Parents
		t.Everything, t.Deeds = h.Everything, h.Deeds
	}
	return h.under
}

func (p *prepared) forget(args string) {
	if xid, ok := parseXID(args); ok {
		p.take(xid)
	}
}

// decodeXAPrepare reads the body of an XA_prepare_log_event: one byte one_phase, then format id, length of gtrid,
// length of bqual (4 bytes each, little endian), then the bytes of both. Both flavours write it alike.
func decodeXAPrepare(e replication.Event) (xid string, onePhase, ok bool) {
	g, isGeneric := e.(*replication.GenericEvent)
	if !isGeneric || len(g.Data) < 13 {
		return "", false, false
	}
	format := binary.LittleEndian.Uint32(g.Data[1:])
	gtrid := binary.LittleEndian.Uint32(g.Data[5:])
	bqual := binary.LittleEndian.Uint32(g.Data[9:])
	id := g.Data[13:]
	if gtrid > 64 || bqual > 64 || len(id) < int(gtrid+bqual) {
		return "", false, false
	}
	return xidKey(id[:gtrid], id[gtrid:gtrid+bqual], format), g.Data[0] != 0, true
}

func xidKey(gtrid, bqual []byte, format uint32) string {
	return fmt.Sprintf("%x/%x/%d", gtrid, bqual, format)
}

var xidText = regexp.MustCompile(`^X'([0-9A-Fa-f]*)',X'([0-9A-Fa-f]*)',(\d+)$`)

// parseXID reads an id as both servers write it in the text of XA COMMIT: X'6162',X”,1.
func parseXID(args string) (key string, ok bool) {
	m := xidText.FindStringSubmatch(args)
	if m == nil {
		return "", false
	}
	gtrid, err1 := hex.DecodeString(m[1])
	bqual, err2 := hex.DecodeString(m[2])
	format, err3 := strconv.ParseUint(m[3], 10, 32)
	if errors.Join(err1, err2, err3) != nil {
		return "", false
	}
	return xidKey(gtrid, bqual, uint32(format)), true
}
