package demo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"weir/cmd/weir/status"
)

// second is what the demo shows each second.
type second struct {
	at              time.Duration // since the load began
	queries, hits   int64         // in this second
	lagP50, lagP99  time.Duration // of this second; 0 if no change was seen in it
	compared, stale int64         // so far
}

const lineFormat = "%6s %11s %8s %10s %10s %10s %7s"

// headerEvery is after how many lines the header comes again.
const headerEvery = 20

func header(c palette) string {
	return c.bold(fmt.Sprintf(lineFormat, "time", "queries/s", "hits", "lag p50", "lag p99", "compared", "stale"))
}

func (s second) line(c palette) string {
	line := fmt.Sprintf(lineFormat, fmt.Sprintf("%.0f s", s.at.Seconds()), status.Grouped(s.queries), percent(s.hits, s.queries),
		milliseconds(s.lagP50), milliseconds(s.lagP99), status.Grouped(s.compared), status.Grouped(s.stale))
	if s.stale > 0 {
		return c.red(line)
	}
	return line
}

// Phase is the load of readers and writers, with Weir or without it.
type Phase struct {
	Duration time.Duration
	Queries  int64         // that readers asked
	P50, P99 time.Duration // latency, for readers
	Commits  int64         // that writers made
	Selects  int64         // that both servers ran, whoever sent them
}

func (p Phase) perSecond() float64 { return float64(p.Queries) / max(p.Duration.Seconds(), 1e-9) }

// Summary is what a run has found out.
type Summary struct {
	Server        string // flavor and version
	With, Without Phase
	Hits          int64 // of the readers' queries; never too many
	Probes        int64
	LagP50        time.Duration
	LagP99        time.Duration

	Compared  int64  // answers of Weir with the source's
	Stale     int64  // answers older than max_staleness, or wrong
	Behind    int64  // answers that a replica gave that was itself that far behind
	Undecided int64  // comparisons that decided nothing, since the source's answer kept changing
	Example   string // the first that was stale
	Wrong     int64  // answers to readers that belong to another statement
}

// HitRatio is the share of the readers' queries that the cache answered: 0 to 1.
func (s Summary) HitRatio() float64 { return share(s.Hits, s.With.Queries) }

func (s Summary) text(c palette) string {
	var b strings.Builder
	row := func(what, with, without, note string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-26s %14s %14s   %s", what, with, without, note), " ") + "\n")
	}
	b.WriteString(c.bold("Summary: "+s.Server) + "\n\n")
	row("", "with Weir", "without", "")
	row("time", seconds(s.With.Duration), seconds(s.Without.Duration), "")
	row("queries", status.Grouped(s.With.Queries), status.Grouped(s.Without.Queries), "")
	row("queries per second", status.Grouped(int64(s.With.perSecond())), status.Grouped(int64(s.Without.perSecond())), times(s.With.perSecond(), s.Without.perSecond())+" with Weir")
	row("latency p50", milliseconds(s.With.P50), milliseconds(s.Without.P50), "")
	row("latency p99", milliseconds(s.With.P99), milliseconds(s.Without.P99), "")
	row("SELECTs on the servers", status.Grouped(s.With.Selects), status.Grouped(s.Without.Selects), "in all, those of Weir and of the comparisons included")
	row("for each query", ratio(s.With.Selects, s.With.Queries), ratio(s.Without.Selects, s.Without.Queries), "")
	row("commits on the source", status.Grouped(s.With.Commits), status.Grouped(s.Without.Commits), "by the writers")
	b.WriteString("\n")
	row("hit ratio", percent(s.Hits, s.With.Queries), "", "")
	row("server-side queries saved", status.Grouped(max(0, s.With.Queries-s.With.Selects)), "", "")
	row("invalidation lag", milliseconds(s.LagP50), milliseconds(s.LagP99), fmt.Sprintf("p50 and p99 of %s changes, from commit to new answer", status.Grouped(s.Probes)))
	b.WriteString("\n" + s.findings(c))
	return b.String()
}

// findings says what came of the comparisons.
func (s Summary) findings(c palette) string {
	verdict := fmt.Sprintf("%s stale answers found, %s compared.", status.Grouped(s.Stale), status.Grouped(s.Compared))
	if s.Stale+s.Wrong > 0 {
		verdict = c.red(verdict)
	} else {
		verdict = c.green(verdict)
	}
	if s.Undecided > 0 {
		verdict += fmt.Sprintf(" %s comparisons decided nothing: the answer kept changing.", status.Grouped(s.Undecided))
	}
	if s.Behind > 0 {
		verdict += fmt.Sprintf("\n%s old answers came from a replica that was behind by more than max_staleness.", status.Grouped(s.Behind))
	}
	if s.Wrong > 0 {
		verdict += c.red(fmt.Sprintf("\n%s answers to readers belong to another statement.", status.Grouped(s.Wrong)))
	}
	if s.Example != "" {
		verdict += "\n\nThe first:\n" + s.Example
	}
	return verdict + "\n"
}

// Err is nil if answers were compared and all were right.
func (s Summary) Err() error {
	switch {
	case s.Stale > 0:
		return fmt.Errorf("%d stale answers found, %d compared; this must not happen, please report it with the text above", s.Stale, s.Compared)
	case s.Wrong > 0:
		return fmt.Errorf("%d answers belong to another statement; this must not happen, please report it with the text above", s.Wrong)
	case s.Compared == 0:
		return errors.New("no answer was compared with the source, so nothing is shown")
	}
	return nil
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(max(0, part)) / float64(whole)
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share(part, whole))
}

func ratio(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", share(part, whole))
}

func times(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f times", a/b)
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// palette colours text, or does not.
type palette bool

func (p palette) bold(s string) string  { return p.with("1", s) }
func (p palette) red(s string) string   { return p.with("1;31", s) }
func (p palette) green(s string) string { return p.with("32", s) }

func (p palette) with(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
