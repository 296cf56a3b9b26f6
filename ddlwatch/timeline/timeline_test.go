package timeline

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache"
)

// at is a moment of the test's day.
func at(seconds float64) time.Time {
	return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

// flying is a change that was seen on the source.
func flying(seen, started float64) Event {
	return Event{Statement: "ALTER TABLE t ADD c INT", Kind: "alter_table", Tables: []string{"s.t"}, Server: "source", Source: true, Seen: at(seen), Started: at(started)}
}

// written is the same change in the binlog.
func written(committed, recorded float64) Event {
	return Event{
		Statement: "ALTER TABLE `t` ADD c INT", Kind: "alter_table", Effect: "shape", Tables: []string{"s.t"}, Server: "source",
		Seen: at(recorded), Committed: at(committed), Recorded: at(recorded), Seq: cache.At(3, 1543),
	}
}

// only is the one event that there is.
func only(t *testing.T, tl *Timeline) Event {
	t.Helper()
	all := tl.Events(time.Time{}, time.Time{})
	if len(all) != 1 {
		t.Fatalf("there are %d events: %+v", len(all), all)
	}
	return all[0]
}

// TestLife follows one change from when it is seen until its refill is over.
func TestLife(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	tl := New(0, reg)
	id := tl.Started(flying(10, 8))
	if e := only(t, tl); e.State != Running || e.ID != id || !e.Ends().IsZero() || tl.running() != 1 {
		t.Errorf("seen: %+v", e)
	}
	tl.Waited(id, 3*time.Second, "session 7 of app@host")
	tl.Waited(id, 2*time.Second, "")
	if got := tl.Recorded(written(20, 20.1)); got != id {
		t.Fatalf("the commit is event %d, not %d", got, id)
	}
	tl.Vanished(id, "source", at(21))
	tl.Applied(id, "source", at(20))
	tl.Applied(id, "replica", at(25))
	tl.Applied(id, "replica", at(26))
	tl.Unservable(id, 500)
	tl.RefillBegan(id, at(20.2))
	tl.PoolLow(id, "source", .7)
	tl.PoolLow(id, "source", .9)
	tl.PoolLow(id, "source", math.NaN())
	if e := only(t, tl); e.State != Refilling || !e.Ends().IsZero() {
		t.Errorf("refilling: %+v", e)
	}
	tl.RefillEnded(id, at(23.2), 120, 16)
	tl.RefillEnded(id, at(99), 1, 1)
	want := Event{
		ID: 1, Statement: "ALTER TABLE `t` ADD c INT", Kind: "alter_table", Effect: "shape", Tables: []string{"s.t"}, Server: "source", Source: true, State: Done,
		Seen: at(10), Started: at(8), Committed: at(20), Recorded: at(20.1), Seq: cache.At(3, 1543), Applied: map[string]time.Time{"source": at(20), "replica": at(25)},
		Unservable: 500, Refill: Refill{at(20.2), at(23.2), 120, 16}, PoolLow: map[string]float64{"source": .7}, Waited: 3 * time.Second, Blocker: "session 7 of app@host",
	}
	want.flew = true
	if e := only(t, tl); !reflect.DeepEqual(e, want) {
		t.Errorf("at the end:\n%+v\nwant:\n%+v", e, want)
	}
	for name, want := range map[string]float64{`weir_ddl_total{effect="shape"}`: 1, `weir_ddl_total{effect="none"}`: 0, `weir_ddl_unservable_total`: 500, `weir_ddl_running`: 0,
		`weir_ddl_last_timestamp_seconds{effect="shape"}`: float64(at(20.1).UnixMilli()) / 1000, `weir_ddl_refill_seconds`: 1} {
		if got := metric(t, reg, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// metric is a value by its name as in the text format; of a histogram it is the count.
func metric(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			full := f.GetName()
			if l := m.GetLabel(); len(l) == 1 {
				full += fmt.Sprintf("{%s=%q}", l[0].GetName(), l[0].GetValue())
			}
			if full == name {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// TestBinlogFirst replays the first interleaving of the package's documentation.
func TestBinlogFirst(t *testing.T) {
	tl := New(0, nil)
	id := tl.Recorded(written(20, 20.1))
	if got := tl.Started(flying(20.2, 15)); got != id {
		t.Errorf("what was seen before the commit is event %d, not %d", got, id)
	}
	tl.Vanished(id, "source", at(21))
	if e := only(t, tl); e.State != Committed || e.Started != at(15) || !e.Vanished.IsZero() {
		t.Errorf("the event is %+v", e)
	}
}

// TestBinlogFirstNotSeen: a change that was too fast to be seen, and a second one like it that was not.
func TestBinlogFirstNotSeen(t *testing.T) {
	tl := New(0, nil)
	fast := tl.Recorded(written(20, 20.1))
	if tl.Started(flying(22, 21)) == fast {
		t.Error("the second is taken for the first")
	}
}

// TestVanishedFirst replays the second interleaving.
func TestVanishedFirst(t *testing.T) {
	tl := New(0, nil)
	id := tl.Started(flying(10, 8))
	tl.Vanished(id, "source", at(20.5))
	if e := only(t, tl); e.State != Vanished || e.Ends() != at(20.5) {
		t.Errorf("it is %+v", e)
	}
	if got := tl.Recorded(written(20, 300)); got != id {
		t.Errorf("the stream was behind, and the commit is event %d, not %d", got, id)
	}
	if e := only(t, tl); e.State != Committed || !e.Vanished.IsZero() {
		t.Errorf("it is %+v", e)
	}
}

// One that has failed is not the next one on the same table, which comes a moment later.
func TestVanishedAndAnother(t *testing.T) {
	tl := New(0, nil)
	id := tl.Started(flying(10, 8))
	tl.Vanished(id, "source", at(20.5))
	next := written(22, 22)
	next.Statement = "ALTER TABLE `t` ADD another INT"
	if got := tl.Recorded(next); got == id {
		t.Error("another change has taken the place of the one that failed")
	}
	if e := tl.Events(time.Time{}, time.Time{}); len(e) != 2 || e[1].State != Vanished {
		t.Errorf("the timeline has %+v", e)
	}
}

// TestJoin: what is joined, and what is not.
func TestJoin(t *testing.T) {
	for _, c := range []struct {
		name    string
		flying  func(*Event)
		written func(*Event)
		joined  bool
	}{
		{name: "the same", joined: true},
		{name: "the time of commit is not told", written: func(e *Event) { e.Committed = time.Time{} }, joined: true},
		{name: "the order of tables", flying: func(e *Event) { e.Tables = []string{"s.b", "s.a"} }, written: func(e *Event) { e.Tables = []string{"s.a", "s.b"} }, joined: true},
		{name: "no tables, the same text", flying: func(e *Event) { e.Tables = nil }, written: func(e *Event) { e.Tables, e.Statement = nil, "ALTER TABLE t ADD c INT" }, joined: true},
		{name: "no tables, another text", flying: func(e *Event) { e.Tables = nil }, written: func(e *Event) { e.Tables = nil }},
		{name: "another table", written: func(e *Event) { e.Tables = []string{"s.u"} }},
		{name: "another kind", written: func(e *Event) { e.Kind = "drop_table" }},
		{name: "another server", flying: func(e *Event) { e.Server = "old source" }},
		{name: "on a replica", flying: func(e *Event) { e.Server, e.Source = "replica", false }},
		{name: "committed long before it began: the stream is behind", written: func(e *Event) { e.Committed = at(-60) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tl := New(0, nil)
			a, b := flying(10, 8), written(20, 20.1)
			for _, change := range []struct {
				f func(*Event)
				e *Event
			}{{c.flying, &a}, {c.written, &b}} {
				if change.f != nil {
					change.f(change.e)
				}
			}
			if joined := tl.Started(a) == tl.Recorded(b); joined != c.joined {
				t.Errorf("joined: %v", joined)
			}
		})
	}
}

// TestKilled: one that was killed is not taken for the same statement, which is tried again an hour later, and too fast to
// be seen.
func TestKilled(t *testing.T) {
	tl := New(0, nil)
	killed := tl.Started(flying(10, 8))
	tl.Vanished(killed, "source", at(12))
	if tl.Recorded(written(3600, 3600.1)) == killed {
		t.Error("it came back to life")
	}
	if e := tl.Events(time.Time{}, at(100)); len(e) != 1 || e[0].State != Vanished {
		t.Errorf("it is %+v", e)
	}
}

// TestReplica: a replica that applies the source's change is not a second change. What it runs by itself is one.
func TestReplica(t *testing.T) {
	tl := New(0, nil)
	id := tl.Recorded(written(20, 20.1))
	applying := flying(21, 20.5)
	applying.Server, applying.Source = "replica", false
	if got := tl.Started(applying); got != id {
		t.Errorf("the replica's is event %d, not %d", got, id)
	}
	tl.Vanished(id, "replica", at(30))
	tl.Applied(id, "replica", at(30))
	if e := only(t, tl); e.State != Committed || e.Applying["replica"] != at(20.5) || e.Applied["replica"] != at(30) {
		t.Errorf("the event is %+v", e)
	}
	applying.Seen, applying.Started = at(50), at(50)
	own := tl.Started(applying)
	if own == id {
		t.Fatal("what the replica runs by itself is taken for what it has applied")
	}
	tl.Vanished(own, "replica", at(60))
	if e := tl.Events(at(55), time.Time{}); len(e) != 1 || e[0].State != Vanished {
		t.Errorf("its own is %+v", e)
	}
}

// TestBounds: the oldest goes, and whoever still has its id does no harm.
func TestBounds(t *testing.T) {
	tl := New(3, nil)
	long := written(1, 1)
	long.Statement = strings.Repeat("x", 5000)
	long.Tables = make([]string, 1000)
	first := tl.Recorded(long)
	if e := only(t, tl); len(e.Statement) != 1024 || len(e.Tables) != 64 {
		t.Errorf("%d bytes, %d tables", len(e.Statement), len(e.Tables))
	}
	for i := range 5 {
		tl.Recorded(written(float64(100*i), float64(100*i)))
	}
	tl.Unservable(first, 1)
	tl.RefillBegan(first, at(0))
	tl.Applied(99, "source", at(0))
	all := tl.Events(time.Time{}, time.Time{})
	if len(all) != 3 || all[0].ID != 6 || all[2].ID != 4 {
		t.Errorf("kept: %+v", all)
	}
}

// TestEventsAreCopies: whoever has got events may change them.
func TestEventsAreCopies(t *testing.T) {
	tl := New(0, nil)
	in := written(1, 1)
	id := tl.Recorded(in)
	in.Tables[0] = "changed"
	tl.Applied(id, "a", at(1))
	out := only(t, tl)
	out.Tables[0], out.Applied["b"] = "changed", at(2)
	if e := only(t, tl); e.Tables[0] != "s.t" || len(e.Applied) != 1 {
		t.Errorf("the event is %+v", e)
	}
}

// TestDone: without a refill, and not before the commit.
func TestDone(t *testing.T) {
	tl := New(0, nil)
	id := tl.Started(flying(1, 1))
	tl.Done(id)
	if e := only(t, tl); e.State != Running {
		t.Errorf("it is %s", e.State)
	}
	tl.Recorded(written(2, 2))
	tl.Done(id)
	if e := only(t, tl); e.State != Done || e.Ends() != at(2) {
		t.Errorf("it is %+v", e)
	}
}

func TestUnknownEffect(t *testing.T) {
	tl := New(0, nil)
	e := written(1, 1)
	e.Effect = "new"
	tl.Recorded(e)
	if n := testutil.ToFloat64(tl.metrics.total.WithLabelValues("unknown")); n != 1 {
		t.Errorf("unknown is %v", n)
	}
}

func TestJSON(t *testing.T) {
	tl := New(0, nil)
	id := tl.Recorded(written(20, 20.5))
	tl.RefillBegan(id, at(21))
	tl.RefillEnded(id, at(22.5), 12, 8)
	tl.Waited(id, 1500*time.Millisecond, "")
	got, err := json.Marshal(only(t, tl))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"state":"done","statement":"ALTER TABLE ` + "`t`" + ` ADD c INT","kind":"alter_table","effect":"shape","tables":["s.t"],"server":"source","source":true,` +
		`"seen":"2026-12-01T12:00:20.5Z","committed":"2026-12-01T12:00:20Z","recorded":"2026-12-01T12:00:20.5Z","position":"3/1543","unservable":0,` +
		`"refill":{"began":"2026-12-01T12:00:21Z","ended":"2026-12-01T12:00:22.5Z","seconds":1.5,"statements":12,"peak_limit":8},"waited_seconds":1.5}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnnotations(t *testing.T) {
	tl := New(0, nil)
	e := written(20, 20.5)
	e.Statement, e.Tables = "ALTER TABLE t ADD c INT DEFAULT '<b>'", []string{"s.a", "s.b", "s.c", "s.d"}
	id := tl.Recorded(e)
	tl.Unservable(id, 7)
	tl.Started(flying(30, 29))
	marks := tl.Annotations(at(25), at(40))
	if len(marks) != 1 || marks[0].Time != at(29).UnixMilli() || marks[0].TimeEnd != 0 || marks[0].Title != "alter table s.t" {
		t.Errorf("marks between: %+v", marks)
	}
	marks = tl.Annotations(at(0), at(25))
	want := Annotation{
		Time: at(20.5).UnixMilli(), TimeEnd: at(20.5).UnixMilli(), Title: "alter table s.a, s.b, s.c and 1 more",
		Text: "ALTER TABLE t ADD c INT DEFAULT &#39;&lt;b&gt;&#39;\n7 results became unservable", Tags: []string{"ddl", "alter_table", "committed", "shape"},
	}
	if len(marks) != 1 || !reflect.DeepEqual(marks[0], want) {
		t.Errorf("marks before: %+v\nwant %+v", marks, want)
	}
	tl.RefillBegan(id, at(21))
	tl.RefillEnded(id, at(24), 12, 8)
	tl.Waited(id, time.Second, "")
	if text := tl.Annotations(at(0), at(25))[0].Text; !strings.Contains(text, "refilled in 3s with 12 statements\nwaited 1s for metadata locks") || strings.HasSuffix(text, "of ") {
		t.Errorf("text: %q", text)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	tl := New(10, prometheus.NewRegistry())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				id := tl.Started(flying(10, 8))
				tl.Recorded(written(20, 20.1))
				tl.Applied(id, "replica", at(21))
				tl.Events(time.Time{}, time.Time{})
				tl.running()
			}
		})
	}
	all.Wait()
	if n := len(tl.Events(time.Time{}, time.Time{})); n > 10 {
		t.Errorf("%d events", n)
	}
}
