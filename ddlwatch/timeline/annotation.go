package timeline

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// Annotation is a mark in the graphs of a dashboard, as Grafana's annotations are: times are milliseconds since 1970, and
// a mark with an end is a region.
type Annotation struct {
	Time    int64    `json:"time"`
	TimeEnd int64    `json:"timeEnd,omitempty"`
	Title   string   `json:"title"`
	Text    string   `json:"text"`
	Tags    []string `json:"tags"`
}

// Annotations are the marks of the events that mattered between from and to, newest first. Their texts are escaped,
// since Grafana takes them for HTML.
func (t *Timeline) Annotations(from, to time.Time) []Annotation {
	marks := []Annotation{}
	for _, e := range t.Events(from, to) {
		marks = append(marks, e.annotation())
	}
	return marks
}

func (e Event) annotation() Annotation {
	a := Annotation{Time: e.Begins().UnixMilli(), Tags: []string{"ddl", e.Kind, string(e.State)}}
	if end := e.Ends(); !end.IsZero() {
		a.TimeEnd = max(end.UnixMilli(), a.Time)
	}
	if e.Effect != "" {
		a.Tags = append(a.Tags, e.Effect)
	}
	a.Title = html.EscapeString(strings.TrimSpace(strings.ReplaceAll(e.Kind, "_", " ") + " " + e.names()))
	a.Text = html.EscapeString(strings.Join(append([]string{e.Statement}, e.facts()...), "\n"))
	return a
}

// names are the first few tables.
func (e Event) names() string {
	const few = 3
	if len(e.Tables) <= few {
		return strings.Join(e.Tables, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(e.Tables[:few], ", "), len(e.Tables)-few)
}

// facts are what a person would ask first.
func (e Event) facts() (lines []string) {
	if e.Unservable > 0 {
		lines = append(lines, fmt.Sprintf("%d results became unservable", e.Unservable))
	}
	if !e.Refill.Ended.IsZero() {
		lines = append(lines, fmt.Sprintf("refilled in %v with %d statements", e.Refill.Ended.Sub(e.Refill.Began).Round(time.Millisecond), e.Refill.Statements))
	}
	if e.Waited > 0 {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("waited %v for metadata locks of %s", e.Waited.Round(time.Millisecond), e.Blocker), " of "))
	}
	if e.Tool != "" {
		lines = append(lines, "run by "+e.Tool)
	}
	return lines
}
