package proxy

import (
	"context"
	"testing"
	"time"
)

// A session tells of itself for every command: that costs nothing that lasts.
func TestPublishAllocatesNothing(t *testing.T) {
	s, _, text := hitSession(t)
	s.publish()
	if n := testing.AllocsPerRun(100, func() { s.query(context.Background(), text); s.publish() }); n != 0 {
		t.Errorf("it allocates %v times", n)
	}
	s.staleness = time.Minute
	s.publish()
	if v := s.tally.shown.Load(); v.staleness != time.Minute || s.tally.shownHits.Load() < 100 {
		t.Errorf("it shows %+v and %d hits", v, s.tally.shownHits.Load())
	}
}

func BenchmarkPublish(b *testing.B) {
	s, _, _ := hitSession(b)
	for b.Loop() {
		s.tally.hits++
		s.publish()
	}
}
