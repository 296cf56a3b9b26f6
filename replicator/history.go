package replicator

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"weir/cache"
	"weir/replicator/identity"
)

// maxFiles is how many of the latest files a history remembers. What is older has no place.
const maxFiles = 4096

// History knows the binlog files of the present epoch, and so what a mark of it is a place in, and the other way round. It
// implements [cache.Places].
//
// A file is told from another one of the same number by the second in which it was begun. That is not enough by itself:
//
//  1. RESET MASTER begins binlog.000001 at 12:00:00. A result is read as of 1/300, and goes to a second tier.
//  2. RESET MASTER once more, still at 12:00:00. Another binlog.000001 is written, to 400.
//  3. A Weir that follows the second file finds the place of 1 between its floor and its head, in a file that was begun when
//     its own was. What changed the result in the first file was never in the second one.
//
// So nothing has a place before its file is settled: before the source's own clock has passed the second in which the file
// was begun, at a moment when this was still the history that the source had. The probe asks for the time, then for the
// position; the position is found to be one of this history, and the stream comes to it. A reset can only have come after
// that, and begins its files in a later second. In the time of an event's header there is no such proof, for a session may
// set the time that its events bear.
//
// The way back asks the same of its own file, so that of two files which are settled, in two processes, at most one can have
// a number and a beginning: whichever came first was settled while there was no other, or never will be.
//
// What would defeat it is a clock that goes back, and a file that is begun by a statement which is as old as the file before
// the reset: servers stamp a file with the time at which the statement began that made them change files.
//
// The place at which an epoch begins from now is none on the way back, if the server does not log all that it applies. It
// may be there twice:
//
//  1. A source is at 7/900. A result is read as of there, and goes to a second tier.
//  2. The source becomes a replica for a while, and does not log what it applies. It changes the result.
//  3. It is the source again, still at 7/900. An epoch begins there, from now: 7/900 is its floor.
//  4. The place of 1 is its floor, too, and nothing that comes after it has changed the result.
//
// Where an epoch begins at a checkpoint, it is known whether whoever took that had come there from an earlier place: then
// such a hole would have shown, see [conduct].
//
// Whoever reads takes no lock.
type History struct {
	ledger *cache.Ledger

	mu    sync.Mutex // of those who write
	state atomic.Pointer[chronicle]
}

// chronicle is what a History knows at one moment. It does not change.
type chronicle struct {
	epoch  uint64
	source string
	from   cache.Seq    // places are after it
	files  []binlogFile // by their numbers
}

type binlogFile struct {
	number, begun uint32
	// end is where the file ends; zero while it is the last one.
	end     cache.Seq
	settled bool
}

func compareNumber(f binlogFile, number uint32) int { return cmp.Compare(f.number, number) }

// settled returns the file of a number, if that is known from all others.
func (c *chronicle) settled(number uint32) (binlogFile, bool) {
	i, found := slices.BinarySearchFunc(c.files, number, compareNumber)
	if !found || !c.files[i].settled {
		return binlogFile{}, false
	}
	return c.files[i], true
}

func (h *History) load() *chronicle {
	if c := h.state.Load(); c != nil {
		return c
	}
	return &chronicle{}
}

// Source implements [cache.Places].
func (h *History) Source() string { return h.load().source }

// Place implements [cache.Places]. The file of a mark may be one that was left long ago: a replica lags.
func (h *History) Place(at cache.Mark) (cache.Place, bool) {
	c := h.load()
	f, ok := c.settled(at.Seq.File())
	if !ok || at.Epoch != c.epoch || rounded(at.Seq) {
		return cache.Place{}, false
	}
	return cache.Place{Source: c.source, Begun: f.begun, Seq: at.Seq}, true
}

// Mark implements [cache.Places]. A restart may come in between:
//
//  1. The files of the old epoch are taken.
//  2. The ledger restarts, and has another floor and another head.
//  3. These are compared with the place.
//
// The ledger raises its epoch before it has a new floor, and takes its head back before that. So if the epoch is still that
// of the files after the comparison, all were of one epoch.
func (h *History) Mark(p cache.Place) (cache.Mark, bool) {
	c := h.load()
	if p.Source != c.source || p.Source == "" || rounded(p.Seq) {
		return cache.Mark{}, false
	}
	if p.Seq <= c.from {
		return cache.Mark{}, false
	}
	f, ok := c.settled(p.Seq.File())
	if !ok || f.begun != p.Begun || f.end != 0 && p.Seq > f.end {
		return cache.Mark{}, false
	}
	within := p.Seq >= h.ledger.Floor() && p.Seq <= h.ledger.Head()
	return cache.Mark{Epoch: c.epoch, Seq: p.Seq}, within && h.ledger.Epoch() == c.epoch
}

// rounded reports that a Seq stands for all places past 4 GiB of a file, or for none in its file.
func rounded(s cache.Seq) bool { return s.Pos() == 0 || s.Pos() == 1<<32-1 }

// change replaces what is known.
func (h *History) change(f func(old chronicle) chronicle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := f(*h.load())
	h.state.Store(&next)
}

// meet notes which server is talked to, before the first epoch.
func (h *History) meet(id identity.Identity) {
	h.change(func(old chronicle) chronicle {
		old.source = sourceName(id)
		return old
	})
}

func sourceName(id identity.Identity) string { return string(id.Flavor) + "/" + id.ID }

// restart begins an epoch of which no file is known. It comes after the ledger's. Its places are after from.
func (h *History) restart(epoch uint64, id identity.Identity, from cache.Seq) {
	h.change(func(chronicle) chronicle { return chronicle{epoch: epoch, source: sourceName(id), from: from} })
}

// placesAfter returns what the places of an epoch are after: its floor, or what is just before that.
func placesAfter(floor cache.Seq, inclusive bool) cache.Seq {
	if inclusive {
		return floor - 1
	}
	return floor
}

// Passed reports whether what was read as of the place, by whomever, can be relied on.
func (h *History) Passed(at cache.Seq) bool { return at > h.load().from }

// open notes that the stream has come into a file. end is where the one before ended.
func (h *History) open(number, begun uint32, end cache.Seq) {
	h.change(func(c chronicle) chronicle {
		last := len(c.files) - 1
		if last >= 0 && c.files[last].number >= number {
			return c // the stream was opened again
		}
		c.files = append(slices.Clone(c.files), binlogFile{number: number, begun: begun})
		if last >= 0 {
			c.files[last].end = end
		}
		c.files = c.files[max(0, len(c.files)-maxFiles):]
		return c
	})
}

// unsettled reports whether there is anything that settle could do.
func (h *History) unsettled() bool {
	return slices.ContainsFunc(h.load().files, func(f binlogFile) bool { return !f.settled })
}

// settle notes that the source said, by its own clock, what time it was in seconds, and then that it wrote the file last;
// and that this was found to be a place in the history of the epoch.
func (h *History) settle(epoch uint64, clock int64, last uint32) {
	h.change(func(c chronicle) chronicle {
		if c.epoch != epoch {
			return c
		}
		c.files = slices.Clone(c.files)
		for i, f := range c.files {
			c.files[i].settled = f.settled || int64(f.begun) < clock && f.number <= last
		}
		return c
	})
}
