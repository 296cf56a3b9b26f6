package daemon

import (
	"bytes"
	endian "encoding/binary" // there is a type named binary
	"math/rand/v2"
	"sync"
	"time"

	"weir/proxy/wire"
)

// ddlReaders ask through Weir all the time.
const ddlReaders = 2

// ddlPause is between two statements of a reader or a writer, so that they leave something of the machine to others.
const ddlPause = 2 * time.Millisecond

// planFlags are flags of a column that servers tell with every result and that depend on the table's indexes: which keys
// it is part of (MULTIPLE_KEY, UNIQUE_KEY, PART_KEY), and BINARY, which both servers give to a sum if its groups went
// through a temporary table. An index that is added or dropped leaves results cached, and so they may tell of the
// indexes of before; of the primary key they never do.
const planFlags = 1<<3 | 1<<2 | 1<<14 | 1<<7

// withoutPlanFlags takes the flags out of the columns of a result set; and out of the status SESSION_STATE_CHANGED, which
// MariaDB sets when it has looked into a view of another schema.
func withoutPlanFlags(r reply) reply {
	if r.kind != wire.KindResultSet {
		return r
	}
	r.raw = bytes.Clone(r.raw)
	all := r.packets()
	for _, packet := range all {
		if len(packet) == wire.HeaderSize+5 && packet[wire.HeaderSize] == wire.HeaderEOF {
			packet[len(packet)-1] &^= 1 << 6
		}
	}
	n, _ := wire.DecodeColumnCount(all[0][wire.HeaderSize:])
	for _, column := range all[1 : 1+n] {
		at := len(column) - 5 // the flags, the decimals, two bytes of filler
		flags := endian.LittleEndian.Uint16(column[at:])
		endian.LittleEndian.PutUint16(column[at:], flags&^planFlags)
	}
	return r
}

// background starts readers and a writer, and returns what ends them, once.
func (m *ddlMatrix) background() (stop func()) {
	quit := make(chan struct{})
	var all sync.WaitGroup
	loop := func(step func(*rand.Rand, *dialogue), d *dialogue, seed uint64) {
		all.Go(func() {
			tick := time.NewTicker(ddlPause)
			defer tick.Stop()
			for r := rand.New(rand.NewPCG(seed, 0)); ; step(r, d) {
				select {
				case <-quit:
					return
				case <-tick.C:
				}
			}
		})
	}
	loop(m.writes, m.atServer(""), 1)
	for i := range ddlReaders {
		loop(m.reads, m.throughWeir(""), uint64(i+2))
	}
	return sync.OnceFunc(func() { close(quit); all.Wait() })
}

// reads asks one query of a case that has been played, or of the one that is being played.
func (m *ddlMatrix) reads(r *rand.Rand, d *dialogue) {
	m.traffic.RLock()
	defer m.traffic.RUnlock()
	if c := m.anyone(r, true); c != nil && d.query("USE "+c.schema).kind != wire.KindError {
		d.query(c.in(c.group.queries[r.IntN(len(c.group.queries))].sql))
	}
}

// writes changes rows of such a case, but of the one that is being played only if its answers may change.
func (m *ddlMatrix) writes(r *rand.Rand, d *dialogue) {
	m.traffic.RLock()
	defer m.traffic.RUnlock()
	c := m.anyone(r, m.current != nil && m.current.raced)
	if c != nil && d.query("USE "+c.schema).kind != wire.KindError {
		d.query(c.in(c.group.writes[r.IntN(len(c.group.writes))]))
	}
}

func (m *ddlMatrix) anyone(r *rand.Rand, current bool) *ddlCase {
	if m.current != nil && current && r.IntN(2) == 0 {
		return m.current
	}
	if len(m.done) == 0 {
		return nil
	}
	return m.done[r.IntN(len(m.done))].ddlCase
}
