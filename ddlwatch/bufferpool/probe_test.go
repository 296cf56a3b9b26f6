package bufferpool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/ddlwatch/target"
)

// played is a server that answers as a test says.
type played struct {
	mu     sync.Mutex
	rows   map[string]float64
	err    error
	asked  []time.Time
	before func() // called before each answer
}

func (p *played) target(addr string) *target.Server {
	return &target.Server{Addr: addr, Query: func(context.Context, string) ([][]string, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, time.Now())
		if p.before != nil {
			p.before()
		}
		var rows [][]string
		for name, v := range p.rows {
			text, _ := json.Marshal(v)
			rows = append(rows, []string{name, string(text)})
		}
		return rows, p.err
	}}
}

func (p *played) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

// reads is a server whose pool is asked for 1,000 pages at every question, and misses that share of them.
func reads(miss float64) *played {
	p := &played{rows: map[string]float64{
		"Uptime": 1e6, "Innodb_page_size": 16384, "Innodb_buffer_pool_read_requests": 1e6, "Innodb_buffer_pool_reads": 1e3, "Innodb_buffer_pool_wait_free": 0,
		"Innodb_buffer_pool_pages_total": 65536, "Innodb_buffer_pool_pages_free": 6554, "Innodb_buffer_pool_pages_dirty": 655, "Innodb_buffer_pool_pages_data": 58000,
	}}
	began := time.Now()
	p.before = func() {
		p.rows["Uptime"] = 1e6 + math.Floor(time.Since(began).Seconds())
		p.rows["Innodb_buffer_pool_read_requests"] += 1000
		p.rows["Innodb_buffer_pool_reads"] += 1000 * miss
	}
	return p
}

// start runs a probe in a bubble until stop is called.
func start(t *testing.T, p *Probe) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	return func() { cancel(); running.Wait() }
}

// TestPace: a server is asked at once, then seldom, and often while somebody is busy, at once from then on.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reads(.01)
		p := New([]*target.Server{s.target("db")}, Config{}, nil, nil)
		began := time.Now()
		defer start(t, p)()
		time.Sleep(11 * time.Second)
		release, other := p.Busy(), p.Busy()
		time.Sleep(time.Second)
		release()
		release()
		time.Sleep(300 * time.Millisecond)
		other()
		time.Sleep(10 * time.Second)
		s.mu.Lock()
		defer s.mu.Unlock()
		want := []float64{0, 5, 10, 11, 11.25, 11.5, 11.75, 12, 12.25, 12.5, 17.5, 22.5}
		for i, at := range s.asked {
			if i >= len(want) || math.Abs(at.Sub(began).Seconds()-want[i]) > .01 {
				t.Errorf("question %d came after %v", i, at.Sub(began))
			}
		}
		if len(s.asked) < len(want)-1 {
			t.Errorf("only %d questions", len(s.asked))
		}
	})
}

// TestSilence: a server that does not answer is unknown, which is told once and counted as one gap, and does not keep
// the others waiting.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent, stuck, fine := reads(.01), reads(.01), reads(.01)
		stuckTarget := stuck.target("stuck")
		answer := stuckTarget.Query
		stuckTarget.Query = func(ctx context.Context, sql string) ([][]string, error) {
			if time.Since(stuck.began(t)) > 6*time.Second {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return answer(ctx, sql)
		}
		reg, log := prometheus.NewPedanticRegistry(), &bytes.Buffer{}
		p := New([]*target.Server{silent.target("silent"), stuckTarget, fine.target("fine")}, Config{}, slog.New(slog.NewTextHandler(log, nil)), reg)
		var mu sync.Mutex
		told := map[string][]State{}
		p.OnReading = func(r Reading) {
			mu.Lock()
			defer mu.Unlock()
			told[r.Server] = append(told[r.Server], r.State)
		}
		defer start(t, p)()
		time.Sleep(6 * time.Second)
		silent.fail(errors.New("gone away"))
		time.Sleep(30 * time.Second)
		for _, addr := range []string{"silent", "stuck"} {
			if r := p.Now(addr); r.State != Unknown || !r.Gap {
				t.Errorf("%s reads as %+v", addr, r)
			}
		}
		if r := p.Now("fine"); r.State != Warm || r.Gap {
			t.Errorf("the one that answers reads as %+v", r)
		}
		if r := p.Now("nobody"); r.State != Unknown {
			t.Errorf("a server that is not there reads as %+v", r)
		}
		silent.fail(nil)
		time.Sleep(11 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if got := told["silent"]; len(got) < 4 || got[2] != Unknown || got[3] != Warm {
			t.Errorf("states told: %v", got)
		}
		if n := testutil.ToFloat64(p.metrics.gaps.WithLabelValues("silent")); n != 1 {
			t.Errorf("%v gaps counted, want 1", n)
		}
		if n := strings.Count(log.String(), "\n"); n != 2 {
			t.Errorf("want one line for the silence and one for its end:\n%s", log)
		}
	})
}

func (p *played) began(t *testing.T) time.Time {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) == 0 {
		return time.Now()
	}
	return p.asked[0]
}

// TestAdvice: a pool that is too small over minutes of traffic is told once; a size for the cache always.
func TestAdvice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		volume := int64(0)
		log := &bytes.Buffer{}
		s := reads(.3)
		p := New([]*target.Server{s.target("db")}, Config{Results: func() int64 { return volume }}, slog.New(slog.NewTextHandler(log, nil)), nil)
		stop := start(t, p)
		time.Sleep(2 * time.Minute)
		if got := p.Advice("db"); len(got) != 1 || !strings.Contains(got[0], "102MiB would be 10 %") {
			t.Errorf("advice too early: %q", got)
		}
		time.Sleep(10 * time.Minute)
		stop()
		volume = 100 << 20
		got := p.Advice("db")
		if len(got) != 2 || !strings.Contains(got[0], "finds 70 % of") || !strings.Contains(got[1], "20MiB would be 20 %") {
			t.Errorf("advice: %q", got)
		}
		if testutil.ToFloat64(p.metrics.small) != 1 || strings.Count(log.String(), "small for what is read") != 1 {
			t.Errorf("the gauge is %v, and the log says:\n%s", testutil.ToFloat64(p.metrics.small), log)
		}
		if got := p.Advice("nobody"); len(got) != 0 {
			t.Errorf("advice for nobody: %q", got)
		}
	})
}

// TestAdviceNoTraffic: a few reads that miss are no reason to buy memory.
func TestAdviceNoTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reads(.9)
		count := s.before
		s.before = func() {
			count()
			s.rows["Innodb_buffer_pool_read_requests"] -= 900
			s.rows["Innodb_buffer_pool_reads"] -= 810
		}
		p := New([]*target.Server{s.target("db")}, Config{}, nil, nil)
		stop := start(t, p)
		time.Sleep(time.Hour)
		stop()
		if got := p.Advice("db"); len(got) != 1 {
			t.Errorf("advice: %q", got)
		}
	})
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ pool, volume, want int64 }{{0, 0, 0}, {1 << 30, 0, 1 << 30 / 10}, {1 << 30, 1000, 200}, {0, 1000, 200}} {
		got, why := Suggest(c.pool, c.volume)
		if got != c.want || (why == "") != (c.want == 0) {
			t.Errorf("Suggest(%d, %d) = %d, %q", c.pool, c.volume, got, why)
		}
	}
}

// TestMetrics: all series of a server are there before it has answered, and say its last reading.
func TestMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	p := New([]*target.Server{{Addr: "db"}}, Config{}, nil, reg)
	if n, err := testutil.GatherAndCount(reg); err != nil || n != 10 {
		t.Errorf("%d series, %v", n, err)
	}
	if v := testutil.ToFloat64(p.metrics.state.WithLabelValues("db", "unknown")); v != 1 {
		t.Errorf("unknown is %v", v)
	}
	r := nothing("db", time.Now())
	r.State = Cold
	p.metrics.show(r)
	for s, want := range map[State]float64{Cold: 1, Unknown: 0} {
		if v := testutil.ToFloat64(p.metrics.state.WithLabelValues("db", string(s))); v != want {
			t.Errorf("%s is %v", s, v)
		}
	}
}

// TestReport: what is not known is null, since JSON has no NaN.
func TestReport(t *testing.T) {
	p := New([]*target.Server{{Addr: "db"}}, Config{}, nil, nil)
	text, err := json.Marshal(p.Report())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"server":"db","now":{"server":"db","at":null,"state":"unknown","hit_ratio":null`, `"advice":[]`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		cfg Config
		ok  bool
	}{
		{Config{}, true},
		{Config{Busy: time.Millisecond}, false},
		{Config{Idle: 100 * time.Millisecond}, false},
		{Config{Idle: time.Hour}, false},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.cfg, err)
		}
	}
}
