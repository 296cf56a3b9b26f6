package cache

import "time"

// Snapshot is what is known of the moment that a transaction on a server reads: the server fixed it between two places
// of the change stream, and nobody can ask which place that was.
type Snapshot struct {
	// Holds: every change up to it is in the snapshot. It comes from the server's sampler, asked before the snapshot was
	// fixed.
	Holds Mark
	// Opened is a moment after the snapshot was fixed, on the ledger's clock: every change in it had been written to the
	// source's binlog before.
	Opened time.Duration
	// Read has the anchors of what the transaction has read on its server since then, each with a moment after its first
	// such read. The server keeps the definitions of these tables as they are until the transaction ends.
	Read map[Tag]time.Duration
}

// FreshAt reports whether e is, byte for byte, what a transaction with the snapshot s would read. How old that is does
// not matter: the transaction reads the same until it ends.
//
// Call R the snapshot that the entry was read from, in all likelihood another transaction's on another server. R holds
// everything up to the entry's AsOf, s everything up to s.Holds; what else they hold nobody knows. If the ledger is
// complete as of a moment c after both were fixed, then every change that either of them holds has been recorded. If no
// change to the tags is recorded after both AsOf and s.Holds, then of these changes both hold all: they show the same.
// Each condition settles one way to be wrong, in which the row changes from old to new at 95:
//
//	S1: the snapshot is older than the entry     S2: the snapshot is newer than the entry
//	1. the sampler says 90; s is fixed           1. a fill samples 90, reads old
//	2. the row changes and is recorded           2. the row changes and is recorded
//	3. a fill samples 95, reads new              3. the sampler says 95; s is fixed, shows new
//	4. Last 95 > Holds 90: not served            4. Last 95 > AsOf 90: not served
//
//	S3: the change in s is not recorded yet      S4: the change in the entry is not recorded yet
//	1. a fill samples 90, reads old              1. the sampler says 90; s is fixed, shows old
//	2. the row changes                           2. the ledger is complete as of now
//	3. the sampler says 90, being asked before   3. the row changes
//	   the change; s is fixed, shows new         4. a fill samples 90, reads new, is stored
//	4. complete before s.Opened: not served      5. complete before e was stored: not served
//
// A snapshot is one of rows, not of definitions; these a transaction has to lock, and a hit locks nothing:
//
//	S5: the definition changes in the middle
//	1. s is fixed; an entry that depends on t is served
//	2. RENAME TABLE t TO old, other TO t does not have to wait for the transaction
//	3. the transaction reads t on its server, and gets rows of another table, or error 1412
//
// So only what reads tables that the transaction has itself read before is served, and only if the ledger is complete as
// of a moment after that: then a definition that changed between s and the read is recorded. That is asked of the
// anchors alone: each table has one, which every change to its definition touches, and which rows, ranges or columns of
// it the transaction has read does not matter to its lock. Changes count for every tag.
//
// In S4 [Ledger.Fresh] serves the entry to those who are in no transaction: to them it is only newer than it had to be.
//
// The order of the checks matters as in Fresh. The stream comes before the tags: a change that is recorded after its
// tag was looked at cannot make the stream complete for this call. The epoch comes last: whoever reads what
// Restart has cleared finds afterwards that the epoch has changed.
func (l *Ledger) FreshAt(e *Entry, s Snapshot) bool {
	complete, ok := l.CompleteAsOf()
	if !ok || complete < s.Opened || complete < e.stored {
		return false
	}
	for _, t := range e.anchors() {
		if read, ok := s.Read[t]; !ok || complete < read {
			return false
		}
	}
	both := min(e.At.Seq, s.Holds.Seq)
	return !l.changed(e, both) && both >= l.Floor() && e.At.Epoch == s.Holds.Epoch && e.At.Epoch == l.Epoch()
}

// GetAt returns the entry for key if it is what a transaction with the snapshot s would read; else nil. Like Get it
// allocates nothing and takes no lock.
func (c *Cache) GetAt(key []byte, s Snapshot) *Entry {
	it := c.store.find(Hash(key), key)
	if it == nil {
		return nil
	}
	e := it.entry
	if !e.Versioned || c.ledger.Now()-e.read > c.maxAge || !c.ledger.FreshAt(e, s) {
		it.used()
		return nil
	}
	it.hit()
	return e
}
