package daemon

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"weir/cache"
	"weir/proxy"
	"weir/proxy/digest"
	"weir/replicator/recent"
)

// TestTableAdvice: what is said of a table is what matters most about it.
func TestTableAdvice(t *testing.T) {
	for _, c := range []struct {
		name string
		use  tableUse
		want string
	}{
		{"unread", tableUse{changes: recent.TableTally{Transactions: 10}}, "nobody reads it"},
		{"paused", tableUse{reads: digest.TableStats{Reads: 100, Hits: 90}, paused: map[string]time.Duration{"table": 9600 * time.Millisecond, "row": time.Minute}}, "by row (1m0s), by table (10s) are not stored for so long"},
		{"by statement", tableUse{reads: digest.TableStats{Reads: 100, Hits: 90}, changes: recent.TableTally{Transactions: 8, Touches: 3}}, "binlog_format=ROW"},
		{"a schema change or two", tableUse{reads: digest.TableStats{Reads: 100, Hits: 90}, changes: recent.TableTally{Transactions: 2, Touches: 2}}, "pays"},
		{"few", tableUse{reads: digest.TableStats{Reads: 19, Hits: 19}}, "too few"},
		{"not cacheable", tableUse{reads: digest.TableStats{Reads: 100, NotCached: 60, Hits: 40}}, "not_cached_by"},
		{"observed", tableUse{reads: digest.TableStats{Reads: 200, WouldHits: 150}}, "would answer 75 of 100"},
		{"pays", tableUse{reads: digest.TableStats{Reads: 100, Hits: 40, Joined: 10}}, "pays"},
		{"ended unused", tableUse{reads: digest.TableStats{Reads: 100, Hits: 5}, kept: cache.YieldStats{Ended: 90, Used: 4}}, "of 90 results that changes ended, 4 had been used"},
		{"a little", tableUse{reads: digest.TableStats{Reads: 100, Hits: 5}}, "5 of 100 reads are hits"},
	} {
		if got := c.use.advice(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestSettingsHideSecrets: every secret of the configuration, wherever it stands, shows as one.
func TestSettingsHideSecrets(t *testing.T) {
	cfg := Default()
	cfg.Source.Password, cfg.Redis.Password = "hunter2", "hunter2"
	cfg.Users = []User{{Name: "app", Password: "hunter2"}, {Name: "open"}}
	cfg.Backends = []Backend{{Addr: "10.0.0.2:3306"}}
	got := map[string]string{}
	eachSetting(reflect.ValueOf(cfg), "", func(name, value string) {
		if strings.Contains(value, "hunter2") {
			t.Errorf("%s shows", name)
		}
		got[name] = value
	})
	for name, want := range map[string]string{
		"source.password": "...", "users[0].password": "...", "users[0].name": "app", "users[1].password": "", "backends[0].addr": "10.0.0.2:3306",
		"cache.query_cache_size": "256MiB", "max_staleness": "1s", "max_connections": "1040", "backends[0].tls": "",
	} {
		if value, there := got[name]; value != want || !there {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
}

func TestQuantileOfHistogram(t *testing.T) {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Buckets: []float64{.001, .01, .1}})
	read := func() []*dto.Metric {
		m := &dto.Metric{}
		if err := h.Write(m); err != nil {
			t.Fatal(err)
		}
		return []*dto.Metric{m}
	}
	if v := quantile(read(), .5); v != nil {
		t.Errorf("of nothing: %v", v)
	}
	for range 9 {
		h.Observe(.005)
	}
	h.Observe(5)
	if p50, p99 := quantile(read(), .5), quantile(read(), .99); p50 != .01 || p99 != nil {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}

func TestBackendState(t *testing.T) {
	d := &Daemon{cfg: Default()}
	for want, b := range map[string]proxy.BackendReport{
		"does not answer": {LagKnown: true, Proved: true}, "gets no reads": {Up: true, Errant: true}, "lags beyond max_lag (10s)": {Up: true, Lagging: true},
		"cannot be told": {Up: true, Proved: true}, "lacks a change": {Up: true, Proved: true, LagKnown: true, Lag: 1}, "has every change": {Up: true, Proved: true, LagKnown: true},
	} {
		if got := d.backendState(b); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", b, got, want)
		}
	}
	if got := byReason(map[string]uint64{"b": 2, "a": 2, "c": 9}); got != "c: 9, a: 2, b: 2" {
		t.Errorf("reasons: %v", got)
	}
}
