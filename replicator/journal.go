package replicator

import (
	"sync"

	"weir/cache"
	"weir/replicator/gtid"
)

// maxJournal is how many transactions a server may lag before the journal has to look at its whole position.
const maxJournal = 1 << 17

// Journal remembers which transactions were recorded at which Seq, so that what a server says it has applied, a set
// of GTIDs, becomes a Seq: the largest one such that every recorded transaction up to it is in the set. A replica may
// apply out of order; what it has beyond its first gap does not count.
//
// It has a base, the set of all transactions before the first one that it remembers one by one, and then those, in
// binlog order. The base is what the source had when the reader started.
type Journal struct {
	mu      sync.Mutex
	epoch   uint64
	base    *gtid.Set
	all     *gtid.Set // the base and all since
	first   int       // number of the oldest entry
	entries []journalEntry
	head    cache.Seq
	domains map[uint32]uint64 // MariaDB: the highest sequence number of each domain
	late    lateCommits       // MariaDB
	written *gtid.State       // what the source is known to have written; nil if it has not been asked
}

type journalEntry struct {
	gtid gtid.GTID
	seq  cache.Seq
}

// NewJournal returns an empty journal, which proves nothing until Restart.
func NewJournal() *Journal { return &Journal{} }

// Restart begins an epoch in which everything before the stream's start is in base.
func (j *Journal) Restart(epoch uint64, base *gtid.Set) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.epoch, j.base, j.all = epoch, base.Clone(), base.Clone()
	j.first, j.entries, j.head, j.written = 0, nil, 0, nil
	j.domains = map[uint32]uint64{}
	j.late.restart()
}

// Append notes a transaction. The caller has not yet recorded it in the ledger, or has; it does not matter.
func (j *Journal) Append(g gtid.GTID, seq cache.Seq) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, journalEntry{gtid: j.provable(g), seq: seq})
	if j.all != nil {
		j.all.Add(g)
	}
	if j.written != nil {
		j.written.Add(g)
	}
	j.head = max(j.head, seq)
	if len(j.entries) >= maxJournal {
		j.fold(maxJournal / 2)
	}
}

// Advance notes that nothing else changed up to seq.
func (j *Journal) Advance(seq cache.Seq) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.head = max(j.head, seq)
}

// provable gives the GTID whose presence in a position proves that g was applied. On MariaDB a position says, for each
// domain, the last sequence number; that proves the ones before it only if numbers rise in the binlog. Where one
// does not, which gtid_strict_mode=OFF allows, the next higher number is asked for.
func (j *Journal) provable(g gtid.GTID) gtid.GTID {
	if g.Flavor != gtid.MariaDB {
		return g
	}
	if highest := j.domains[g.Domain]; g.Number <= highest {
		g.Number = highest + 1
		return g
	}
	j.domains[g.Domain] = g.Number
	return g
}

// fold moves the oldest n entries into the base.
func (j *Journal) fold(n int) {
	for _, e := range j.entries[:n] {
		j.base.Add(e.gtid)
	}
	j.entries = append(j.entries[:0:0], j.entries[n:]...)
	j.first += n
}

// Cursor remembers how far one server was found to be, so that the same entries are not looked up again. Its zero
// value has seen nothing. A cursor must be thrown away when another server may stand behind the same address.
type Cursor struct {
	epoch uint64
	next  int
}

// AsOf translates a position. It is false if the position does not even contain the base: then the server cannot be
// compared with the ledger.
func (j *Journal) AsOf(c *Cursor, position *gtid.Set) (cache.Mark, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.base == nil || !position.Covers(j.base) {
		return cache.Mark{}, false
	}
	if c.epoch != j.epoch {
		*c = Cursor{epoch: j.epoch}
	}
	at := cache.Mark{Epoch: j.epoch, Seq: j.head}
	i := max(c.next-j.first, 0)
	for ; i < len(j.entries); i++ {
		if e := j.entries[i]; !position.Contains(e.gtid) {
			at.Seq = e.seq - 1
			break
		}
	}
	c.next = j.first + i
	return at, true
}
