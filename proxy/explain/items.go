package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Item is one row of the answer.
type Item struct{ Name, Value string }

// Items are the rows of the answer, always in the same order. There are as many of a name as there are tables. Of what is never
// cached there is no more to say than why.
func (e *Explanation) Items() []Item {
	l := items{{"Verdict", e.Verdict.Sentence()}, {"Reason", e.why()}}
	for _, t := range e.Tables {
		l.add("Reads", t.words())
	}
	if e.Verdict == NotCacheable || e.Verdict == Refused {
		return l
	}
	for _, d := range e.DependsOn {
		l.add("Depends on", d.Words)
	}
	l.key(e.Key)
	l.entry(e.Entry)
	l.add("Last change", e.LastChange.words())
	l.add("So far", e.SoFar.words())
	l.add("Staleness", e.Staleness.words())
	return l
}

type items []Item

func (l *items) add(name, value string) { *l = append(*l, Item{name, value}) }

func (e *Explanation) why() string {
	switch {
	case e.Reason == "":
		return e.Sentence
	case e.Detail == "":
		return fmt.Sprintf("%s: %s", e.Reason, e.Sentence)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Reason, e.Sentence, e.Detail)
}

func (t Table) words() string {
	switch {
	case !t.View:
		return t.Name
	case len(t.Reads) == 0:
		return t.Name + " (a view of no table)"
	}
	return t.Name + " (a view) -> " + strings.Join(t.Reads, ", ")
}

func (l *items) key(k Key) {
	l.add("Shared by", k.who())
	l.add("Default database", orNone(k.Schema))
	set := make([]string, len(k.Settings))
	for i, s := range k.Settings {
		set[i] = s.Name + " = " + s.Value
	}
	l.add("Settings", orNone(strings.Join(set, ", ")))
	l.add("Collation", k.Collation)
	l.add("Protocol", strings.Join(append([]string{k.Protocol}, k.Capabilities...), ", "))
}

func (k Key) who() string {
	who := "sessions of " + k.Account
	if k.ServerAccount != "" {
		who += ", to the server " + k.ServerAccount
	}
	if k.Roles != "" {
		who += ", with the roles " + k.Roles
	}
	return who
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (l *items) entry(e Entry) {
	l.add("Entry", e.words())
	if e.Tier == Nowhere {
		return
	}
	l.add("Entry age", ago(e.Age.Duration()))
	l.add("Entry as of", e.AsOf.words())
	if e.Tier == InMemory {
		l.add("Entry hits", fmt.Sprintf("%d at least, %.3g a second", e.Hits, e.Rate))
	}
	l.add("Entry bytes", fmt.Sprint(e.Bytes))
}

func (e Entry) words() string {
	switch {
	case e.Tier == Nowhere:
		return "none"
	case e.Servable:
		return "in " + e.Tier + ", may be served"
	}
	words := "in " + e.Tier + ", not served: " + staleness(e.Why)
	if e.Changed != "" {
		words += ": " + e.Changed
	}
	return words
}

// staleness says why an entry may not be served.
func staleness(why string) string {
	switch why {
	case "changed":
		return "what it depends on has changed since"
	case "not_current":
		return "it is not known whether it has changed, since the change stream is not current"
	case "too_old":
		return "it is older than max_age"
	case "other_epoch":
		return "it is from before the change stream was begun anew"
	}
	return why
}

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
