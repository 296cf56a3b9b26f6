package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func replicaRules() []rule {
	return []rule{
		{id: "replica", server: judgeReplica},
		{id: "replica-state", server: judgeReplicaState},
		{id: "replica-lag", server: judgeLag},
		{id: "replica-delay", server: judgeDelay},
		{id: "replica-filter", server: judgeReplicaFilter},
		{id: "replica-writable", server: judgeWritable},
		{id: "read-only-source", server: judgeReadOnlySource},
	}
}

// field is a column of SHOW REPLICA STATUS by its new name: source and replica were called master and slave.
func field(row map[string]string, name string) string {
	if v, ok := row[name]; ok {
		return v
	}
	return row[strings.NewReplacer("source", "master", "replica", "slave").Replace(name)]
}

// follows reports whether the server is a backend that is not the source.
func (w *World) follows(s *Server) bool {
	return s.asked() && s != w.source() && (s.Backend || w.candidates())
}

func judgeReplica(w *World, s *Server) verdict {
	source := w.source()
	switch {
	case !w.follows(s) || source == nil:
		return verdict{}
	case s.FollowingErr != nil:
		return note("the account may not see whom it follows",
			"Weir does not need it. weir check cannot say how the replica is.",
			fmt.Sprintf("GRANT %s ON *.* TO %s;", monitorPrivilege(s), s.Account))
	case !s.replica():
		return fail("it follows nobody", "It has other data than the source, or will have: nothing that it answers is kept.",
			"Make it a replica of "+source.Addr+", or take it out of backends.")
	}
	for _, row := range s.Following {
		if field(row, "source_server_id") == source.variable("server_id") {
			return fine("it follows the source")
		}
	}
	return note("it follows "+followed(s), "It is no direct replica of the source. That is well if the one between logs what it applies.")
}

func monitorPrivilege(s *Server) string {
	if s.MariaDB {
		return "REPLICA MONITOR"
	}
	return "REPLICATION CLIENT"
}

func followed(s *Server) string {
	var whom []string
	for _, row := range s.Following {
		whom = append(whom, field(row, "source_host")+":"+field(row, "source_port"))
	}
	return strings.Join(whom, " and ")
}

func judgeReplicaState(w *World, s *Server) verdict {
	if !w.follows(s) || !s.replica() {
		return verdict{}
	}
	for _, row := range s.Following {
		io, sql := field(row, "replica_io_running"), field(row, "replica_sql_running")
		if io == "Yes" && sql == "Yes" {
			continue
		}
		seen, mend := fmt.Sprintf("receiver %s, applier %s", running(io), running(sql)), "START REPLICA;"
		for _, e := range [...]string{row["last_io_error"], row["last_sql_error"]} {
			if e != "" {
				seen, mend = seen+": "+e, "Mend what the error says, then: START REPLICA;"
			}
		}
		return fail(seen, "It falls behind: past max_lag it gets no reads, and what it answers until then is not kept.",
			mend)
	}
	return fine("receiver and applier run")
}

func running(state string) string {
	switch state {
	case "Yes":
		return "runs"
	case "No":
		return "is stopped"
	}
	return "is " + strings.ToLower(state)
}

func judgeLag(w *World, s *Server) verdict {
	if !w.follows(s) || !s.replica() {
		return verdict{}
	}
	worst, known := time.Duration(0), false
	for _, row := range s.Following {
		if n, err := strconv.Atoi(field(row, "seconds_behind_source")); err == nil {
			worst, known = max(worst, time.Duration(n)*time.Second), true
		}
	}
	limit := time.Duration(w.Config.MaxLag)
	switch {
	case !known:
		return verdict{}
	case worst > limit:
		return warn(fmt.Sprintf("%s behind the source", worst), fmt.Sprintf("It gets no reads while it is more than max_lag (%s) behind.", limit),
			"Find what holds its applier up; more parallel appliers and a primary key on each table help.")
	}
	return fine("%s behind the source", worst)
}

func judgeDelay(w *World, s *Server) verdict {
	if !w.follows(s) {
		return verdict{}
	}
	for _, row := range s.Following {
		if d := row["sql_delay"]; d != "" && d != "0" {
			return warn("it applies changes "+d+" seconds late, on purpose", "Its answers are old, and are not kept once something has changed.",
				"Take it out of backends.")
		}
	}
	return verdict{}
}

var replicateFilters = [...]string{
	"replicate_do_db", "replicate_ignore_db", "replicate_do_table", "replicate_ignore_table",
	"replicate_wild_do_table", "replicate_wild_ignore_table", "replicate_rewrite_db",
	"replicate_do_domain_ids", "replicate_ignore_domain_ids",
}

func judgeReplicaFilter(w *World, s *Server) verdict {
	if !w.follows(s) || !s.replica() {
		return verdict{}
	}
	var seen []string
	for _, row := range s.Following {
		for _, f := range replicateFilters {
			if row[f] != "" {
				seen = append(seen, f+"="+row[f])
			}
		}
	}
	if seen == nil {
		return fine("it applies everything")
	}
	return warn(strings.Join(seen, ", "),
		"Its position says that it has what it has left out: results of the tables that are left out are kept as if they were right.",
		"Take the filters away and set the replica up anew; or take it out of backends.")
}

func judgeWritable(w *World, s *Server) verdict {
	switch {
	case !w.follows(s) || !s.replica():
		return verdict{}
	case s.on("read_only"):
		return fine("%s", s.seen("read_only"))
	}
	return warn(s.seen("read_only"), "Writes on a replica are in no binlog that Weir reads: results that they change are served until cache.max_age.",
		s.set("ON", "read_only")...)
}

func judgeReadOnlySource(w *World, s *Server) verdict {
	switch {
	case s != w.source() || w.candidates() || !s.asked():
		return verdict{}
	case !s.on("read_only"):
		return fine("it takes writes")
	case w.Config.Writes == "source":
		return warn("read_only=ON, and writes: source", "Writes that clients send through Weir get the server's error 1290.",
			"Point source.addr at the server that takes writes; or SET GLOBAL read_only = OFF;")
	}
	return note("read_only=ON", "Weir follows a server that takes no writes, a replica perhaps. What it serves is as old as that server is.",
		"Point source.addr at the server that takes writes, with this one under backends; or leave it so.")
}
