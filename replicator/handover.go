package replicator

import (
	"weir/cache"
	"weir/replicator/gtid"
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

// Committing notes an XA COMMIT from before the journal began that the source may not show yet: see [Sampler]. The thread is
// the connection that said it.
func (j *Journal) Committing(thread uint32, at cache.Seq) { j.late.add(thread, at) }
