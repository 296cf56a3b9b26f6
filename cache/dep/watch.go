package dep

import (
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"weir/cache"
)

// Watch knows which columns the reader of the binlog has to look at: those that some result depends on by value, by
// range or by change. What nobody is interested in is not decoded.
//
// From the Seq at which an interest was taken up, every change to the table touches either the tags that belong to it
// or the table's anchor. An entry that is older than that must depend on the table as a whole. The reader may be in the
// middle of a transaction:
//
//  1. The reader decodes the first rows of a transaction. Nobody is interested in the column.
//  2. A fill registers its interest. Head is still before the transaction.
//  3. The reader decodes the rest, and records the transaction without the tags of the first rows.
//  4. The fill's result, AsOf before the transaction, would stay servable.
//
// So an interest that comes while a transaction is open counts from that transaction's end.
//
// Interests are never given up one by one. [Watch.Forget] gives up a whole table: from then on its changes touch the
// anchor, on which every entry depends; and if the table is wanted again, all its former interests come back with it, so
// that an entry from before depends on nothing that is not touched.
type Watch struct {
	ledger *cache.Ledger

	mu      sync.Mutex
	open    bool // a transaction is being decoded
	tables  map[Name]*Watched
	wanted  map[Name]time.Duration // when last, on the ledger's clock
	own     map[Name]time.Duration // when last by Want
	pending []*interest            // taken up within the open transaction
	last    cache.Seq              // of the transactions recorded so far; may be past the head, see [cache.Ledger.Advance]
	remote  announced              // nil unless somebody else reads the binlog, see [NewRemoteWatch]

	version atomic.Uint64
}

// Watched is the interest in one table at one moment. It does not change.
type Watched struct {
	// Columns has the interests by the column's name. The empty name stands for the set of rows: InChange is then an
	// interest in inserted and deleted rows.
	Columns map[string]Interest

	forgotten bool
	since     map[Want]*interest
}

// interest is one bit of a column's interests, and since when it is followed.
type interest struct{ since cache.Seq }

const notYet = cache.Seq(math.MaxUint64)

// NewWatch returns a watch on nothing.
func NewWatch(l *cache.Ledger) *Watch {
	return &Watch{ledger: l, tables: map[Name]*Watched{}, wanted: map[Name]time.Duration{}, own: map[Name]time.Duration{}}
}

// Version changes with every new interest. What was decoded under one version may lack tags of the next.
func (w *Watch) Version() uint64 { return w.version.Load() }

// Want takes up interests in a table and returns the Seq since which all of them are followed: entries whose AsOf is
// before that must not rely on them.
func (w *Watch) Want(n Name, wants []Want) cache.Seq {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.own[n] = w.ledger.Now()
	return w.want(n, wants)
}

// want is Want, for whoever it may be. The lock is held.
func (w *Watch) want(n Name, wants []Want) cache.Seq {
	w.wanted[n] = w.ledger.Now()
	t := w.tables[n]
	if t == nil || t.forgotten || !t.has(wants) {
		t = w.extend(n, t, wants)
	}
	var since cache.Seq
	for _, want := range wants {
		since = max(since, t.since[want].since)
	}
	return since
}

func (t *Watched) has(wants []Want) bool {
	for _, want := range wants {
		if t.since[want] == nil {
			return false
		}
	}
	return true
}

// extend puts a table with more interests in the place of t. The lock is held.
func (w *Watch) extend(n Name, t *Watched, wants []Want) *Watched {
	next := &Watched{Columns: map[string]Interest{}, since: map[Want]*interest{}}
	if t != nil {
		next.Columns, next.since = maps.Clone(t.Columns), maps.Clone(t.since)
		if t.forgotten {
			for want := range next.since {
				next.since[want] = w.begin(n, want)
			}
		}
	}
	for _, want := range wants {
		next.Columns[want.Column] |= want.Interest
		if next.since[want] == nil {
			next.since[want] = w.begin(n, want)
		}
	}
	w.tables[n] = next
	w.version.Add(1)
	return next
}

// begin starts an interest now, or when the open transaction ends. The lock is held.
func (w *Watch) begin(n Name, want Want) *interest {
	if w.remote != nil {
		return w.remote.begin(n, want)
	}
	if !w.open {
		return &interest{max(w.ledger.Head(), w.last)}
	}
	i := &interest{notYet}
	w.pending = append(w.pending, i)
	return i
}

// Decoding returns what to look at in rows of the table, nil for nothing, and notes that a transaction is open. The
// reader calls it for each event with rows.
func (w *Watch) Decoding(n Name) *Watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = true
	if t := w.tables[n]; t != nil && !t.forgotten {
		return t
	}
	return nil
}

// Recorded notes that the transaction at seq is recorded, and with it the open one, if there was one.
func (w *Watch) Recorded(seq cache.Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open, w.last = false, max(w.last, seq)
	for _, i := range w.pending {
		i.since = max(w.ledger.Head(), w.last)
	}
	w.pending = nil
}

// Restart notes that a new epoch of the ledger begins: nothing of it has been read, so that every interest is followed
// from its beginning; or, if somebody else reads the binlog, from where that one says.
func (w *Watch) Restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open, w.pending, w.last = false, nil, 0
	var since cache.Seq
	if w.remote != nil {
		clear(w.remote)
		since = notYet
	}
	for _, t := range w.tables {
		for _, i := range t.since {
			i.since = since
		}
	}
}

// Forget gives up the interests in a table until somebody wants it again.
func (w *Watch) Forget(n Name) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(n)
}

// Prune forgets the tables that nobody has wanted for so long. Hits want nothing: the entries that are left, if any, are
// ended by the next change to the table, whatever it is.
func (w *Watch) Prune(idle time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.ledger.Now()
	for n, last := range w.wanted {
		if now-last > idle {
			w.forget(n)
			delete(w.wanted, n)
			delete(w.own, n)
		}
	}
}

// forget is Forget with the lock held.
func (w *Watch) forget(n Name) {
	if t := w.tables[n]; t != nil && !t.forgotten {
		w.tables[n] = &Watched{Columns: t.Columns, since: t.since, forgotten: true}
		w.version.Add(1)
	}
}
