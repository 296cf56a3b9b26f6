package status

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFeedDropsTheSlow: nobody waits for who does not read, and who was dropped is told by the end of the stream.
func TestFeedDropsTheSlow(t *testing.T) {
	f := newFeed()
	slow, quick := f.subscribe(), f.subscribe()
	for range backlog + 1 {
		f.publish(Overview{})
		<-quick.events
	}
	n := 0
	for range slow.events {
		n++
	}
	if n != backlog || len(f.subs) != 1 {
		t.Errorf("the slow one got %d, and %d are left", n, len(f.subs))
	}
	f.unsubscribe(slow) // closes nothing twice
	f.close()
	if _, more := <-quick.events; more || f.subscribe() != nil {
		t.Error("a feed that was closed goes on")
	}
}

func TestFeedIsBounded(t *testing.T) {
	f := newFeed()
	defer f.close()
	for range maxSubscribers {
		if f.subscribe() == nil {
			t.Fatal("somebody is refused too soon")
		}
	}
	if f.subscribe() != nil {
		t.Error("there is no bound")
	}
}

// TestEvents: the first event has all of the history, later ones what is new; the stream ends with the sampler.
func TestEvents(t *testing.T) {
	s, second := started(noon)
	mux := http.NewServeMux()
	s.Register(mux)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/api/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := srv.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (o Overview) {
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(data), &o); err != nil {
					t.Fatal(err)
				}
				return o
			}
		}
		t.Fatal("the stream ended")
		return o
	}
	first := next()
	second()
	then := next()
	if len(first.History.Times) != Points || len(then.History.Times) != 1 || then.History.Times[0] != first.History.Times[Points-1]+1 {
		t.Errorf("events have %d and %d points", len(first.History.Times), len(then.History.Times))
	}
	s.feed.close()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") {
			t.Error("there was one more")
		}
	}
	if again, err := srv.Client().Do(request); err != nil || again.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the end: %v, %v", again, err)
	} else {
		again.Body.Close()
	}
}

// TestRun: the first overview is there at once, then there is one a second, and the end of Run ends the feed.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSampler(func() Reading { return Reading{At: time.Now(), Now: Overview{Now: time.Now()}} })
		ctx, stop := context.WithCancel(t.Context())
		go s.Run(ctx)
		synctest.Wait()
		if o, ok := s.Last(); !ok || len(o.History.Times) != 1 {
			t.Fatal("there is nothing at first")
		}
		sub := s.feed.subscribe()
		<-sub.events
		for range 3 {
			<-sub.events
		}
		if o, _ := s.Last(); len(o.History.Times) != 4 {
			t.Errorf("after three seconds there are %d points", len(o.History.Times))
		}
		stop()
		for range sub.events { // until it is closed
		}
	})
}

// TestIndex: browsers get the page with its policy, others text.
func TestIndex(t *testing.T) {
	s, _ := started(noon)
	mux := http.NewServeMux()
	s.Register(mux)
	get := func(accept string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept", accept)
		mux.ServeHTTP(w, r)
		return w
	}
	page := get("text/html,application/xhtml+xml,*/*;q=0.8")
	policy := page.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %s", policy)
	}
	if body := page.Body.String(); strings.Contains(body, "{{") || strings.Contains(body, "<img src=x") || strings.Contains(body, "http://") && !strings.Contains(body, "http://www.w3.org") {
		t.Error("the page has holes, markup from statements, or addresses of others")
	}
	for _, accept := range []string{"*/*", "text/plain", ""} {
		if text := get(accept); !strings.HasPrefix(text.Body.String(), "Weir v1.0.0: serving\n") || !strings.HasPrefix(text.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("Accept: %q gives %.60q", accept, text.Body)
		}
	}
}
