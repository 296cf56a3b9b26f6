package bufferpool

import (
	"encoding/json"
	"math"
	"time"
)

// State is the state of a pool; the package's documentation has the rule.
type State string

// The states.
const (
	Warm    State = "warm"
	Pressed State = "pressed"
	Cold    State = "cold"
	Warming State = "warming"
	Unknown State = "unknown"
)

var states = [...]State{Warm, Pressed, Cold, Warming, Unknown}

// Reading is what is known of a server's pool at one time. Numbers that are not known are NaN. The rates and the hit
// ratio are of the last second, or of the time since the sample before if that is longer.
type Reading struct {
	Server string
	At     time.Time // when the server was asked
	State  State
	// HitRatio is the share of page requests that found their page in the pool; NaN without requests. Pages that are
	// read ahead count as found, as in the server's own figures.
	HitRatio        float64
	Reads, Requests float64 // pages per second: read from the disk, and asked for
	WaitFree        float64 // waits for a free page per second
	Free            float64 // share of the pool, 0 to 1, as the next two
	Dirty           float64
	Data            float64 // pages with data, dirty ones included
	Loading         string  // what the server says of the load of its pool's dump; empty if none runs
	PoolBytes       int64   // 0 if unknown
	// Gap says that there was no sample for much longer than there should have been before this one, or that this is
	// none: the server did not answer. A server that is too busy to say how it is, is a sign, too.
	Gap bool

	telling bool // there were enough requests for HitRatio to mean something
}

// nothing is a reading that says nothing.
func nothing(server string, at time.Time) Reading {
	nan := math.NaN()
	return Reading{Server: server, At: at, State: Unknown, HitRatio: nan, Reads: nan, Requests: nan, WaitFree: nan, Free: nan, Dirty: nan, Data: nan}
}

// miss is the share of requests that were not found; NaN without enough of them.
func (r Reading) miss() float64 {
	if !r.telling {
		return math.NaN()
	}
	return 1 - r.HitRatio
}

// MarshalJSON writes what is not known as null.
func (r Reading) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Server    string     `json:"server"`
		At        *time.Time `json:"at"`
		State     State      `json:"state"`
		HitRatio  *float64   `json:"hit_ratio"`
		Reads     *float64   `json:"reads_per_second"`
		Requests  *float64   `json:"requests_per_second"`
		WaitFree  *float64   `json:"wait_free_per_second"`
		Free      *float64   `json:"free_ratio"`
		Dirty     *float64   `json:"dirty_ratio"`
		Data      *float64   `json:"data_ratio"`
		Loading   string     `json:"loading,omitempty"`
		PoolBytes int64      `json:"pool_bytes,omitempty"`
		Gap       bool       `json:"gap,omitempty"`
	}{
		r.Server, known(r.At, r.At.IsZero()), r.State, number(r.HitRatio), number(r.Reads), number(r.Requests), number(r.WaitFree),
		number(r.Free), number(r.Dirty), number(r.Data), r.Loading, r.PoolBytes, r.Gap,
	})
}

func number(v float64) *float64 { return known(v, math.IsNaN(v)) }

func known[T any](v T, not bool) *T {
	if not {
		return nil
	}
	return &v
}
