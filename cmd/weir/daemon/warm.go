package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"weir/cache/dep"
	"weir/replicator"
	"weir/replicator/catalog"
)

// Notes are what Weirs that follow one source leave for each other, and for themselves after a restart. Nobody has to keep
// them: they save effort, and what is in them is believed only as far as it can be verified.
type Notes interface {
	// Leave writes a field of the note of that name, which may be forgotten after keep.
	Leave(ctx context.Context, name, field string, value []byte, keep time.Duration) error
	// Left returns all fields.
	Left(ctx context.Context, name string) (map[string][]byte, error)
}

// warmth carries over from one process to the next, and from one Weir to another, what they need to judge results that
// others have stored: where in the binlog a start may begin, and which columns are of interest.
type warmth struct {
	notes   Notes
	window  time.Duration // how far back a start goes
	self    string        // whose interests are left
	reader  *replicator.Reader
	watch   *dep.Watch
	catalog *catalog.Catalog
	log     *slog.Logger

	mu    sync.Mutex // the reader asks at the start, while run leaves
	part  string     // of a source's window, in which a place was left last
	last  []byte     // the interests that were left
	left  time.Time
	quiet bool // the notes cannot be reached, and that was told
}

const (
	notePositions, noteInterests = "positions", "interests"

	// positionsKept is how many positions cover the window.
	positionsKept = 60
	leaveEvery    = time.Second
	interestEvery = 5 * time.Second
	// renewEvery is how often interests are left though nothing has changed; those older than unwanted do not count.
	renewEvery = time.Minute
	// maxInterests bounds how many columns are taken up from others.
	maxInterests = 20_000
)

// keepWarm leaves notes while the daemon runs, and makes it begin where they say, unless the window is 0. It is called before
// the reader runs.
func (d *Daemon) keepWarm(notes Notes, window time.Duration) {
	host, _ := os.Hostname() // who shares a name shares a note, and some interests are taken up later
	d.warmth = &warmth{
		notes: notes, window: window, self: host + "/" + d.Addr(), reader: d.reader, watch: d.watch, catalog: d.catalog, log: d.log,
	}
	if window > 0 && d.reader != nil {
		d.reader.Warm = &replicator.Warm{Places: d.warmth.places, Prepare: d.catalog.Foresee}
	}
}

// places takes up the interests of others, which then count from the epoch's beginning, and returns where it may begin:
// the oldest place within the window first, from which the most of what is stored can be judged.
func (w *warmth) places(ctx context.Context) []replicator.Checkpoint {
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	w.takeUp(ctx, func(dep.Name) bool { return true })
	fields, err := w.notes.Left(ctx, notePositions)
	w.tell(err)
	oldest := time.Now().Add(-w.window)
	var all []replicator.Checkpoint
	for _, value := range fields {
		if c, err := replicator.DecodeCheckpoint(value); err == nil && c.Taken.After(oldest) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b replicator.Checkpoint) int { return a.Taken.Compare(b.Taken) })
	return all
}

const noteTimeout = 2 * time.Second

// run leaves notes until ctx ends.
func (w *warmth) run(ctx context.Context) {
	leave, interests := time.NewTicker(leaveEvery), time.NewTicker(interestEvery)
	defer leave.Stop()
	defer interests.Stop()
	for {
		select {
		case <-leave.C:
			w.leavePosition(ctx)
		case <-interests.C:
			w.leaveInterests(ctx)
			w.takeUp(ctx, w.known)
		case <-ctx.Done():
			return
		}
	}
}

// leavePosition leaves where the reader is: the first place of each part of the window, from which a start can judge the
// most, in a field that is used again when the window is over; and the latest.
func (w *warmth) leavePosition(ctx context.Context) {
	if w.reader == nil || w.window == 0 {
		return // a relay's consumer begins where its stream does
	}
	c, ok := w.reader.Checkpoint()
	if !ok {
		return
	}
	field := positionField(c.Taken, w.window)
	if part := c.Identity.ID + "/" + field; part != w.part {
		w.leaveIn(ctx, field, c)
		w.part = part
	}
	w.leaveIn(ctx, "latest", c)
}

func (w *warmth) leaveIn(ctx context.Context, field string, c replicator.Checkpoint) {
	w.tell(w.notes.Leave(ctx, notePositions, field, c.Encode(), 2*w.window))
}

func positionField(at time.Time, window time.Duration) string {
	part := max(window/positionsKept, time.Millisecond)
	return strconv.FormatInt(at.UnixMilli()/part.Milliseconds()%(positionsKept+1), 10)
}

// interestNote is what one Weir leaves of its interests.
type interestNote struct {
	At     int64           `json:"at_ms"`
	Tables []interestTable `json:"tables"`
}

type interestTable struct {
	Schema  string                  `json:"schema"`
	Table   string                  `json:"table"`
	Columns map[string]dep.Interest `json:"columns"`
}

// leaveInterests leaves the tables that this Weir has wanted lately.
func (w *warmth) leaveInterests(ctx context.Context) {
	tables := []interestTable{}
	for _, i := range w.watch.Interests(unwanted) {
		t := interestTable{Schema: i.Table.Schema, Table: i.Table.Table, Columns: map[string]dep.Interest{}}
		for _, want := range i.Wants {
			t.Columns[want.Column] = want.Interest
		}
		tables = append(tables, t)
	}
	now := time.Now()
	same, err := json.Marshal(tables)
	if err != nil || !w.due(same, now) {
		return
	}
	note, err := json.Marshal(interestNote{At: now.UnixMilli(), Tables: tables})
	if err == nil {
		err = w.notes.Leave(ctx, noteInterests, w.self, note, unwanted)
	}
	if w.tell(err); err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.left = same, now
}

// due reports whether interests are to be left: they are others than before, or the note grows old.
func (w *warmth) due(tables []byte, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(tables) != string(w.last) || now.Sub(w.left) >= renewEvery
}

// hasLeft reports whether the note of this name is one of this process.
func (w *warmth) hasLeft() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.left.IsZero()
}

// takeUp takes up the interests of others in tables that are known, those of the youngest notes first.
func (w *warmth) takeUp(ctx context.Context, known func(dep.Name) bool) {
	fields, err := w.notes.Left(ctx, noteInterests)
	w.tell(err)
	if w.hasLeft() {
		delete(fields, w.self) // it would be told by itself for ever; after a start it is what was left before
	}
	oldest := time.Now().Add(-unwanted).UnixMilli()
	var all []interestNote
	for _, value := range fields {
		var n interestNote
		if json.Unmarshal(value, &n) == nil && n.At > oldest {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b interestNote) int { return cmp.Compare(b.At, a.At) })
	w.watch.TakeUp(bounded(all, known))
}

// bounded are the interests in known tables, as many columns as are taken up.
func bounded(notes []interestNote, known func(dep.Name) bool) (all []dep.Interests) {
	columns := 0
	for _, note := range notes {
		for _, t := range note.Tables {
			n := dep.Fold(t.Schema, t.Table)
			if columns += max(len(t.Columns), 1); columns > maxInterests {
				return all
			}
			if !known(n) {
				continue
			}
			i := dep.Interests{Table: n}
			for column, interest := range t.Columns {
				i.Wants = append(i.Wants, dep.Want{Column: column, Interest: interest})
			}
			all = append(all, i)
		}
	}
	return all
}

// known: of a table without columns nothing can be told finely.
func (w *warmth) known(n dep.Name) bool { return w.catalog.Shape(n) != nil }

// tell logs that the notes cannot be reached, once until they can be.
func (w *warmth) tell(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && !w.quiet {
		w.log.Warn("cannot read or write what Weirs leave for each other; a restart will begin with what it can judge by itself", "error", err)
	}
	w.quiet = err != nil
}
