package proxy

import (
	"context"
	"time"

	"weir/proxy/statement"
)

// definitionsWait bounds how long a write waits for the catalogue.
const definitionsWait = time.Second

// settledCatalog is what a catalogue offers that knows of itself whether definitions are just being read again.
type settledCatalog interface{ Settled() bool }

// sureOfTriggers analyses a write again, if a table that it names may have triggers for all that is known: programs create
// a table and write to it at once, while the catalogue still has to hear of it, and what may have fired a trigger ends
// the session's caching.
//
//  1. The statement has arrived at t. The tables that it writes to were there before.
//  2. The ledger is complete as of t, so that the catalogue has been told of them.
//  3. The catalogue has read everything again that it was told of.
func (s *session) sureOfTriggers(ctx context.Context, schema string, text []byte, st statement.Statement) statement.Statement {
	if st.Kind != statement.Write || st.Fires == "" || s.bypass != "" {
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
	catalog, _ := s.server.schema.Snapshot()
	settled, ok := catalog.(settledCatalog)
	return !ok || settled.Settled()
}
