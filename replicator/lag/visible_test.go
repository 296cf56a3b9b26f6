package lag

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"weir/cache"
)

// followed runs a Visible for one server for a minute of the bubble's time, and returns what it has measured.
func followed(t *testing.T, shows Shows, changes ...cache.Seq) *dto.Histogram {
	t.Helper()
	reg := prometheus.NewRegistry()
	v := NewVisible(shows, []string{"replica"}, reg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { v.Run(ctx); close(done) }()
	for _, seq := range changes {
		synctest.Wait()
		v.Recorded(cache.Mark{Epoch: 1, Seq: seq})
	}
	time.Sleep(time.Minute) //nolint:forbidigo // of the bubble
	cancel()
	<-done
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families[0].GetMetric()[0].GetHistogram()
}

// TestVisible: a server that shows a change after a while gets that time, to a tenth, whatever goes wrong meanwhile.
func TestVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		const takes = 2 * time.Second
		asked := 0
		h := followed(t, func(context.Context, string, cache.Mark) (bool, error) {
			if asked++; asked%2 == 0 {
				return false, errors.New("it cannot be reached")
			}
			return time.Since(start) >= takes, nil
		}, 7)
		low, high := takes.Seconds(), 1.3*takes.Seconds()
		if h.GetSampleCount() != 1 || h.GetSampleSum() < low || h.GetSampleSum() > high {
			t.Errorf("%d changes took %v s, want one of %v to %v", h.GetSampleCount(), h.GetSampleSum(), low, high)
		}
		if asked > 100 {
			t.Errorf("the server was asked %d times", asked)
		}
	})
}

// TestVisibleLeavesOut: changes that come while one is followed are left out, and nobody waits for it. One whose epoch is
// over is not counted.
func TestVisibleLeavesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := followed(t, func(context.Context, string, cache.Mark) (bool, error) { return true, nil }, 7, 8, 9)
		if h.GetSampleCount() != 1 {
			t.Errorf("%d changes were followed, want the first one alone", h.GetSampleCount())
		}
		h = followed(t, func(context.Context, string, cache.Mark) (bool, error) { return false, ErrOver }, 7)
		if h.GetSampleCount() != 0 {
			t.Error("a change of an epoch that is over was counted")
		}
	})
}
