package inflight

import (
	"encoding/json"
	"math"
	"time"
)

// document is how a DDL is written. The names are a contract with those who read them.
type document struct {
	Server    string           `json:"server"`
	Source    bool             `json:"source"`
	ID        uint64           `json:"id,omitempty"`
	Statement string           `json:"statement"`
	Kind      string           `json:"kind"`
	Tables    []string         `json:"tables"`
	Since     time.Time        `json:"since"`
	Stage     string           `json:"stage,omitempty"`
	Progress  *float64         `json:"progress"` // 0 to 1; null if the server does not tell
	Waiting   bool             `json:"waiting"`
	Waiters   int              `json:"waiters"`
	Blocker   *blockerDocument `json:"blocker,omitempty"`
	Tool      string           `json:"tool,omitempty"`
}

// blockerDocument leaves out what the blocker said, which may hold data.
type blockerDocument struct {
	ID      uint64  `json:"id"`
	User    string  `json:"user"`
	Host    string  `json:"host"`
	Command string  `json:"command"`
	Seconds float64 `json:"seconds"`
	Weir    bool    `json:"weir"`
	Guess   bool    `json:"guess"`
}

// MarshalJSON writes times as RFC 3339, durations as seconds, and what is not known as null.
func (d DDL) MarshalJSON() ([]byte, error) {
	doc := document{
		Server: d.Server, Source: d.Source, ID: d.ID, Statement: d.Statement, Kind: d.Kind, Tables: []string{}, Since: d.Since, Stage: d.Stage,
		Waiting: d.Waiting, Waiters: d.Waiters, Tool: d.Tool,
	}
	for _, n := range d.Tables {
		doc.Tables = append(doc.Tables, n.String())
	}
	if !math.IsNaN(d.Progress) {
		doc.Progress = &d.Progress
	}
	if b := d.Blocker; b != nil {
		doc.Blocker = &blockerDocument{ID: b.ID, User: b.User, Host: b.Host, Command: b.Command, Seconds: b.For.Seconds(), Weir: b.Weir, Guess: b.Guess}
	}
	return json.Marshal(doc)
}
