package ddlwatch

import (
	"fmt"
	"slices"
	"time"

	"weir/cache/dep"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/timeline"
)

// flight is a change that runs on a server.
type flight struct {
	server    string
	id        uint64 // of the connection
	tool      string
	statement string
}

// flown is one that is in the timeline.
type flown struct {
	event   uint64
	waiting time.Time // since when it waits for a metadata lock; zero if it does not
}

// note tells the timeline of what runs on the servers, and of what runs no more.
func (f *following) note(all []inflight.DDL, now time.Time) {
	runs := map[flight]bool{}
	for _, d := range all {
		k := flight{d.Server, d.ID, d.Tool, d.Statement}
		runs[k] = true
		if f.flown[k] == nil {
			f.flown[k] = &flown{event: f.timeline.Started(started(d, now))}
		}
		f.flown[k].wait(f.timeline, d, now)
	}
	for k, known := range f.flown {
		if !runs[k] {
			f.timeline.Vanished(known.event, k.server, now)
			delete(f.flown, k)
		}
	}
}

// wait notes for how long a change has waited, and for whom.
func (f *flown) wait(t *timeline.Timeline, d inflight.DDL, now time.Time) {
	if !f.waiting.IsZero() {
		t.Waited(f.event, now.Sub(f.waiting), blocker(d.Blocker))
	}
	switch {
	case !d.Waiting:
		f.waiting = time.Time{}
	case f.waiting.IsZero():
		f.waiting = now
		t.Waited(f.event, 0, blocker(d.Blocker))
	}
}

// blocker names who holds a lock; not by what it said, which may hold data.
func blocker(b *inflight.Blocker) string {
	if b == nil {
		return ""
	}
	text := fmt.Sprintf("connection %d of %s@%s", b.ID, b.User, b.Host)
	if b.Weir {
		text += ", a client of Weir's"
	}
	if b.Guess {
		return "probably " + text
	}
	return text
}

func started(d inflight.DDL, now time.Time) timeline.Event {
	return timeline.Event{
		Statement: shownText(d.Statement), Kind: d.Kind, Tables: names(d.Tables), Server: d.Server, Source: d.Source, Tool: d.Tool,
		Seen: now, Started: d.Since,
	}
}

func names(tables []dep.Name) []string {
	all := make([]string, len(tables))
	for i, n := range tables {
		all[i] = n.String()
	}
	return all
}

// enter tells the timeline of a change that the ledger has heard of.
func (f *following) enter(r recorded) (id uint64) {
	e := r.Effect
	seen := timeline.Event{
		Statement: r.SQL, Kind: e.Kind, Effect: string(e.Class), Tables: append(names(e.Tables), schemas(e.Schemas)...), Server: f.parts.Servers[0].Addr,
		Seen: r.at, Recorded: r.at, Seq: r.Seq,
	}
	if r.Coarse {
		seen.Started = r.CommittedAt
	} else {
		seen.Committed = r.CommittedAt
	}
	id = f.timeline.Recorded(seen)
	f.timeline.Unservable(id, r.unservable)
	if r.unservable == 0 {
		f.timeline.Done(id)
	}
	return id
}

// schemas are shown as all of their tables.
func schemas(all []string) []string {
	shown := slices.Clone(all)
	for i := range shown {
		shown[i] += ".*"
	}
	return shown
}
