package check

import (
	"fmt"
	"slices"
	"strings"

	"weir/replicator"
	"weir/replicator/catalog"
)

func accountRules() []rule {
	return []rule{
		{id: replicator.NoReplicationGrant, server: judgeReplicationGrant},
		{id: replicator.NoPositionGrant, server: judgePositionGrant},
		{id: "grant-select", server: judgeSelect},
		{id: "grant-process", server: judgeProcess},
		{id: "grant-show-view", server: judgeShowView},
		{id: "grant-trigger", server: judgeTrigger},
		{id: "grants-unneeded", server: judgeUnneeded},
	}
}

// privileges are those that the account has on all schemas, its active roles included.
func (s *Server) privileges() (held []string) {
	for _, grant := range s.Grants {
		list, rest, ok := strings.Cut(strings.TrimPrefix(grant, "GRANT "), " ON ")
		if object, _, _ := strings.Cut(rest, " TO "); !ok || object != "*.*" || strings.HasPrefix(grant, "REVOKE") {
			continue
		}
		for p := range strings.SplitSeq(list, ",") {
			held = append(held, strings.TrimSpace(p))
		}
	}
	return held
}

// holds reports whether the account has one of these.
func (s *Server) holds(any ...string) bool {
	return slices.ContainsFunc(s.privileges(), func(p string) bool {
		return p == "ALL PRIVILEGES" || p == "ALL" || slices.Contains(any, p)
	})
}

func (s *Server) grant(privilege string) string {
	return fmt.Sprintf("GRANT %s ON *.* TO %s;", privilege, s.Account)
}

// positionPrivilege is what asks where a binlog ends: MariaDB has renamed it.
func positionPrivilege(mariaDB bool) string {
	if mariaDB {
		return "BINLOG MONITOR"
	}
	return "REPLICATION CLIENT"
}

func judgeReplicationGrant(_ *World, s *Server) verdict {
	switch {
	case s.obstacle(replicator.NoReplicationGrant) != nil:
		return fail("no REPLICATION SLAVE", "Weir may not read the binlog, and does not start.", s.grant("REPLICATION SLAVE"))
	case s.clear(replicator.NoReplicationGrant):
		return fine("REPLICATION SLAVE")
	}
	return verdict{}
}

func judgePositionGrant(_ *World, s *Server) verdict {
	needed := positionPrivilege(s.MariaDB)
	switch {
	case s.obstacle(replicator.NoPositionGrant) != nil:
		return fail("no "+needed, "Weir may not ask where the binlog ends, so that it cannot prove that it has heard of everything. It does not start.", s.grant(needed))
	case s.logs() && s.clear(replicator.NoPositionGrant):
		return fine("%s", needed)
	}
	return verdict{}
}

// judgeSelect asks what decides at the start, and then which of the two privileges is missing.
func judgeSelect(_ *World, s *Server) verdict {
	switch {
	case !s.Source || !s.asked() || s.Grants == nil:
		return verdict{}
	case s.startsWith() || s.holds("SELECT"):
		return fine("SELECT")
	}
	return fail("no SELECT on *.*", "Weir does not see all tables and columns, and does not start. It reads definitions with it, and no rows.", s.grant("SELECT"))
}

func judgeProcess(_ *World, s *Server) verdict {
	switch {
	case !s.asked() || s.Grants == nil:
		return verdict{}
	case s.holds("PROCESS") || s.Source && s.startsWith():
		return fine("PROCESS")
	case s.Source:
		return fail("no PROCESS", "Weir does not see the foreign keys, whose cascades are in no binlog. It does not start.", s.grant("PROCESS"))
	}
	return warn("no PROCESS", "Weir does not see schema changes that run on this server, nor whom they wait for.", s.grant("PROCESS"))
}

// startsWith reports whether the privileges are what a start needs.
func (s *Server) startsWith() bool {
	rows := make([][]string, len(s.Grants))
	for i, g := range s.Grants {
		rows[i] = []string{g}
	}
	return catalog.CheckGrants(rows) == nil
}

func judgeShowView(_ *World, s *Server) verdict {
	switch {
	case !s.Source || !s.asked() || s.Grants == nil:
		return verdict{}
	case s.holds("SHOW VIEW"):
		return fine("SHOW VIEW")
	}
	return warn("no SHOW VIEW", "Weir does not see what views read: reads of views are not cached.", s.grant("SHOW VIEW"))
}

func judgeTrigger(_ *World, s *Server) verdict {
	switch {
	case !s.Source || !s.asked() || s.Grants == nil:
		return verdict{}
	case s.holds("TRIGGER"):
		return fine("TRIGGER")
	}
	return warn("no TRIGGER", "Weir does not see the triggers: a change that is logged as a statement makes everything cached unservable.", s.grant("TRIGGER"))
}

// judgeUnneeded: Weir needs to change nothing.
func judgeUnneeded(_ *World, s *Server) verdict {
	if !s.asked() || s.Grants == nil {
		return verdict{}
	}
	var extra []string
	for _, p := range s.privileges() {
		if slices.Contains([]string{"ALL PRIVILEGES", "SUPER", "INSERT", "UPDATE", "DELETE", "DROP", "ALTER", "CREATE USER", "FILE", "SHUTDOWN"}, p) {
			extra = append(extra, p)
		}
	}
	if extra == nil {
		return fine("the account can change nothing")
	}
	return note(strings.Join(extra, ", "), "The account may do more than Weir needs. Who gets hold of Weir's configuration may do it, too.",
		"Give Weir an account of its own: weir check --print-grants")
}
