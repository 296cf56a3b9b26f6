package status

import (
	"fmt"
	"net/http"
	"time"
)

// heartbeat is how long a stream is silent at most, so that whoever is in between does not take it for dead.
const heartbeat = 15 * time.Second

// writeTimeout is how long a client may take to accept an event, before it counts as gone.
const writeTimeout = 10 * time.Second

// retry is how many milliseconds a browser waits before it connects again.
const retry = 2000

// Register adds the paths to mux:
//
//	/                  the status page, or the same as text
//	/api/v1/overview   the newest overview
//	/api/v1/events     overviews as they are made, once a second, as server-sent events of the type overview
func (s *Sampler) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.serveIndex)
	mux.HandleFunc("GET /api/v1/overview", s.serveOverview)
	mux.HandleFunc("GET /api/v1/events", s.serveEvents)
}

func (s *Sampler) serveOverview(w http.ResponseWriter, _ *http.Request) {
	o, ok := s.Last()
	if !ok {
		http.Error(w, "Weir is just starting; ask again in a second", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(encode(o), '\n')) // whoever has gone does not want it
}

// serveEvents ends when the client goes, when it is too slow, and with the sampler.
func (s *Sampler) serveEvents(w http.ResponseWriter, r *http.Request) {
	sub := s.feed.subscribe()
	if sub == nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, fmt.Sprintf("there are %d listeners already, or Weir is stopping; use /api/v1/overview, or close a page", maxSubscribers), http.StatusServiceUnavailable)
		return
	}
	defer s.feed.unsubscribe(sub)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	stream := eventStream{w, http.NewResponseController(w)}
	if stream.write("retry: %d\n\n", retry) != nil {
		return
	}
	for {
		select {
		case text, more := <-sub.events:
			if !more || stream.write("event: overview\ndata: %s\n\n", text) != nil {
				return
			}
		case <-time.After(heartbeat):
			if stream.write(": still here\n\n") != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// eventStream writes within a time: a client that does not read holds a goroutine no longer than that.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (e eventStream) write(format string, args ...any) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.w, format, args...); err != nil {
		return err
	}
	return e.control.Flush()
}
