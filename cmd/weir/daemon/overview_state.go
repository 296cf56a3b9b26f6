package daemon

import (
	"fmt"
	"strings"
	"time"

	"weir/cmd/weir/status"
	"weir/ddlwatch/timeline"
	"weir/proxy"
)

// state says how it is in a word and in a sentence. Clients are served in all of them, if a server answers.
func (d *Daemon) state(f figures) status.State {
	why, rest := d.notReady(), whoAnswers(f)
	switch kind := d.cacheType(); {
	case why != "":
		return status.State{Word: d.waitingFor(f), Sentence: "No cached results are served, and " + rest + ": " + why + "."}
	case kind == "OFF":
		return status.State{Ready: true, Word: "off", Sentence: "Caching is off (query_cache_type is OFF): " + rest + "."}
	case kind == "OBSERVE":
		return status.State{Ready: true, Word: "observing", Sentence: "Nothing is cached (query_cache_type is OBSERVE), and " + rest + ": " + saved(d.proxy.Observed())}
	}
	bound := time.Duration(d.cfg.MaxStaleness)
	return status.State{Ready: true, Word: "serving", Sentence: fmt.Sprintf("Cached results are served, and have every change older than %v.", bound)}
}

// saved says what caching would have done.
func saved(o proxy.Observed) string {
	if o.Reads == 0 {
		return "no read has come yet that could be cached."
	}
	return fmt.Sprintf("of %d reads that could be cached, %.1f %% would have been hits.", o.Reads, 100*o.HitRatio)
}

// whoAnswers says what becomes of statements that the cache does not answer.
func whoAnswers(f figures) string {
	if len(f["weir_backend_up"]) > 0 && f.sum("weir_backend_up") == 0 {
		return "no server answers"
	}
	return "servers answer everything"
}

// waitingFor is the word for why nothing is served from the cache.
func (d *Daemon) waitingFor(f figures) string {
	switch _, known := d.ledger.CompleteAsOf(); {
	case d.doubt() != "" || d.changes.State().Err != nil:
		return "broken"
	case !known || f.sum("weir_stream_behind_bytes") > 0 || !d.catalog.State().Settled():
		return "starting"
	}
	return "behind"
}

// secondState is how the second tier is.
func (d *Daemon) secondState(f figures) status.Second {
	if d.second == nil {
		return status.Second{}
	}
	if out := f.sum("weir_redis_servers_out"); out > 0 {
		return status.Second{Configured: true, State: fmt.Sprintf("%.0f of its servers fail or are late, and are not asked", out)}
	}
	return status.Second{Configured: true, Well: true, State: "answers in time"}
}

// shownDDL is how many schema changes are shown.
const shownDDL = 20

// recentDDL are the last schema changes, newest first. Of their texts only what kind of statement it is, and on which tables:
// all else may be a literal.
func (d *Daemon) recentDDL() []status.DDL {
	events := d.ddl.Timeline().Events(time.Time{}, time.Time{})
	shown := make([]status.DDL, 0, min(shownDDL, len(events)))
	for _, e := range events[:min(shownDDL, len(events))] {
		shown = append(shown, showDDL(e))
	}
	return shown
}

func showDDL(e timeline.Event) status.DDL {
	s := status.DDL{
		Time: e.Begins().UTC(), Kind: e.Kind, Tables: append([]string{}, e.Tables...), Effect: e.Effect, State: string(e.State),
		Text:       strings.ToUpper(strings.ReplaceAll(e.Kind, "_", " ")) + " " + strings.Join(e.Tables, ", "),
		Running:    e.State == timeline.Running,
		Unservable: e.Unservable,
	}
	if end := e.Ends(); !end.IsZero() {
		end = end.UTC()
		s.End = &end
	}
	return s
}
