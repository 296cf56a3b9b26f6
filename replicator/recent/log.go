package recent

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

// Size is how many transactions are remembered.
const Size = 1 << 14

// Change is one transaction.
type Change struct {
	Seq      cache.Seq
	Position string // where it ends: the binlog file, a colon, and the position in it
	GTID     string
	// Committed is when the source says that it committed, in whole seconds on MariaDB; zero if it does not say. Recorded is
	// when it was added here, a moment before the ledger had it.
	Committed, Recorded time.Time
	// Tables are those that changed, as many as [change.MaxDeeds].
	Tables []TableChange
	// Everything, if not empty, says why it had to be taken for a change of everything.
	Everything string
}

// TableChange is what a transaction did to one table.
type TableChange struct {
	Name dep.Name
	// Kind is insert, update, delete, ddl, statement (one in text that changes rows), cascade (through a foreign key), or
	// rows if that is all that is known; several are joined by +.
	Kind string
	// Rows is how many rows were counted: not more than there were. Rows that nobody had to read are not counted.
	Rows int
}

// Log remembers. It takes 3 MiB for transactions of one or two tables, and 15 MiB at most, without the tables' names, of
// which it keeps each once. All methods may be called from anywhere; those that write come from one goroutine, which waits
// for readers no longer than it takes to look through 128 KiB.
type Log struct {
	mu    sync.Mutex
	file  string // without its number
	width int    // of the number
	seqs  []cache.Seq
	ring  []slot
	added uint64 // since the start; the next one goes to added % Size
	tally tally
}

// slot is a change as it is kept.
type slot struct {
	epoch      uint64
	gtid       gtid.GTID
	committed  time.Time
	recorded   time.Time
	tables     []change.Deed // used again
	everything string
}

// New returns an empty log.
func New() *Log { return &Log{tally: newTally()} }

// File notes the name of a binlog file of the source, from which those of the others follow.
func (l *Log) File(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		l.file, l.width = name[:i+1], len(name)-i-1
	}
}

// Add notes a transaction of an epoch, before the ledger has it. It keeps nothing of t that may change.
func (l *Log) Add(epoch uint64, t *change.Transaction, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.next()
	s := &l.ring[i]
	l.seqs[i] = t.Seq
	s.epoch, s.gtid, s.committed, s.recorded, s.everything = epoch, t.GTID, t.CommittedAt, now, t.Everything
	clear(s.tables)
	s.tables = s.tables[:0]
	for _, d := range t.Deeds {
		d.Name = l.tally.count(d, now)
		s.tables = append(s.tables, d)
	}
}

// next returns the place for one more.
func (l *Log) next() int {
	i := int(l.added % Size)
	l.added++
	if i == len(l.ring) {
		l.ring, l.seqs = append(l.ring, slot{}), append(l.seqs, 0)
	}
	return i
}

// At returns the transaction of the newest epoch that ended at seq, the last one if there are several, and false if it is
// not remembered.
func (l *Log) At(seq cache.Seq) (Change, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	epoch := uint64(0)
	for n := range uint64(len(l.seqs)) {
		i := int((l.added - 1 - n) % Size)
		if n == 0 {
			epoch = l.ring[i].epoch
		}
		if l.seqs[i] == seq {
			return l.change(i), l.ring[i].epoch == epoch
		}
	}
	return Change{}, false
}

// Last returns the last n transactions, the newest first, of whatever epoch.
func (l *Log) Last(n int) []Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = max(min(n, len(l.ring)), 0)
	last := make([]Change, n)
	for k := range last {
		last[k] = l.change(int((l.added - 1 - uint64(k)) % Size))
	}
	return last
}

func (l *Log) change(i int) Change {
	s := &l.ring[i]
	c := Change{
		Seq: l.seqs[i], Position: l.position(l.seqs[i]), GTID: s.gtid.String(),
		Committed: s.committed, Recorded: s.recorded, Everything: s.everything,
		Tables: make([]TableChange, len(s.tables)),
	}
	for k, d := range s.tables {
		c.Tables[k] = TableChange{Name: d.Name, Kind: d.Verb.String(), Rows: d.Rows}
	}
	return c
}

// position spells a place as the source does. A file's number has as many digits as it takes, and zeros in front.
func (l *Log) position(seq cache.Seq) string {
	number := strconv.FormatUint(uint64(seq.File()), 10)
	if missing := l.width - len(number); missing > 0 {
		number = strings.Repeat("0", missing) + number
	}
	return l.file + number + ":" + strconv.FormatUint(uint64(seq.Pos()), 10)
}
