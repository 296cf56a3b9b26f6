package timeline

import (
	"slices"
	"strings"
	"time"
)

// slack is by how much times may miss each other: the source's clock is not Weir's, and what a server says of how long a
// statement runs is in whole seconds on some.
const slack = 10 * time.Second

// alike says whether both tell of the same change, but for the times. A statement that names no table is told by its text.
func (e *Event) alike(b *Event) bool {
	return e.Kind == b.Kind && slices.Equal(e.Tables, b.Tables) && (len(e.Tables) > 0 || e.Statement == b.Statement)
}

// becomes says whether e, which was seen in flight, is the change that was recorded.
func (e *Event) becomes(recorded *Event) bool {
	if !e.Source || e.Server != recorded.Server || !e.Recorded.IsZero() || !e.alike(recorded) {
		return false
	}
	if !e.Vanished.IsZero() && bare(e.Statement) != bare(recorded.Statement) { // it has failed, and this is the next one
		return false
	}
	at := recorded.Committed
	if at.IsZero() {
		at = recorded.Recorded
	}
	late := !e.Vanished.IsZero() && at.After(e.Vanished.Add(slack)) && recorded.Recorded.After(e.Vanished.Add(slack))
	return !late && !at.Before(e.Begins().Add(-slack))
}

// isTold says whether e, which is recorded already, is what was seen in flight, and told late.
func (e *Event) isTold(seen *Event) bool {
	return seen.Source && e.Server == seen.Server && !e.Recorded.IsZero() && !e.flew && e.alike(seen) &&
		!seen.Begins().After(e.Recorded) && seen.Seen.Before(e.Recorded.Add(slack))
}

// isApplied says whether what was seen on a replica is e, a change of the source's, on its way.
func (e *Event) isApplied(seen *Event) bool {
	return !seen.Source && e.Source && e.State != Vanished && e.Applied[seen.Server].IsZero() && e.alike(seen)
}

// bare is a text without what a server may add to it or take away when it writes it: quotes around names, and spaces.
func bare(statement string) string {
	return strings.NewReplacer("`", "", " ", "", "\n", "", "\t", "").Replace(statement)
}
