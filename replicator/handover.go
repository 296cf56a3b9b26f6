package replicator

import (
	"math"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Done returns every transaction that is recorded, or had been before the journal began; nil before the first Restart. With
// the last Seq that was recorded it is what another journal can begin with.
func (j *Journal) Done() *gtid.Set {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.all == nil {
		return nil
	}
	return j.all.Clone()
}

// lacks names the transactions that are not recorded, and had not been before the journal began; empty if there are none.
func (j *Journal) lacks(some *gtid.Set) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.all == nil || j.all.Covers(some) {
		return ""
	}
	return some.String()
}

// Written returns everything that the source is known to have in its binlog, as [gtid.ParseState] reads it; empty if nothing
// is known.
func (j *Journal) Written() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.written == nil {
		return ""
	}
	return j.written.Beyond(gtid.NewState(j.all.Flavor()))
}

// Committing notes an XA COMMIT from before the journal began that the source may not show yet: see [Sampler]. The thread is
// the connection that said it.
func (j *Journal) Committing(thread uint32, at cache.Seq) { j.late.add(thread, at) }

// NewHistory returns the history of a ledger whose changes come through somebody else, who says what that one's history is.
// The methods that change it are for the goroutine which applies the changes.
func NewHistory(l *cache.Ledger) *History { return &History{ledger: l} }

// Restart begins an epoch of which no file is known. It comes after the ledger's. passed is what the history of whoever
// reads the binlog says of the floor, see [History.Passed].
func (h *History) Restart(epoch uint64, source identity.Identity, floor cache.Seq, passed bool) {
	h.restart(epoch, source, placesAfter(floor, passed))
}

// Open notes that the changes go on in a file, by its name. Nothing before comes after end.
func (h *History) Open(name string, begun uint32, end cache.Seq) error {
	n, err := fileNumber(name)
	if err != nil {
		return err
	}
	h.open(n, begun, end)
	return nil
}

// Settle notes that whoever reads the binlog takes all files up to the one that was opened last for settled.
func (h *History) Settle() {
	h.settle(h.load().epoch, math.MaxInt64, math.MaxUint32)
}
