package redistier

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// toldOf is a server that goes out and comes back as it is told to, and what the log says of it.
type toldOf struct {
	nodes *nodes
	log   bytes.Buffer
	now   time.Time
}

func newTold() *toldOf {
	w := &toldOf{now: time.Unix(1000, 0)}
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	w.nodes = &nodes{metrics: newMetrics(nil, nil), log: func() *slog.Logger { return log }}
	w.nodes.root = w.nodes.newNode("redis:6379", nil)
	return w
}

// after has the server be out or not, and the prober look at it after a while.
func (w *toldOf) after(d time.Duration, out bool) {
	w.now = w.now.Add(d)
	for out && !w.nodes.root.open() {
		w.nodes.failed(w.nodes.root, errors.New("WRONGPASS"))
	}
	for !out && w.nodes.root.open() {
		w.nodes.root.probed(true)
	}
	w.nodes.tell(w.nodes.root, w.now)
}

// want fails unless the log says so often that the server is out, and that it is back.
func (w *toldOf) want(t *testing.T, outs, backs int) {
	t.Helper()
	text := w.log.String()
	if o, b := strings.Count(text, "WRONGPASS"), strings.Count(text, "is back"); o != outs || b != backs {
		t.Errorf("out is told %d times, back %d times; want %d and %d:\n%s", o, b, outs, backs, text)
	}
}

// TestPitfall50ToldNowAndThen: a server that comes and goes does not fill the log, and one that stays away is not said to be
// back for longer than a minute.
func TestPitfall50ToldNowAndThen(t *testing.T) {
	w := newTold()
	for range 3 * 60 * 2 { // three minutes
		w.after(250*time.Millisecond, true)
		w.after(250*time.Millisecond, false)
	}
	w.want(t, 3, 3)
	w.after(time.Second, true) // the fourth minute
	w.want(t, 4, 3)
	w.after(time.Second, false)
	w.want(t, 4, 4)
	for range 600 {
		w.after(100*time.Millisecond, true)
	}
	w.want(t, 5, 4)
	w.after(time.Hour, true)
	w.want(t, 5, 4)
	w.after(time.Second, false)
	w.want(t, 5, 5)
}
