package status

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// replay samples readings in order.
func replay(readings ...Reading) Overview {
	next := 0
	s := NewSampler(func() Reading { next++; return readings[next-1] })
	for range readings {
		s.sample()
	}
	o, _ := s.Last()
	return o
}

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// counting is a reading so many seconds after noon.
func counting(seconds int, c Counted) Reading {
	at := noon.Add(time.Duration(seconds) * time.Second)
	return Reading{At: at, Now: Overview{Now: at}, Counted: c, Lag: Lag{P50: Unknown(), P99: Unknown(), Max: Unknown()}}
}

func TestSamplerRates(t *testing.T) {
	o := replay(
		counting(0, Counted{Hits: 100, Misses: 100}),
		counting(30, Counted{Hits: 400, Misses: 100}),
		counting(70, Counted{Hits: 400, Misses: 200}),
		counting(90, Counted{Hits: 1000, Misses: 400, Joined: 100, NotCacheable: 60}),
	)
	second, minute := o.Rates.Second, o.Rates.Minute
	if second.Hits != 30 || second.Misses != 10 || second.Joined != 5 || second.Statements != 48 || math.Abs(float64(second.HitRatio)-600./900) > 1e-9 {
		t.Errorf("the last second: %+v", second)
	}
	if minute.Hits != 10 || minute.Misses != 5 { // since the reading of 60 seconds ago
		t.Errorf("the last minute: %+v", minute)
	}
	if first := replay(counting(0, Counted{Hits: 100})); first.Rates.Second.Hits.Known() || first.Rates.Minute.HitRatio.Known() {
		t.Errorf("one reading makes rates: %+v", first.Rates)
	}
	if quiet := replay(counting(0, Counted{}), counting(1, Counted{})); quiet.Rates.Second.HitRatio.Known() || quiet.Rates.Second.Statements != 0 {
		t.Errorf("without statements: %+v", quiet.Rates)
	}
}

func TestSamplerLag(t *testing.T) {
	buckets := func(counts ...uint64) []Bucket {
		return []Bucket{{.001, counts[0]}, {.01, counts[1]}, {Unknown(), counts[2]}}
	}
	a, b := counting(0, Counted{}), counting(1, Counted{})
	a.Lags, b.Lags = buckets(10, 10, 10), buckets(60, 110, 110)
	b.Lag = Lag{P50: .001, P99: .008, Max: .009, Commits: 100}
	minute := replay(a, b).Lag.Minute
	if minute.P50 != .001 || minute.P99 != .009 || minute.Max != .009 || minute.Commits != 100 { // .0098 by the bucket, but nothing was that late
		t.Errorf("the minute: %+v", minute)
	}
	b.Lags = buckets(10, 10, 30)
	if minute = replay(a, b).Lag.Minute; minute.P50 != .009 {
		t.Errorf("beyond the buckets: %+v", minute)
	}
	if minute = replay(a, counting(1, Counted{})).Lag.Minute; minute.P50.Known() || minute.Max.Known() {
		t.Errorf("nothing was counted: %+v", minute)
	}
}

func TestSamplerRanks(t *testing.T) {
	look := func(seconds int, s []StatementCounts, tables []TableCounts) Reading {
		r := counting(seconds, Counted{})
		r.Statements, r.Tables = s, tables
		return r
	}
	o := replay(
		look(0, []StatementCounts{{Digest: "old", Calls: 5000, Cost: 500}, {Digest: "a", Calls: 10, Hits: 5}}, []TableCounts{{Name: "s.t", Reads: 10, Changes: 7}}),
		counting(5, Counted{}),
		look(10, []StatementCounts{{Digest: "old", Calls: 5000, Cost: 500}, {Digest: "a", Calls: 30, Hits: 20, Saved: 1}, {Digest: "new", Calls: 10, Cost: 3}},
			[]TableCounts{{Name: "s.t", Reads: 10, Changes: 107, Advice: "x"}, {Name: "s.idle", Reads: 0}}),
		counting(11, Counted{}),
	)
	if len(o.Statements) != 2 || o.Statements[0].Digest != "new" || o.Statements[1].Hits != 1.5 || o.Statements[1].HitRatio != .75 {
		t.Errorf("statements: %+v", o.Statements)
	}
	if len(o.Tables) != 1 || o.Tables[0].Changes != 10 || o.Tables[0].Advice != "x" {
		t.Errorf("tables: %+v", o.Tables)
	}
}

// TestSamplerHistory: it has ten minutes and no more, and what somebody has got does not change.
func TestSamplerHistory(t *testing.T) {
	var readings []Reading
	for i := range Points + 50 {
		readings = append(readings, counting(i, Counted{Hits: Figure(i)}))
	}
	var early Overview
	next := 0
	s := NewSampler(func() Reading { next++; return readings[next-1] })
	for i := range readings {
		s.sample()
		if i == 100 {
			early, _ = s.Last()
		}
	}
	o, _ := s.Last()
	if n := len(o.History.Times); n != Points || len(o.History.Bound) != n || o.History.Times[0] != noon.Unix()+50 {
		t.Errorf("%d points from %d", n, o.History.Times[0]-noon.Unix())
	}
	if len(early.History.QPS) != 101 || early.History.QPS[100] != 1 || early.History.Times[100] != noon.Unix()+100 {
		t.Errorf("an earlier overview has changed: %d points", len(early.History.QPS))
	}
	follower := early.History
	follower.Append(o.History)
	follower.Append(o.History.Last(1)) // again
	if n := len(follower.Times); n != Points || follower.Times[n-1] != o.History.Times[n-1] {
		t.Errorf("who follows has %d points", n)
	}
}

// TestOverviewJSON: what is written can be read, what is unknown stays so, and lists are lists.
func TestOverviewJSON(t *testing.T) {
	text := encode(replay(busy(noon, 598), busy(noon.Add(2*time.Second), 600)))
	var o Overview
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	if o.Backends[2].Lag.Known() || o.Backends[1].Lag != 12.4 || o.History.HitRatio[0].Known() || !o.DDL[0].Running || o.DDL[0].End != nil {
		t.Errorf("read as %+v", o)
	}
	for _, name := range []string{"refused", "statements", "tables"} {
		if empty := encode(replay(counting(0, Counted{}))); !strings.Contains(string(empty), `"`+name+`":[]`) {
			t.Errorf("%s is not a list without items: %s", name, empty)
		}
	}
}

func TestOverviewText(t *testing.T) {
	text := replay(busy(noon, 595), busy(noon.Add(5*time.Second), 600)).Text()
	for _, want := range []string{
		"Weir v1.0.0: serving\nCached results are served, and have every change older than 1s.", "following         db-1.example:3306 at 14/81734512\n", "complete as of    120ms ago, of 1s (max_staleness)",
		"does not answer", "lag unknown", "snapshot_behind  2.5/s", "ALTER TABLE shop.items",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
