package check

import (
	"fmt"
	"strings"

	"weir/replicator"
)

func gtidRules() []rule {
	return []rule{
		{id: replicator.NoGTIDs, server: judgeGTID},
		{id: "gtid-consistency", server: judgeConsistency},
		{id: "server-id", where: aboutServers, world: judgeServerIDs},
		{id: "log-replica-updates", server: judgeLogUpdates},
		{id: "errant-transactions", server: judgeErrant},
	}
}

func judgeGTID(_ *World, s *Server) verdict {
	switch {
	case !s.asked():
		return verdict{}
	case s.MariaDB:
		return fine("always on")
	case s.variable("gtid_mode") == "ON":
		return s.unless(replicator.NoGTIDs, fine("%s", s.seen("gtid_mode")))
	}
	means := "Nothing says what the server has applied, so that nothing it answers is kept."
	if s.Source {
		means = "Nothing says what a snapshot contains. Weir does not start."
	}
	return fail(s.seen("gtid_mode"), means, gtidSteps(s.variable("gtid_mode"))...)
}

// gtidSteps goes from a mode to ON, one step at a time, as the server wants it.
func gtidSteps(mode string) []string {
	steps := []string{"SET PERSIST enforce_gtid_consistency = ON;"}
	order := []string{"OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"}
	for i, m := range order {
		if m == mode {
			for _, next := range order[i+1:] {
				steps = append(steps, "SET PERSIST gtid_mode = "+next+";")
			}
		}
	}
	return append(steps, "-- each on all servers, before the next one; wait for ongoing_anonymous_transaction_count = 0 before the last")
}

func judgeConsistency(_ *World, s *Server) verdict {
	switch {
	case !s.asked() || s.MariaDB:
		return verdict{}
	case s.variable("enforce_gtid_consistency") == "ON":
		return fine("%s", s.seen("enforce_gtid_consistency"))
	}
	return warn(s.seen("enforce_gtid_consistency"), "Statements run that cannot be given a GTID; gtid_mode cannot be ON.",
		s.set("ON", "enforce_gtid_consistency")...)
}

// judgeServerIDs: two readers of one binlog with one id throw each other out, again and again.
func judgeServerIDs(w *World) verdict {
	asked, seen := w.eachAsked(), map[string]string{} // who has which id
	if len(asked) == 0 {
		return verdict{}
	}
	for _, s := range asked {
		for _, other := range s.Others {
			seen[other] = "a replica of " + s.Addr
		}
	}
	known := map[string]string{}
	for _, s := range asked {
		id := s.variable("server_id")
		switch {
		case id == "0" || id == "":
			return fail("server_id=0 on "+s.Addr, "A server without an id cannot be replicated from, nor follow.", configure("server_id = 1, another number on each server")...)
		case known[id] != "":
			return fail(fmt.Sprintf("server_id=%s on %s and on %s", id, known[id], s.Addr),
				"Each takes the other's changes for its own, and leaves them out.", configure("server_id = another number on each server")...)
		}
		known[id], seen[id] = s.Addr, s.Addr
	}
	return judgeOurID(w, seen)
}

func judgeOurID(w *World, seen map[string]string) verdict {
	ours := fmt.Sprint(w.Config.Source.ServerID)
	if who := seen[ours]; who != "" {
		return fail(fmt.Sprintf("source.server_id is %s, which %s has", ours, who),
			"The source ends one reader's connection when another one comes with its id: the two throw each other out. If that one is a Weir that runs with this very file, all is well.",
			"Leave source.server_id out of Weir's configuration: it takes a random one.")
	}
	return fine("all different, and Weir's is not taken")
}

func judgeLogUpdates(w *World, s *Server) verdict {
	n := s.name("log_replica_updates", "log_slave_updates")
	switch {
	case !s.asked() || n == "":
		return verdict{}
	case s.on(n):
		return fine("%s", s.seen(n))
	case s.Source && (w.candidates() || s.replica()):
		return warn(s.seen(n), "What this server applies as a replica is not in its binlog. When it becomes the source, or is one, Weir cannot prove that it has heard of everything, and begins with an empty cache.",
			configure(n+" = ON")...)
	case s.replica():
		return note(s.seen(n), "If this replica is promoted, Weir begins with an empty cache.", configure(n+" = ON")...)
	}
	return verdict{}
}

func judgeErrant(w *World, s *Server) verdict {
	extra, known := w.Errant[s.Addr]
	switch {
	case !known || !s.asked():
		return verdict{}
	case extra == "":
		return fine("it has nothing that the source has not")
	}
	extra = strings.ReplaceAll(extra, "\n", " ")
	return fail("it has "+extra+", which the source has not",
		"Somebody has written on this server. What it answers may be what no source has ever had: it gets no reads while there is another, and nothing of it is kept.",
		"Set the replica up anew; or, if what was written does no harm, commit empty transactions with these GTIDs on the source.")
}
