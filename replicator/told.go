package replicator

import "github.com/prometheus/client_golang/prometheus"

// told says how the changes of an event with rows were told.
type told uint8

const (
	toldByRows told = iota
	// The others are reasons for telling them as a change to the table as a whole.
	unwatched  // nobody is interested in anything finer
	otherShape // the catalogue does not know the table's columns, or the event does not agree with it
	notLogged  // a watched column is not in the row images, or its value cannot be read
	tooMany    // the transaction has touched too many tags
	notRead    // a kind of event, or a type, that is not read; or rows that make no sense
	toldKinds
)

// labels are those of the metric: by what it was told, and why.
func (t told) labels() []string {
	if t == toldByRows {
		return []string{"rows", ""}
	}
	return []string{"table", [toldKinds]string{"", "unwatched", "shape", "image", "too_many", "unknown"}[t]}
}

// toldCounters counts events with rows.
type toldCounters [toldKinds]prometheus.Counter

func newToldCounters(reg prometheus.Registerer) toldCounters {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weir_stream_row_events_total",
		Help: "Binlog events with rows, by whether their changes were told row by row or as a change to the whole table, and why.",
	}, []string{"told", "reason"})
	if reg != nil {
		reg.MustRegister(vec)
	}
	var all toldCounters
	for t := range toldKinds {
		all[t] = vec.WithLabelValues(t.labels()...)
	}
	return all
}
