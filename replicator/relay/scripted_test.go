package relay

import (
	"context"
	"log/slog"
	"math"
	"testing"

	"github.com/redis/go-redis/v9"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// noForeignKeys is a schema without any.
type noForeignKeys struct{}

func (noForeignKeys) Cascades(dep.Name) []dep.Name { return nil }
func (noForeignKeys) Uncertain() bool              { return false }
func (noForeignKeys) Blank() bool                  { return false }

var (
	orders  = dep.Fold("shop", "orders")
	row     = cache.Tag(4711)
	byID    = []dep.Want{{Column: "id", Interest: dep.InValue}}
	theFile = File{"binlog.000001", 1700000000}
	source  = identity.Identity{Flavor: gtid.MariaDB, ID: "1/host"}
)

// relaying is a relay's stream without a binlog: a test says what the reader would.
type relaying struct {
	*Publisher
	ledger *cache.Ledger
	watch  *dep.Watch
	number uint64
}

func newRelaying(t testing.TB, client redis.UniversalClient) *relaying {
	t.Helper()
	cfg := DefaultConfig()
	ledger := cache.NewLedger(1 << 10)
	journal, watch := replicator.NewJournal(), dep.NewWatch(ledger)
	log := slog.New(slog.DiscardHandler)
	recorder := replicator.NewRecorder(ledger, journal, noForeignKeys{}, log, nil)
	recorder.Watch = watch
	r := &relaying{Publisher: NewPublisher(cfg, client, ledger, journal, watch, recorder, log, nil), ledger: ledger, watch: watch}
	r.Source = func() identity.Identity { return source }
	r.restart(cache.At(1, 100))
	return r
}

// restart is what the reader does when it starts from now.
func (r *relaying) restart(floor cache.Seq) {
	epoch := r.ledger.Restart(floor)
	r.journal.Restart(epoch, gtid.New(gtid.MariaDB))
	r.watch.Restart()
	r.Restarted(cache.Mark{Epoch: epoch, Seq: floor})
	r.Opened(theFile.Name, theFile.Begun)
	r.Apply(context.Background(), &change.Transaction{Seq: floor})
}

// change applies a transaction that touches the tags, at that position.
func (r *relaying) change(pos uint64, tags ...cache.Tag) {
	r.number++
	r.Apply(context.Background(), &change.Transaction{Seq: cache.At(1, pos), GTID: gtid.OfMariaDB(0, 1, r.number), Rows: []dep.Name{orders}, Tags: tags})
}

// checkpointNow makes the next transaction end with a checkpoint.
func (r *relaying) checkpointNow() { r.checked = r.checked.Add(-2 * checkpointEvery) }

// flush gives what the sender would send, and takes it for sent.
func (r *relaying) flush() [][]byte {
	g := r.take()
	r.done(g)
	var all [][]byte
	for _, e := range g.entries {
		all = append(all, e.bytes)
	}
	return all
}

// entryOf publishes what was done so far as one entry.
func (r *relaying) entryOf(t testing.TB) []byte {
	t.Helper()
	all := r.flush()
	if len(all) != 1 {
		t.Fatalf("there are %d entries to send, want one", len(all))
	}
	return all[0]
}

// consuming is a consumer to which a test gives entries.
type consuming struct {
	*Consumer
	t     testing.TB
	began []cache.Mark
}

func newConsuming(t testing.TB, cfg Config, client redis.UniversalClient) *consuming {
	t.Helper()
	ledger := cache.NewLedger(1 << 10)
	journal, watch := replicator.NewJournal(), dep.NewRemoteWatch(ledger)
	log := slog.New(slog.DiscardHandler)
	recorder := replicator.NewRecorder(ledger, journal, noForeignKeys{}, log, nil)
	recorder.Watch = watch
	c := &consuming{Consumer: NewConsumer(cfg, client, ledger, journal, watch, recorder, log, nil), t: t}
	c.OnRestart = func(at cache.Mark) { c.began = append(c.began, at) }
	return c
}

// give applies an entry as if Redis had delivered it.
func (c *consuming) give(b []byte) {
	h, _, _ := decodeEntry(b)
	c.entry(context.Background(), place{1, h.n}, b)
}

// want checks in which epoch the consumer is, that it follows the stream, and where its head is.
func (c *consuming) want(when string, epoch uint64, follows bool, head uint64) {
	c.t.Helper()
	mark := c.ledger.Mark()
	if mark.Epoch != epoch || c.following != follows || uint64(mark.Seq.Pos()) != head {
		c.t.Errorf("%s: epoch %d, following %v, head at %s; want epoch %d, %v, %d", when, mark.Epoch, c.following, mark.Seq, epoch, follows, head)
	}
	if at := c.isAt(); (at.n > 0) != follows {
		c.t.Errorf("%s: it takes itself to be at %+v", when, at)
	}
}

func (c *consuming) since() cache.Seq { return c.watch.Want(orders, byID) }

func TestConsumerDoesWhatAReaderDoes(t *testing.T) {
	r := newRelaying(t, nil)
	c := newConsuming(t, r.cfg, nil)
	c.give(r.entryOf(t))
	c.want("after the first checkpoint", 1, true, 100)
	if c.ledger.Floor() != cache.At(1, 100) || c.Following() != source || len(c.began) != 1 {
		t.Errorf("it begins at %s of %v, was told %v", c.ledger.Floor(), c.Following(), c.began)
	}
	r.change(200, row)
	r.change(300)
	c.give(r.entryOf(t))
	c.want("after two transactions", 1, true, 300)
	if got := c.ledger.Last(row); got != cache.At(1, 200) {
		t.Errorf("the row was touched at %s", got)
	}
	if done := c.journal.Done(); !done.Contains(gtid.OfMariaDB(0, 1, 2)) {
		t.Errorf("the journal has %s", done)
	}
}

// A consumer that comes late begins at any checkpoint, with all that was done by then.
func TestConsumerBeginsAtACheckpoint(t *testing.T) {
	r := newRelaying(t, nil)
	r.flush()
	r.change(200, row)
	r.Opened("binlog.000001", theFile.Begun)
	old := r.entryOf(t)
	r.checkpointNow()
	r.change(300)
	r.change(400, row)
	c := newConsuming(t, r.cfg, nil)
	c.give(old)
	c.want("without a checkpoint", 0, false, 0)
	c.give(r.entryOf(t))
	c.want("with one in the middle", 1, true, 400)
	if c.ledger.Floor() != cache.At(1, 300) || c.ledger.Last(row) != cache.At(1, 400) {
		t.Errorf("it knows of the row's change at %s, and nothing before %s", c.ledger.Last(row), c.ledger.Floor())
	}
	if !c.journal.Done().Contains(gtid.OfMariaDB(0, 1, 1)) {
		t.Error("what was done before the checkpoint is not in the journal's base")
	}
}

// TestPitfall46StreamWithHoles: whatever Redis makes of the stream, the consumer's epoch ends where something is missing,
// and the next one begins at a checkpoint.
func TestPitfall46StreamWithHoles(t *testing.T) {
	r := newRelaying(t, nil)
	var all [][]byte
	for pos := uint64(200); pos <= 800; pos += 100 {
		if pos == 600 {
			r.checkpointNow()
		}
		r.change(pos, row)
		all = append(all, r.entryOf(t)) // 0: with the first checkpoint, 200; ... 4: 600, with a checkpoint; 5: 700; 6: 800
	}
	other := newRelaying(t, nil)
	garbled := append([]byte{}, all[1]...)
	garbled[len(garbled)-1] ^= 1
	for _, c := range []struct {
		name    string
		entries [][]byte
		epoch   uint64
		follows bool
		head    uint64
	}{
		{"in order", all, 1, true, 800},
		{"a gap", [][]byte{all[0], all[2], all[3]}, 1, false, 200},
		{"a gap, and a checkpoint after it", [][]byte{all[0], all[2], all[4], all[5]}, 2, true, 700},
		{"the same entry twice", [][]byte{all[0], all[1], all[1], all[2]}, 1, false, 300},
		{"backwards", [][]byte{all[0], all[2], all[1]}, 1, false, 200},
		{"trimmed at the front", [][]byte{all[1], all[2], all[3]}, 0, false, 0},
		{"rolled back to before what was read", [][]byte{all[0], all[1], all[2], all[1]}, 1, false, 400},
		{"another incarnation", [][]byte{all[0], all[1], other.entryOf(t), all[2]}, 2, false, 100},
		{"garbled", [][]byte{all[0], garbled, all[2]}, 1, false, 200},
		{"garbled, and a checkpoint after it", [][]byte{all[0], garbled, all[2], all[3], all[4]}, 2, true, 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			consumer := newConsuming(t, r.cfg, nil)
			for _, b := range c.entries {
				consumer.give(b)
			}
			consumer.want("in the end", c.epoch, c.follows, c.head)
		})
	}
}

// Each of the three things by which an entry follows on the last one counts by itself.
func TestWhatDoesNotFollowOn(t *testing.T) {
	for _, c := range []struct {
		name string
		next func(last header) header
	}{
		{"another number", func(h header) header { return header{h.incarnation, h.n + 2, h.to, cache.At(1, 200)} }},
		{"another place", func(h header) header { return header{h.incarnation, h.n + 1, cache.At(1, 150), cache.At(1, 200)} }},
		{"another incarnation", func(h header) header { return header{h.incarnation + 1, h.n + 1, h.to, cache.At(1, 200)} }},
	} {
		r := newRelaying(t, nil)
		consumer := newConsuming(t, r.cfg, nil)
		consumer.give(r.entryOf(t))
		consumer.give(appendEntry(nil, c.next(consumer.last), appendProgress(nil, cache.At(1, 200))))
		consumer.want(c.name, 1, false, 100)
	}
}

// A change past 4 GiB of a file is rounded up, and the relay's head stays before it. A consumer that began at the head would
// take a result from before the change for one from after it.
func TestCheckpointIsNotBeforeARoundedChange(t *testing.T) {
	r := newRelaying(t, nil)
	r.flush()
	r.checkpointNow()
	r.Apply(t.Context(), &change.Transaction{Seq: cache.After(1, 5<<30), GTID: gtid.OfMariaDB(0, 1, 1), Rows: []dep.Name{orders}, Tags: []cache.Tag{row}})
	_, records, err := decodeEntry(r.entryOf(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if rec.checkpoint != nil && rec.checkpoint.seq < cache.After(1, 5<<30) {
			t.Errorf("a checkpoint at %s stands after a change at %s", rec.checkpoint.seq, cache.After(1, 5<<30))
		}
	}
}

// What the source had written at the floor, and not yet made visible, is still to come: there is no checkpoint before it.
func TestNoCheckpointBeforeTheFloor(t *testing.T) {
	r := newRelaying(t, nil)
	r.flush()
	r.restart0(cache.At(1, 500))
	r.change(400, row)
	if all := r.flush(); len(all) > 0 {
		t.Errorf("%d entries are published before the stream has passed the floor", len(all))
	}
	r.change(500)
	c := newConsuming(t, r.cfg, nil)
	c.give(r.entryOf(t))
	c.want("at the floor", 1, true, 500)
}

// restart0 is restart, with the stream still before the floor.
func (r *relaying) restart0(floor cache.Seq) {
	epoch := r.ledger.Restart(floor)
	r.journal.Restart(epoch, gtid.New(gtid.MariaDB))
	r.watch.Restart()
	r.Restarted(cache.Mark{Epoch: epoch, Seq: floor})
	r.Opened(theFile.Name, theFile.Begun)
}

func TestInterestsAreAnnouncedInOrder(t *testing.T) {
	const never = cache.Seq(math.MaxUint64)
	r := newRelaying(t, nil)
	c := newConsuming(t, r.cfg, nil)
	c.give(r.entryOf(t))
	if got := c.since(); got != never {
		t.Fatalf("an interest that nobody has taken up is followed since %s", got)
	}
	r.change(200, row)
	r.watch.Decoding(orders) // the first rows of the next transaction
	r.watch.Want(orders, byID)
	r.Announce([]dep.Interests{{Table: orders, Wants: byID}})
	c.give(r.entryOf(t))
	if got := c.since(); got != never {
		t.Errorf("while the transaction is open it is followed since %s", got)
	}
	r.change(300, row)
	c.give(r.entryOf(t))
	if got := c.since(); got != cache.At(1, 300) {
		t.Errorf("it is followed since %s, want the end of the transaction", got)
	}
	r.restart(cache.At(1, 1000))
	c.give(r.entryOf(t))
	if got := c.since(); got != 0 || c.ledger.Epoch() != 2 {
		t.Errorf("in the new incarnation, which began with it, it is followed since %s (epoch %d)", got, c.ledger.Epoch())
	}
}

// When what is to be sent has become too much, consumers see that something is missing.
func TestOverflowBeginsAnIncarnation(t *testing.T) {
	r := newRelaying(t, nil)
	c := newConsuming(t, r.cfg, nil)
	c.give(r.entryOf(t))
	r.cfg.Buffer = 10_000
	before := r.Incarnation()
	many := make([]cache.Tag, 1000)
	for pos := uint64(200); pos < 400; pos += 100 {
		r.change(pos, many...)
	}
	if r.Incarnation() == before {
		t.Fatal("16 kB are kept where 10 are allowed")
	}
	if r.buffered() > r.cfg.Buffer {
		t.Errorf("%d bytes are kept", r.buffered())
	}
	r.change(400, row)
	for _, b := range r.flush() {
		c.give(b)
	}
	c.want("in the end", 2, true, 400)
	if c.ledger.Floor() < cache.At(1, 300) {
		t.Errorf("the consumer takes itself to know everything since %s", c.ledger.Floor())
	}
}

// XA COMMITs of a moment ago are told with the checkpoint: the source may not show them yet.
func TestLateCommitsTravel(t *testing.T) {
	r := newRelaying(t, nil)
	r.flush()
	r.checkpointNow()
	r.Apply(t.Context(), &change.Transaction{Seq: cache.At(1, 200), GTID: gtid.OfMariaDB(0, 1, 1), XAThread: 42})
	_, records, _ := decodeEntry(r.entryOf(t))
	var late []lateCommit
	for _, rec := range records {
		if rec.checkpoint != nil {
			late = rec.checkpoint.late
		}
	}
	if len(late) != 1 || late[0] != (lateCommit{42, cache.At(1, 200)}) {
		t.Errorf("the checkpoint tells %v", late)
	}
}

// Answers are for one incarnation.
func TestAnswerOfAnotherIncarnation(t *testing.T) {
	r := newRelaying(t, nil)
	before := r.Incarnation()
	if !r.Answer(before, map[string]string{"a": "1"}) {
		t.Error("the present incarnation does not answer")
	}
	r.restart(cache.At(1, 1000))
	if r.Answer(before, map[string]string{"a": "2"}) {
		t.Error("an incarnation that is over answers")
	}
	if g := r.take(); len(g.answers) != 0 {
		t.Errorf("%v goes out with it", g.answers)
	}
}

// The consumer's history is the relay's: a mark has a place once the relay takes its file for settled.
func TestPlacesTravel(t *testing.T) {
	r := newRelaying(t, nil)
	settled := false
	r.Settled = func(cache.Mark) bool { return settled }
	c := newConsuming(t, r.cfg, nil)
	c.give(r.entryOf(t))
	if p, ok := c.History().Place(c.ledger.Mark()); ok {
		t.Errorf("a mark in a file that is not settled has the place %v", p)
	}
	settled = true
	r.checkpointNow()
	r.change(200)
	c.give(r.entryOf(t))
	p, ok := c.History().Place(c.ledger.Mark())
	if want := (cache.Place{Source: "mariadb/1/host", Begun: theFile.Begun, Seq: cache.At(1, 200)}); !ok || p != want {
		t.Errorf("the mark's place is %v (%v), want %v", p, ok, want)
	}
	r.Opened("binlog.000002", theFile.Begun+5)
	r.Apply(t.Context(), &change.Transaction{Seq: cache.At(2, 100)})
	c.give(r.entryOf(t))
	if at, ok := c.History().Mark(p); !ok || at.Seq != p.Seq {
		t.Errorf("back from there it is %v (%v)", at, ok)
	}
	if p, ok := c.History().Place(c.ledger.Mark()); ok {
		t.Errorf("a mark in the next file has the place %v already", p)
	}
	p.Seq = cache.At(1, 300)
	if at, ok := c.History().Mark(p); ok {
		t.Errorf("a place past the end of the file is %v", at)
	}
}

// What the source had written behind a file's end and lost is no place: a rotation's own place is in the next file.
func TestPlacesPastTheEndOfAFile(t *testing.T) {
	r := newRelaying(t, nil)
	r.Settled = func(cache.Mark) bool { return true }
	c := newConsuming(t, r.cfg, nil)
	r.change(200, row)
	r.Apply(t.Context(), &change.Transaction{Seq: cache.At(2, 4)})
	r.Opened("binlog.000002", theFile.Begun+10)
	r.checkpointNow()
	r.Apply(t.Context(), &change.Transaction{Seq: cache.At(2, 50)})
	c.give(r.entryOf(t))
	p, ok := c.History().Place(cache.Mark{Epoch: c.ledger.Epoch(), Seq: cache.At(1, 200)})
	if !ok {
		t.Fatal("a change of the first file has no place")
	}
	if _, ok := c.History().Mark(p); !ok {
		t.Error("the last change of the first file is no mark")
	}
	p.Seq = cache.At(1, 300)
	if at, ok := c.History().Mark(p); ok {
		t.Errorf("what was lost behind the end of the first file is %v", at)
	}
}
