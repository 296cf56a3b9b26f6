package lag

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Histogram says how a duration of the life of a change is counted: with buckets from a tenth of a millisecond to ten
// minutes for every Prometheus, and as a native histogram, whose quantiles are at most 10 % off, for those that ask for
// these.
func Histogram(name, help string) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help,
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 600},

		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  160,
		NativeHistogramMinResetDuration: time.Hour,
	}
}
