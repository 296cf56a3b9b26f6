package timeline

import (
	"encoding/json"
	"time"
)

// document is how an event is written. The names are a contract with those who read them.
type document struct {
	ID        uint64   `json:"id"`
	State     State    `json:"state"`
	Statement string   `json:"statement"`
	Kind      string   `json:"kind"`
	Effect    string   `json:"effect,omitempty"`
	Tables    []string `json:"tables"`
	Server    string   `json:"server"`
	Source    bool     `json:"source"`
	Tool      string   `json:"tool,omitempty"`

	Seen      time.Time `json:"seen,omitzero"`
	Started   time.Time `json:"started,omitzero"`
	Committed time.Time `json:"committed,omitzero"`
	Recorded  time.Time `json:"recorded,omitzero"`
	Vanished  time.Time `json:"vanished,omitzero"`
	Position  string    `json:"position,omitempty"` // binlog file number/position

	Applying map[string]time.Time `json:"applying,omitempty"`
	Applied  map[string]time.Time `json:"applied,omitempty"`

	Unservable int                `json:"unservable"`
	Refill     *refillDocument    `json:"refill,omitempty"`
	PoolLow    map[string]float64 `json:"pool_low,omitempty"`
	Waited     float64            `json:"waited_seconds,omitempty"`
	Blocker    string             `json:"blocker,omitempty"`
}

type refillDocument struct {
	Began      time.Time `json:"began"`
	Ended      time.Time `json:"ended,omitzero"`
	Seconds    float64   `json:"seconds,omitempty"` // from Began to Ended
	Statements int       `json:"statements"`
	PeakLimit  int       `json:"peak_limit"`
}

// MarshalJSON writes times as RFC 3339 and durations as seconds, and leaves out what is not known.
func (e Event) MarshalJSON() ([]byte, error) {
	d := document{
		ID: e.ID, State: e.State, Statement: e.Statement, Kind: e.Kind, Effect: e.Effect, Tables: e.Tables, Server: e.Server, Source: e.Source, Tool: e.Tool,
		Seen: e.Seen, Started: e.Started, Committed: e.Committed, Recorded: e.Recorded, Vanished: e.Vanished, Applying: e.Applying, Applied: e.Applied,
		Unservable: e.Unservable, PoolLow: e.PoolLow, Waited: e.Waited.Seconds(), Blocker: e.Blocker,
	}
	if d.Tables == nil {
		d.Tables = []string{}
	}
	if e.Seq != 0 {
		d.Position = e.Seq.String()
	}
	if r := e.Refill; !r.Began.IsZero() {
		d.Refill = &refillDocument{Began: r.Began, Ended: r.Ended, Statements: r.Statements, PeakLimit: r.PeakLimit}
		if !r.Ended.IsZero() {
			d.Refill.Seconds = r.Ended.Sub(r.Began).Seconds()
		}
	}
	return json.Marshal(d)
}
