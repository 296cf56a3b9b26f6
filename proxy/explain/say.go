package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (p Place) words() string {
	if p.Position == "" {
		return p.Seq
	}
	return p.Position
}

func (c *Change) words() string {
	if c == nil {
		return "none that is known"
	}
	parts := []string{"at " + c.Place.words()}
	if len(c.Tables) == 0 && c.Everything == "" {
		parts[0] = "at " + c.Place.words() + " or before"
	}
	if c.GTID != "" {
		parts = append(parts, "GTID "+c.GTID)
	}
	for _, t := range c.Tables {
		parts = append(parts, t.words())
	}
	if c.Everything != "" {
		parts = append(parts, "everything, since "+c.Everything)
	}
	if !c.Recorded.IsZero() {
		parts = append(parts, ago(c.Ago.Duration())+" ago")
	}
	return strings.Join(parts, "; ")
}

func (t TableChange) words() string {
	if t.Rows == 0 {
		return t.Kind + " of " + t.Name
	}
	return fmt.Sprintf("%s of %s, %d row%s", t.Kind, t.Name, t.Rows, plural(t.Rows))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (c SoFar) words() string {
	if c.Calls == 0 {
		return "never asked for, as far as is remembered"
	}
	words := fmt.Sprintf("asked for %d time%s, with any literals: %d hits, %d results stored", c.Calls, plural(int(c.Calls)), c.Hits, c.Stores)
	if why := reasons(c.Refused); why != "" {
		words += ", not stored " + why
	}
	if why := reasons(c.NotCached); why != "" {
		words += ", not cached " + why
	}
	return words
}

func reasons(counts map[string]uint64) string {
	var all []string
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d (%s)", counts[why], why))
	}
	return strings.Join(all, ", ")
}

func (s Staleness) words() string {
	bound := "at most " + ago(s.Bound.Duration())
	switch {
	case s.Complete == nil:
		return bound + "; the change stream is not read yet, so nothing is served"
	case !s.Current:
		return fmt.Sprintf("%s; every change is known as of %s ago, so nothing is served", bound, ago(s.Complete.Duration()))
	}
	return fmt.Sprintf("%s; every change is known as of %s ago", bound, ago(s.Complete.Duration()))
}

// ago rounds to what people read.
func ago(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
