package explain

import (
	"fmt"
	"strings"
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
