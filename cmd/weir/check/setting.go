package check

import (
	"fmt"
	"strings"
	"time"
)

func settingRules() []rule {
	return []rule{
		{id: "isolation", server: judgeIsolation},
		{id: "autocommit", server: judgeAutocommit},
		{id: "init-connect", server: judgeInitConnect},
		{id: "max-connections", server: judgeConnections},
		{id: "wait-timeout", server: judgeWaitTimeout},
		{id: "max-allowed-packet", where: aboutServers, world: judgePacket},
	}
}

func judgeIsolation(_ *World, s *Server) verdict {
	n := s.name("transaction_isolation", "tx_isolation")
	switch {
	case !s.Backend || !s.asked() || n == "":
		return verdict{}
	case s.variable(n) == "READ-UNCOMMITTED":
		return warn(s.seen(n), "Reads see what may be rolled back, so that nothing is cached.", isolate(s)...)
	}
	return fine("%s", s.seen(n))
}

// isolate is [Server.set] for a variable that MariaDB before 11.1 has under another name than the option.
func isolate(s *Server) []string {
	if !s.MariaDB {
		return s.set("'REPEATABLE-READ'", "transaction_isolation")
	}
	return []string{"SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ;", "-- and in the option file: transaction_isolation = REPEATABLE-READ"}
}

func judgeAutocommit(_ *World, s *Server) verdict {
	switch {
	case !s.Backend || !s.asked() || s.variable("autocommit") == "":
		return verdict{}
	case s.on("autocommit"):
		return fine("autocommit=ON")
	}
	return warn("autocommit=OFF", "Each session is in a transaction at once, where nothing is cached.", s.set("ON", "autocommit")...)
}

func judgeInitConnect(_ *World, s *Server) verdict {
	sql := s.variable("init_connect")
	if !s.Backend || !s.asked() || sql == "" {
		return verdict{}
	}
	return note("init_connect is set ("+plural(len(sql), "character")+")", "It runs on each connection that Weir makes, before Weir asks for the session's settings; what it sets for an account is a part of that account's keys.")
}

func judgeConnections(w *World, s *Server) verdict {
	most, ok := s.number("max_connections")
	ours := int64(w.Config.MaxConnections)
	switch {
	case !s.Backend || !s.asked() || !ok:
		return verdict{}
	case ours > most:
		return note(fmt.Sprintf("max_connections=%d, and %d in Weir's configuration", most, ours),
			"If all of Weir's clients were busy with misses at once, the server would refuse some (error 1040). Hits need no connection.",
			"A lower max_connections in Weir's configuration, or a higher one on the server.")
	}
	return fine("%s", s.seen("max_connections"))
}

// A connection that is idle for shorter than this is hardly ever found open again.
const shortWait = 60

func judgeWaitTimeout(w *World, s *Server) verdict {
	seconds, ok := s.number("wait_timeout")
	server := time.Duration(seconds) * time.Second
	switch {
	case !s.Backend || !s.asked() || !ok:
		return verdict{}
	case seconds < shortWait:
		return note(fmt.Sprintf("wait_timeout=%d", seconds), "The server closes idle connections so soon that most misses need a new one, with a login.", s.set("600", "wait_timeout")...)
	case server < time.Duration(w.Config.WaitTimeout):
		return fine("wait_timeout=%d, shorter than Weir's %s: clients in a transaction are closed by the server first", seconds, time.Duration(w.Config.WaitTimeout))
	}
	return fine("%s", s.seen("wait_timeout"))
}

func judgePacket(w *World) verdict {
	seen, differ, first := []string{}, false, ""
	for _, s := range w.eachAsked() {
		v := s.variable("max_allowed_packet")
		if first == "" {
			first = v
		}
		differ = differ || v != first
		n, _ := s.number("max_allowed_packet")
		seen = append(seen, s.Addr+": "+sizeText(n))
	}
	switch {
	case first == "":
		return verdict{}
	case differ:
		return warn("max_allowed_packet differs: "+strings.Join(seen, ", "), "A statement or a row that one server takes is an error on another: it depends on which one answers.",
			"Set it alike on all servers: SET GLOBAL max_allowed_packet = ...;")
	}
	n, _ := w.eachAsked()[0].number("max_allowed_packet")
	return fine("%s everywhere", sizeText(n))
}
