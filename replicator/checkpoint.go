package replicator

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Checkpoint is a place in a source's binlog where a reader can go on, with all that is needed to find out whether it still
// is one: whoever has it from somewhere need not trust it, since it is verified as a reader's own place is when its
// connection was cut.
//
// It says nothing of XA transactions that are prepared there. Whoever goes on has not seen their rows, and takes their
// commit for a change to everything.
type Checkpoint struct {
	Identity identity.Identity
	File     string
	// Begun is when the server began the file, in seconds of the Unix time.
	Begun uint32
	Pos   uint64
	// Done are all transactions up to there.
	Done *gtid.Set
	// Unlogged is what the server had applied without writing it to its binlog, see [conduct].
	Unlogged string
	// Durable says that the server lost nothing if it died, see [conduct].
	Durable bool
	// Passed says that what was read as of just this place can be relied on, see [History].
	Passed bool
	// Taken is when, by the clock of whoever took it.
	Taken time.Time
}

// checkpoint is where to continue: a server, a place in its binlog, and the transactions up to there.
type checkpoint struct {
	identity identity.Identity
	file     string
	// begun is when the server began the file, in seconds, as its first event says; 0 while that is not known.
	begun   uint32
	pos     uint64
	ended   bool // the file ended there, in order
	done    *gtid.Set
	conduct conduct
}

// known reports whether the stream can be asked to continue at c: a place in a file of which nobody knows when it was
// begun is a place in any file of that name.
func (c *checkpoint) known() bool { return c != nil && c.begun != 0 }

// seq is the place up to which everything is done. Nothing is begun at a place whose file has no number.
func (c *checkpoint) seq() (cache.Seq, error) {
	n, err := fileNumber(c.file)
	return cache.At(n, c.pos), err
}

// publishEvery is how often a reader copies its place for others. The transactions of it may be thousands of intervals.
const publishEvery = 200 * time.Millisecond

// publish makes the place known to other goroutines, now and then.
func (r *Reader) publish() {
	now := time.Now()
	if old := r.published.Load(); old != nil && now.Sub(old.Taken) < publishEvery || !r.at.known() {
		return
	}
	at := r.at
	seq, err := at.seq()
	r.published.Store(&Checkpoint{
		Identity: at.identity, File: at.file, Begun: at.begun, Pos: at.pos, Done: at.done.Clone(),
		Unlogged: at.conduct.unlogged, Durable: at.conduct.durable,
		Passed: err == nil && r.history.Passed(seq), Taken: now,
	})
}

// Checkpoint returns a place that the reader has come to, a moment ago while the stream is open; false if there is none. It
// may be called from anywhere. The receiver must not change what Done points to.
func (r *Reader) Checkpoint() (Checkpoint, bool) {
	if c := r.published.Load(); c != nil {
		return *c, true
	}
	return Checkpoint{}, false
}

func (c Checkpoint) checkpoint() *checkpoint {
	return &checkpoint{
		identity: c.Identity, file: c.File, begun: c.Begun, pos: c.Pos, done: c.Done.Clone(),
		conduct: conduct{unlogged: c.Unlogged, durable: c.Durable},
	}
}

// checkpointText is how a checkpoint is written: JSON, after a number for the form and a checksum. Readers of another form
// do without.
type checkpointText struct {
	Flavor   string `json:"flavor"`
	ID       string `json:"id"`
	File     string `json:"file"`
	Begun    uint32 `json:"begun"`
	Pos      uint64 `json:"pos"`
	Done     string `json:"done"`
	Unlogged string `json:"unlogged,omitempty"`
	Durable  bool   `json:"durable,omitempty"`
	Passed   bool   `json:"passed,omitempty"`
	Taken    int64  `json:"taken_ms"`
}

const checkpointForm = "1"

// Encode writes c for [DecodeCheckpoint].
func (c Checkpoint) Encode() []byte {
	body, err := json.Marshal(checkpointText{
		Flavor: string(c.Identity.Flavor), ID: c.Identity.ID, File: c.File, Begun: c.Begun, Pos: c.Pos, Done: c.Done.String(),
		Unlogged: c.Unlogged, Durable: c.Durable, Passed: c.Passed, Taken: c.Taken.UnixMilli(),
	})
	if err != nil { // there is nothing in it that JSON cannot hold
		return nil
	}
	return fmt.Appendf(nil, "%s %08x %s", checkpointForm, checksum(string(body)), body)
}

func checksum(s string) uint32 { return crc32.Checksum([]byte(s), crc32.MakeTable(crc32.Castagnoli)) }

var errNoCheckpoint = errors.New("this is not a place in a binlog as this version of Weir writes it down")

// DecodeCheckpoint reads what [Checkpoint.Encode] has written. All that is not exactly that is an error.
func DecodeCheckpoint(b []byte) (Checkpoint, error) {
	form, rest, _ := strings.Cut(string(b), " ")
	sum, body, _ := strings.Cut(rest, " ")
	if form != checkpointForm || sum != fmt.Sprintf("%08x", checksum(body)) {
		return Checkpoint{}, errNoCheckpoint
	}
	var t checkpointText
	if err := json.Unmarshal([]byte(body), &t); err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", errNoCheckpoint, err)
	}
	return t.checkpoint()
}

func (t checkpointText) checkpoint() (Checkpoint, error) {
	id := identity.Identity{Flavor: gtid.Flavor(t.Flavor), ID: t.ID}
	done, err := gtid.Parse(id.Flavor, t.Done)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", errNoCheckpoint, err)
	}
	if _, err := fileNumber(t.File); err != nil || t.Begun == 0 || t.ID == "" || t.Pos < 4 || t.Pos >= 1<<32-1 {
		return Checkpoint{}, errNoCheckpoint
	}
	return Checkpoint{
		Identity: id, File: t.File, Begun: t.Begun, Pos: t.Pos, Done: done,
		Unlogged: t.Unlogged, Durable: t.Durable, Passed: t.Passed, Taken: time.UnixMilli(t.Taken),
	}, nil
}
