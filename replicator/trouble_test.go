package replicator

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
)

// newFailing returns a reader of which a test says why its attempts end, and its log.
func newFailing(candidates *Candidates) (*Reader, *bytes.Buffer) {
	log := new(bytes.Buffer)
	cfg := Config{Candidates: candidates}
	return NewReader(cfg, NewSource(cfg), cache.NewLedger(1<<10), NewJournal(), discard{}, slog.New(slog.NewTextHandler(log, nil)), nil), log
}

// TestReaderTellsATroubleOnce: a source that stays away is tried several times a second, and told of once a minute. A stream
// that has been there for a while and breaks for the same reason is news.
func TestReaderTellsATroubleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, log := newFailing(nil)
		told := func(want int, when string) {
			t.Helper()
			if n := strings.Count(log.String(), "the binlog stream ended"); n != want {
				t.Errorf("%s it is told %d times in all, want %d", when, n, want)
			}
		}
		for range 5 * 70 {
			r.failed(errors.New("refused"))
			time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the clock is synctest's
		}
		told(2, "in seventy seconds")
		r.setState(State{Connected: true, Since: time.Now()})
		r.failed(errors.New("refused"))
		told(2, "after a stream that ended at once")
		r.setState(State{Connected: true, Since: time.Now()})
		time.Sleep(steady + time.Second) //nolint:forbidigo // the clock is synctest's
		r.failed(errors.New("refused"))
		told(3, "after a stream that lasted")
		r.failed(sightings{}.two())
		told(3, "after what the candidates have told")
	})
}

// TestReaderMoveIsNoLoss: when another server becomes the source its stream begins anew, as it has to. Only a place that is
// lost where the source was is counted, and warned of.
func TestReaderMoveIsNoLoss(t *testing.T) {
	l := newLookedAt(t, "a", "b")
	r, log := newFailing(l.Candidates)
	for _, c := range []struct {
		name, a, b string
		readFrom   string
		lost       float64
	}{
		{"the place is lost before there was any", "", "ro", "", 1},
		{"the place is lost", "", "ro", "a", 2},
		{"the source moves", "ro", "", "a", 2},
		{"the place is lost at the new one", "ro", "", "b", 3},
		{"and again, before it was read from", "ro", "", "", 4},
	} {
		l.look(c.a, c.b)
		r.readFrom = c.readFrom
		before := strings.Count(log.String(), "level=WARN")
		if !r.failed(lostPlace("another server answers")) {
			t.Errorf("%s: the place is kept", c.name)
		}
		warned := strings.Count(log.String(), "level=WARN") - before
		if n := testutil.ToFloat64(r.metrics.lost); n != c.lost || (warned == 0) != (c.name == "the source moves") {
			t.Errorf("%s: %v losses are counted, want %v; warned %d times", c.name, n, c.lost, warned)
		}
	}
}
