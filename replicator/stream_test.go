package replicator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

// RESET MASTER makes a file of the same name: only when it was begun tells the two apart.
func TestPitfall14TheFileIsTheOneThatWasRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    checkpoint
		file  string
		begun uint32
		lost  bool
	}{
		{name: "from now", at: checkpoint{file: "binlog.000001", pos: 4}, file: "binlog.000001", begun: 100},
		{name: "goes on", at: checkpoint{file: "binlog.000001", pos: 900, begun: 100}, file: "binlog.000001", begun: 100},
		{name: "begun again", at: checkpoint{file: "binlog.000001", pos: 900, begun: 100}, file: "binlog.000001", begun: 101, lost: true},
		{name: "another file", at: checkpoint{file: "binlog.000001", pos: 900, begun: 100}, file: "binlog.000002", begun: 100, lost: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Reader{at: &c.at}
			s := &stream{reader: r}
			if err := s.opened(c.file, c.begun); errors.Is(err, errLostPlace) != c.lost {
				t.Errorf("opened: %v; lost is to be %v", err, c.lost)
			}
			if open := r.Stream() != 0; open == c.lost {
				t.Errorf("the stream counts as open: %v", open)
			}
		})
	}
}

// The servers announce a file's name before its description. A stream that ends between the two is continued in the
// file before, where it was left.
func TestCheckpointStaysInTheFileThatWasOpened(t *testing.T) {
	r := &Reader{at: &checkpoint{file: "binlog.000001", pos: 4, done: new(gtid.Set)}, next: discard{}}
	r.metrics = newReaderMetrics(nil, r)
	s := &stream{reader: r, ctx: t.Context(), ended: true} // the first file ends in order
	step := func(e *replication.BinlogEvent, file string, pos uint64, begun uint32) {
		t.Helper()
		if err := s.take(e); err != nil {
			t.Fatal(err)
		}
		if at := r.at; at.file != file || at.pos != pos || at.begun != begun {
			t.Errorf("after %s the checkpoint is %s:%d of %d, want %s:%d of %d", e.Header.EventType, at.file, at.pos, at.begun, file, pos, begun)
		}
	}
	step(rotate("binlog.000001", 700), "binlog.000001", 4, 0)
	step(description(100), "binlog.000001", 700, 100)
	step(rotate("binlog.000002", 4), "binlog.000001", 700, 100)
	step(description(130), "binlog.000002", 4, 130)
}

type discard struct{}

func (discard) Apply(context.Context, *change.Transaction) {}

func description(begun uint32) *replication.BinlogEvent {
	e := event(replication.FORMAT_DESCRIPTION_EVENT, 0, &replication.FormatDescriptionEvent{})
	e.Header.Timestamp = begun
	return e
}

// A server that dies may lose what it has shown, or keep what its binlog has lost; one that ends in order does not, nor one
// that writes through. What was before the epoch's beginning is none of its business.
func TestASourceThatDiedIsAHole(t *testing.T) {
	stop := event(replication.STOP_EVENT, 900, &replication.GenericEvent{})
	xid := event(replication.XID_EVENT, 900, &replication.XIDEvent{})
	goOn := rotate("binlog.000002", 4)
	goOn.Header.LogPos = 950
	for _, c := range []struct {
		name    string
		last    *replication.BinlogEvent
		durable bool
		floor   cache.Seq
		hole    bool
	}{
		{name: "stopped", last: stop},
		{name: "went on", last: goOn},
		{name: "died", last: xid, hole: true},
		{name: "died, but writes through", last: xid, durable: true},
		{name: "died before the epoch", last: xid, floor: cache.At(2, 700)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Reader{at: &checkpoint{file: "binlog.000001", pos: 4, done: new(gtid.Set), conduct: conduct{durable: c.durable}}, next: discard{}, floor: c.floor}
			r.metrics = newReaderMetrics(nil, r)
			s := &stream{reader: r, ctx: t.Context()}
			s.assembler.unknown = func(replication.EventType, string) {}
			for _, e := range []*replication.BinlogEvent{rotate("binlog.000001", 700), description(100), c.last, rotate("binlog.000002", 4)} {
				e := *e
				if e.Header.EventType == replication.XID_EVENT {
					s.ending(e.Header) // of a group that is of no interest here
				} else if err := s.take(&e); err != nil {
					t.Fatal(err)
				}
			}
			err := s.take(description(130))
			if errors.Is(err, errHole) != c.hole || errors.Is(err, errLostPlace) != c.hole {
				t.Errorf("the next file: %v; a hole is to be %v", err, c.hole)
			}
		})
	}
}

func TestBackoffStartsAnewAfterASuccess(t *testing.T) {
	for _, c := range []struct{ last, lasted, want time.Duration }{
		{last: time.Second, lasted: 4 * time.Second, want: time.Second},
		{last: time.Second, lasted: 5 * time.Second, want: 0},
		{last: 20 * time.Millisecond, lasted: 500 * time.Millisecond, want: 20 * time.Millisecond},
	} {
		b := backoff{last: c.last}
		if b.after(c.lasted); b.last != c.want {
			t.Errorf("a wait of %s, then an attempt of %s: %s, want %s", c.last, c.lasted, b.last, c.want)
		}
	}
}

// A position that goes back is as wrong the second time: it is not taken for the new normal.
func TestProbeRefusesAPositionThatWentBack(t *testing.T) {
	position := func(seq cache.Seq, gtids string) Position {
		set, err := gtid.Parse(gtid.MySQL, gtids)
		if err != nil {
			t.Fatal(err)
		}
		return Position{Seq: seq, GTIDs: set}
	}
	const source = "3e11fa47-71ca-11e1-9e33-c80aa9429562:"
	for _, c := range []struct {
		name     string
		at       Position
		recorded cache.Mark
		lost     bool
	}{
		{name: "grown", at: position(200, source+"1-20"), recorded: cache.Mark{Epoch: 1, Seq: 150}},
		{name: "the same", at: position(100, source+"1-10"), recorded: cache.Mark{Epoch: 1, Seq: 100}},
		{name: "smaller", at: position(90, source+"1-20"), recorded: cache.Mark{Epoch: 1, Seq: 80}, lost: true},
		{name: "fewer transactions", at: position(200, source+"1-9"), recorded: cache.Mark{Epoch: 1, Seq: 80}, lost: true},
		{name: "before what was sent", at: position(120, source+"1-20"), recorded: cache.Mark{Epoch: 1, Seq: 121}, lost: true},
		{name: "another epoch", at: position(90, source+"1"), recorded: cache.Mark{Epoch: 2, Seq: 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Probe{reader: &Reader{}, source: NewSource(DefaultConfig()), epoch: 1, last: position(100, source+"1-10")}
			for range 2 {
				if err := p.plausible(c.at, c.recorded); errors.Is(err, errLostPlace) != c.lost {
					t.Errorf("plausible: %v; lost is to be %v", err, c.lost)
				}
			}
		})
	}
}
