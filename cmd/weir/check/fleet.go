package check

import (
	"fmt"
	"strings"
)

func fleetRules() []rule {
	return []rule{
		{id: "lower-case-table-names", where: aboutServers, world: judgeCase},
		{id: "defaults-differ", where: aboutServers, world: judgeDefaults},
	}
}

// differing are the variables that are not the same on all servers, with the values that were seen.
func (w *World) differing(names ...string) (seen []string) {
	asked := w.eachAsked()
	for _, n := range names {
		for _, s := range asked[min(1, len(asked)):] {
			if a, b := asked[0].Vars[n], s.Vars[n]; a != b {
				seen = append(seen, fmt.Sprintf("%s is %s on %s and %s on %s", n, orEmpty(a), asked[0].Addr, orEmpty(b), s.Addr))
				break
			}
		}
	}
	return seen
}

func orEmpty(value string) string {
	if value == "" {
		return "empty"
	}
	return value
}

func judgeCase(w *World) verdict {
	if len(w.eachAsked()) < 2 {
		return verdict{}
	}
	if seen := w.differing("lower_case_table_names"); seen != nil {
		return fail(seen[0], "One name is one table on one server and two on another, so that Weir mistakes one for the other.",
			"It is fixed when a data directory is made: set one of the servers up anew.")
	}
	return fine("the same everywhere")
}

// defaults are what new sessions begin with.
var defaults = []string{
	"sql_mode", "time_zone", "character_set_server", "collation_server", "group_concat_max_len", "sql_select_limit", "div_precision_increment", "transaction_isolation", "explicit_defaults_for_timestamp", "default_week_format",
}

func judgeDefaults(w *World) verdict {
	if len(w.eachAsked()) < 2 {
		return verdict{}
	}
	if seen := w.differing(defaults...); seen != nil {
		return warn(strings.Join(seen, "; "), "One statement means one thing on one server and something else on another. Results are kept apart by it, so that there are fewer hits.",
			"Set them alike on all servers.")
	}
	return fine("sessions begin alike everywhere")
}
