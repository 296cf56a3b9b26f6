package replicator

import (
	"log/slog"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
)

// pursuit is a stream on its way from where it was left to where the source was when it was opened. Until it has arrived it
// does not count as open, so that the ledger is not said to be complete: neither the probe's questions nor anybody's cached
// results rely on what is found out at the end, whether the binlog has told of everything.
type pursuit struct {
	to    Position
	sizes map[string]uint64 // of the source's files; may be nil
	from  cache.Seq
	// durable is what the source says of itself now, see [conduct].
	durable bool
	began   time.Time
	said    time.Time // when progress was told last
	// events are counted from the stream's beginning.
	events uint64
}

// sayEvery is how often progress is told while a stream catches up.
const sayEvery = 3 * time.Second

// complete reports, at the place of arrival, whether the binlog had all that the source had: see [conduct]. On MariaDB
// nothing but the domains' last numbers could be compared, which say less than what was compared at the start.
func (p *pursuit) complete(at *checkpoint) error {
	if at.identity.Flavor == gtid.MySQL && !at.done.Covers(p.to.GTIDs) {
		return lostPlace("the source has transactions that are not in its binlog, up to %s:%d (it has %s, the binlog has told of %s); set log_replica_updates on servers that may become the source", p.to.File, p.to.Pos, p.to.GTIDs, at.done)
	}
	return nil
}

// left is how many bytes of the binlog are still to be read, as far as the sizes of files tell.
func (p *pursuit) left(seq cache.Seq) uint64 {
	if seq >= p.to.Seq {
		return 0
	}
	if seq.File() == p.to.Seq.File() {
		return uint64(p.to.Seq.Pos() - seq.Pos())
	}
	left := p.to.Pos
	for name, size := range p.sizes {
		switch n, err := fileNumber(name); {
		case err != nil || n < seq.File() || n >= p.to.Seq.File():
		case n > seq.File():
			left += size
		case size > uint64(seq.Pos()):
			left += size - uint64(seq.Pos())
		}
	}
	return left
}

// say tells progress, now and then.
func (p *pursuit) say(log *slog.Logger, seq cache.Seq) {
	now := time.Now()
	if now.Sub(p.said) < sayEvery {
		return
	}
	p.said = now
	total, left := p.left(p.from), p.left(seq)
	percent := 100.0
	if total > 0 {
		percent = 100 * (1 - float64(left)/float64(total))
	}
	log.Info("catching up with the source's binlog; cached results are not served until then",
		"at", seq, "to", p.to.Seq, "percent", int(percent), "mib_left", left>>20, "events_per_second", int(float64(p.events)/now.Sub(p.began).Seconds()))
}
