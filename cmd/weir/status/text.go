package status

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Text is the overview for terminals and for browsers without scripts: the state in words first.
func (o Overview) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Weir %s: %s\n%s\n\n", o.Version, o.State.Word, o.State.Sentence)
	o.figures(&b)
	list(&b, "Servers", len(o.Backends), func(i int) string {
		s := o.Backends[i]
		return fmt.Sprintf("%s\t%s\t%s\tlag %s\t%d under way", s.Addr, s.Role, s.Sentence, s.Lag.seconds(), s.Outstanding)
	})
	list(&b, "Results not stored", len(o.Refused), func(i int) string {
		r := o.Refused[i]
		return fmt.Sprintf("%s\t%s/s\t%.0f since the start", r.Reason, r.PerSecond.rate(), r.Total)
	})
	list(&b, "Hottest statements", len(o.Statements), func(i int) string {
		s := o.Statements[i]
		return fmt.Sprintf("%s/s\t%s hits\tp99 %s\t%s", s.Calls.rate(), s.HitRatio.percent(), s.P99.seconds(), s.Text)
	})
	list(&b, "Hottest tables", len(o.Tables), func(i int) string {
		t := o.Tables[i]
		return fmt.Sprintf("%s\t%s reads/s\t%s hits/s\t%s changes/s\t%s", t.Name, t.Reads.rate(), t.Hits.rate(), t.Changes.rate(), t.Advice)
	})
	list(&b, "Schema changes", len(o.DDL), func(i int) string {
		d := o.DDL[i]
		return fmt.Sprintf("%s\t%s\t%s\t%s", d.Time.Format(time.RFC3339), d.Text, d.State, d.Effect)
	})
	b.WriteString("\n/metrics  /healthz  /readyz  /api/v1/overview\n")
	return b.String()
}

func (o Overview) figures(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	minute, second := o.Rates.Minute, o.Rates.Second
	row("following", "%s at %s", o.Source.Addr, o.Source.Position)
	row("query_cache_type", "%s", o.Type)
	row("hit ratio", "%s in the last minute, %s in the last second", minute.HitRatio.percent(), second.HitRatio.percent())
	row("statements", "%s/s: %s hits, %s misses, %s joined, %s not cacheable", second.Statements.rate(), second.Hits.rate(), second.Misses.rate(), second.Joined.rate(), second.NotCacheable.rate())
	row("commit to ledger", "median %s, p99 %s, longest %s in the last minute%s", o.Lag.Minute.P50.seconds(), o.Lag.Minute.P99.seconds(), o.Lag.Minute.Max.seconds(), o.Lag.coarse())
	row("complete as of", "%s ago, of %s (max_staleness)", o.Bound.CompleteAge.seconds(), o.Bound.MaxStaleness.seconds())
	row("memory", "%.1f of %.1f MiB, %d results", float64(o.Memory.Bytes)/(1<<20), float64(o.Memory.Budget)/(1<<20), o.Memory.Entries)
	row("second tier", "%s", o.Second.words())
	row("clients", "%d", o.Clients)
	_ = w.Flush() // to memory
}

// list writes nothing of an empty list.
func list(b *strings.Builder, title string, n int, row func(int) string) {
	if n == 0 {
		return
	}
	b.WriteString("\n" + title + "\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range n {
		fmt.Fprintln(w, "  "+row(i))
	}
	_ = w.Flush() // to memory
}

// coarse says that figures are no better than to a second.
func (l Lags) coarse() string {
	if l.Clock != "seconds" {
		return ""
	}
	return "; up to 1s too much, since this source tells the second of a commit alone"
}

func (s Second) words() string {
	if !s.Configured {
		return "none"
	}
	return s.State
}

func (f Figure) seconds() string {
	if !f.Known() {
		return "unknown"
	}
	d := time.Duration(float64(f) * float64(time.Second))
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func (f Figure) percent() string {
	if !f.Known() {
		return "unknown"
	}
	return fmt.Sprintf("%.1f %%", 100*f)
}

func (f Figure) rate() string {
	switch {
	case !f.Known():
		return "unknown"
	case f >= 100 || f == 0:
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// Grouped writes a number with commas, for people.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
