package proxy

import (
	"regexp"

	"weir/cache/dep"
	"weir/proxy/statement"
)

// once reports whether a statement is to be prepared anew for each execution.
//
// MariaDB (10.11) keeps what it has found out about a subquery in a prepared statement for the executions that follow:
// after x NOT IN (SELECT ...) has met an empty list, the same statement takes a NULL x for a match later, with other
// values, where the list is not empty. To a client that is the doing of its own statement. Weir runs the executions of
// many clients in one, and keeps the answers.
func (s *session) once(text []byte, st statement.Statement) bool {
	if s.server.facts.Flavor == statement.MySQL {
		return false
	}
	if len(selects.FindAllIndex(text, 2)) > 1 {
		return true
	}
	snapshot, _ := s.server.schema.Snapshot()
	for _, n := range st.Tables {
		if snapshot.Relation(n).Kind == dep.View {
			return true
		}
	}
	return false
}

// selects finds the word; in a comment or in quotes it costs no more than a round trip.
var selects = regexp.MustCompile(`(?i)select`)
