package check

import (
	"maps"
	"slices"
)

// rule is one thing that is looked at: on each server, or once.
type rule struct {
	id string
	// server is held against each server that has been asked; world is asked once, and belongs to where.
	server func(w *World, s *Server) verdict
	where  string
	world  func(w *World) verdict
}

// What findings are about that are about no single server.
const (
	aboutFile    = "configuration"
	aboutWeir    = "weir"
	aboutServers = "servers"
	aboutRedis   = "redis"
)

// rules are all there are, in the order in which their findings of one severity are printed.
func rules() []rule {
	return slices.Concat(
		configurationRules(), connectionRules(), binlogRules(), gtidRules(), replicaRules(), accountRules(), clientRules(),
		schemaRules(), serverRules(), settingRules(), fleetRules(), redisRules(),
	)
}

// IDs are the ids of all rules.
func IDs() []string {
	var ids []string
	for _, r := range rules() {
		ids = append(ids, r.id)
	}
	return ids
}

// Judge holds each rule against what was seen.
func Judge(w *World) Report {
	report := Report{World: w}
	for _, r := range rules() {
		if r.world != nil {
			report.add(r, r.where, r.world(w))
			continue
		}
		for _, s := range w.Servers {
			report.add(r, s.Addr, r.server(w, s))
		}
	}
	report.addObstacles()
	return report
}

// addObstacles adds what keeps Weir from starting and no rule has said: the check must not find a source ready that a start
// refuses.
func (r *Report) addObstacles() {
	for _, s := range r.World.Servers {
		for _, id := range slices.Sorted(maps.Keys(s.Obstacles)) {
			said := func(f Finding) bool { return f.ID == id && f.Where == s.Addr && f.Severity == Error }
			if s.asked() && !slices.ContainsFunc(r.Findings, said) {
				r.Findings = append(r.Findings, Finding{Error, id, s.Addr, s.Obstacles[id].Error(), "Weir does not start.", nil})
			}
		}
	}
}

func (r *Report) add(of rule, where string, v verdict) {
	if v.severity != unseen {
		r.Findings = append(r.Findings, Finding{v.severity, of.id, where, v.evidence, v.meaning, v.mend})
	}
}
