package check

import (
	"context"
	"slices"

	"weir/cmd/weir/daemon"
	"weir/replicator"
)

// lookForErrant asks the source what of each server's transactions it lacks. The servers were asked before, so that what is
// committed meanwhile is not taken for theirs.
func (w *World) lookForErrant(ctx context.Context, access []daemon.Access) {
	source := w.source()
	if source == nil || source.MariaDB {
		return
	}
	a := access[slices.Index(w.Servers, source)]
	session := replicator.NewSession(a.Addr, a.Replicator.User, a.Replicator.Password, askTimeout, a.Replicator.TLS)
	defer session.Close()
	for _, s := range w.eachAsked() {
		if s == source || s.MariaDB || s.variable("gtid_mode") != "ON" {
			continue
		}
		rows, err := session.Query(ctx, "SELECT GTID_SUBTRACT("+quote(s.Executed)+", @@global.gtid_executed)")
		if err == nil {
			w.Errant[s.Addr] = rows[0][0]
		}
	}
}
