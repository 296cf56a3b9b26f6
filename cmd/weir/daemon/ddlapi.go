package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"weir/ddlwatch/timeline"
)

// ddlAPI tells of schema changes on the admin port, as JSON:
//
//	/api/v1/ddl[?limit=100&since=2026-12-01T12:00:00Z]   the last ones, newest first
//	/api/v1/ddl/annotations?from=ms&to=ms                the same as marks for Grafana, as an array
//	/api/v1/ddl/inflight                                 those that run now, on every server
//	/api/v1/ddl/gates                                    the tables whose reads are paced now
//	/api/v1/bufferpool                                   the buffer pool of each server, and advice
//
// Times are RFC 3339 and durations are seconds, but for Grafana's, which are milliseconds since 1970. In texts of
// statements "..." stands for what is in quotes, and for all but the first words of what may hold a password.
type ddlAPI struct {
	timeline *timeline.Timeline
	// inflight, gates and pool return what is written for these paths. They must not block, and may be nil: then there is nothing
	// to tell.
	inflight func() any
	gates    func() any
	pool     func() any
}

// register adds the paths to mux.
func (a ddlAPI) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/ddl", answerJSON(a.events))
	mux.HandleFunc("GET /api/v1/ddl/annotations", answerJSON(a.annotations))
	mux.HandleFunc("GET /api/v1/ddl/inflight", answerJSON(listOf("inflight", a.inflight)))
	mux.HandleFunc("GET /api/v1/ddl/gates", answerJSON(listOf("gates", a.gates)))
	mux.HandleFunc("GET /api/v1/bufferpool", answerJSON(listOf("servers", a.pool)))
}

// answerJSON writes what f says. An error of f's is the asker's.
func answerJSON(f func(url.Values) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		what, err := f(r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, err := json.Marshal(what)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(append(text, '\n')) // whoever has gone does not want it
	}
}

func (a ddlAPI) events(q url.Values) (any, error) {
	limit, err := limitOf(q)
	if err != nil {
		return nil, err
	}
	var since time.Time
	if text := q.Get("since"); text != "" {
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("since is not a time as in 2026-12-01T12:00:00Z: %w", err)
		}
	}
	events := a.timeline.Events(since, time.Time{})
	return map[string]any{"events": events[:min(limit, len(events))]}, nil
}

const defaultLimit = 100

func limitOf(q url.Values) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 {
		return 0, errors.New("limit is not a number from 1")
	}
	return limit, nil
}

func (a ddlAPI) annotations(q url.Values) (any, error) {
	from, err := millis(q, "from")
	if err != nil {
		return nil, err
	}
	to, err := millis(q, "to")
	if err != nil {
		return nil, err
	}
	return a.timeline.Annotations(from, to), nil
}

// millis reads a time in milliseconds since 1970; without one it is zero.
func millis(q url.Values, name string) (time.Time, error) {
	text := q.Get(name)
	if text == "" {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is not a time in milliseconds since 1970: %w", name, err)
	}
	return time.UnixMilli(ms), nil
}

// listOf writes what f returns under that name.
func listOf(name string, f func() any) func(url.Values) (any, error) {
	return func(url.Values) (any, error) {
		if f == nil {
			return map[string]any{name: []any{}}, nil
		}
		return map[string]any{name: f()}, nil
	}
}
