package proxy

import (
	"context"
	"time"

	"weir/proxy/statement"
)

const (
	// definitionsWait bounds how long a write waits for the catalogue.
	definitionsWait = 250 * time.Millisecond
	// maxDoubts is how many writes a session may have of which it is not yet known whether they fired a trigger.
	maxDoubts = 64
)

// settledCatalog is what a catalogue offers that knows of itself whether definitions are just being read again.
type settledCatalog interface{ Settled() bool }

// catalogSettled reports whether no definitions are being read again.
func (s *session) catalogSettled() bool {
	catalog, _ := s.server.schema.Snapshot()
	settled, ok := catalog.(settledCatalog)
	return !ok || settled.Settled()
}

// sureOfTriggers analyses a write again, if a table that it names may have triggers for all that is known: programs create
// a table and write to it at once, while the catalogue still has to hear of it, and what may have fired a trigger ends
// the session's caching.
//
// If the catalogue takes too long, or nobody can tell how far it is because the stream is not current, the write goes on, and
// the session has no hits until it is known; see [doubted].
//
//  1. The statement has arrived at t. The tables that it writes to were there before.
//  2. The ledger is complete as of t, so that the catalogue has been told of them.
//  3. The catalogue has read everything again that it was told of.
func (s *session) sureOfTriggers(ctx context.Context, schema string, text []byte, st statement.Statement) statement.Statement {
	if st.Kind != statement.Write || st.Fires == "" || s.bypass != "" || !s.server.upToDate() {
		return st
	}
	arrived, over := s.server.cache.Ledger().Now(), time.After(definitionsWait)
	for !s.knowsDefinitions(arrived) {
		s.server.hurry()
		select {
		case <-time.After(pollPause):
		case <-over:
			return st
		case <-ctx.Done():
			return st
		}
	}
	return s.analyzeIn(schema, string(text))
}

// knowsDefinitions reports whether the catalogue has the definitions as of the moment or later.
func (s *session) knowsDefinitions(moment time.Duration) bool {
	if complete, ok := s.server.cache.Ledger().CompleteAsOf(); !ok || complete < moment {
		return false
	}
	return s.catalogSettled()
}

// doubted is a write that may have fired a trigger, for all that is known. One that was there when the write ran, and is
// gone when the catalogue has been read, is not found: the two have to be milliseconds apart.
type doubted struct {
	schema, text string
	when         time.Duration // a moment after it ran, on the ledger's clock
}

// suspect notes a write that may have fired a trigger, and reports whether it will be known later.
func (s *session) suspect(text []byte, st statement.Statement) bool {
	if st.Fires == "" || len(s.doubts) >= maxDoubts || len(text) > statement.MaxLength {
		return false
	}
	s.doubts = append(s.doubts, doubted{s.state.schema, string(text), s.server.cache.Ledger().Now()})
	s.server.hurry()
	return true
}

// clearDoubts looks at the doubts again once the definitions as of the last one are known. It reports whether there are
// none left.
func (s *session) clearDoubts() bool {
	if !s.knowsDefinitions(s.doubts[len(s.doubts)-1].when) {
		return false
	}
	for _, d := range s.doubts {
		if st := s.analyzeIn(d.schema, d.text); st.Fires != "" {
			s.giveUp("a write that may fire a trigger: " + st.Fires)
		}
	}
	s.doubts = nil
	return s.bypass == ""
}
