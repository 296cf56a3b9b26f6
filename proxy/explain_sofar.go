package proxy

import (
	"weir/proxy/explain"
	"weir/proxy/statement"
)

// soFar is what was counted of the statement's digest.
func (s *session) soFar(statement.Statement) explain.SoFar {
	return explain.SoFar{Refused: map[string]uint64{}, NotCached: map[string]uint64{}}
}
