package daemon

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weir/ddlwatch/timeline"
)

// ddlAPIOf answers the path from a timeline with three changes, a minute apart.
func ddlAPIOf(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	tl := timeline.New(0, nil)
	for i := range 3 {
		at := time.Date(2026, 12, 1, 12, i, 0, 0, time.UTC)
		tl.Recorded(timeline.Event{Statement: fmt.Sprintf("DROP TABLE t%d", i), Kind: "drop_table", Effect: "gone", Tables: []string{"s.t"}, Server: "db", Seen: at, Recorded: at, Committed: at})
	}
	mux := http.NewServeMux()
	ddlAPI{
		timeline: tl,
		inflight: func() any { return []string{"ALTER"} },
		pool:     func() any { return math.NaN() },
	}.register(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w
}

func TestDDLAPI(t *testing.T) {
	const noon = 1796126400000 // 2026-12-01T12:00:00Z
	for _, c := range []struct {
		path   string
		status int
		want   []string // in this order
		not    string
	}{
		{path: "/api/v1/ddl", status: 200, want: []string{`{"events":[{"id":3,`, `"id":2,`, `"id":1,`}},
		{path: "/api/v1/ddl?limit=2", status: 200, want: []string{`"id":3,`, `"id":2,`}, not: `"id":1,`},
		{path: "/api/v1/ddl?limit=5000", status: 200, want: []string{`"id":1,`}},
		{path: "/api/v1/ddl?since=2026-12-01T12:01:00Z", status: 200, want: []string{`"id":3,`, `"id":2,`}, not: `"id":1,`},
		{path: "/api/v1/ddl?since=2027-01-01T00:00:00Z", status: 200, want: []string{`{"events":[]}`}},
		{path: "/api/v1/ddl?limit=0", status: 400, want: []string{"limit is not"}},
		{path: "/api/v1/ddl?limit=x", status: 400, want: []string{"limit is not"}},
		{path: "/api/v1/ddl?since=yesterday", status: 400, want: []string{"since is not"}},
		{path: fmt.Sprintf("/api/v1/ddl/annotations?from=%d&to=%d", noon+30000, noon+90000), status: 200, want: []string{
			fmt.Sprintf(`[{"time":%d,"timeEnd":%d,"title":"drop table s.t","text":"DROP TABLE t1","tags":["ddl","drop_table","committed","gone"]}]`, noon+60000, noon+60000)}},
		{path: "/api/v1/ddl/annotations", status: 200, want: []string{"t2", "t1", "t0"}},
		{path: "/api/v1/ddl/annotations?from=0&to=1000", status: 200, want: []string{"[]"}},
		{path: "/api/v1/ddl/annotations?from=x", status: 400, want: []string{"from is not"}},
		{path: "/api/v1/ddl/annotations?to=x", status: 400, want: []string{"to is not"}},
		{path: "/api/v1/ddl/inflight", status: 200, want: []string{`{"inflight":["ALTER"]}`}},
		{path: "/api/v1/bufferpool", status: 500, want: []string{"NaN"}}, // what cannot be written is an error, not half an answer
		{path: "/api/v1/ddl/nothing", status: 404},
	} {
		w := ddlAPIOf(t, c.path)
		body := w.Body.String()
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.path, w.Code, c.status)
		}
		rest := body
		for _, part := range c.want {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %s is not in its place in %s", c.path, part, body)
			}
			rest = after
		}
		if c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s: %s is in %s", c.path, c.not, body)
		}
		if c.status == http.StatusOK && (!json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s: %q is not JSON: %s", c.path, w.Header().Get("Content-Type"), body)
		}
	}
}

// TestDDLAPIReadsOnly: nothing can be changed there.
func TestDDLAPIReadsOnly(t *testing.T) {
	mux := http.NewServeMux()
	ddlAPI{timeline: timeline.New(0, nil)}.register(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/ddl", http.NoBody))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST is answered with %d", w.Code)
	}
	for path, want := range map[string]string{"/api/v1/ddl/inflight": `{"inflight":[]}`, "/api/v1/bufferpool": `{"servers":[]}`} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("%s without anybody to ask: %s", path, got)
		}
	}
}
