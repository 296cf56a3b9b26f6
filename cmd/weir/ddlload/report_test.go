package ddlload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// text is the report, in Markdown.
func (r result) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", r.server)
	if !*full {
		b.WriteString("A small run, which shows that the measuring works; its figures mean nothing.\n\n")
	}
	fmt.Fprintf(&b, "%d readers over %d statements, %.0f requests/s: %.0f %% of the %.0f/s that the server alone answers. Large table %d MiB, buffer pool %d MiB, %d updates/s.\n\n",
		r.readers, r.statements, r.rate, 100*r.rate/r.max, r.max, r.size>>20, r.pool>>20, r.writes)
	b.WriteString("| change | effect | Weir | answers/s before, during, after | worst second | back after | p99 before, during, after | change takes | goal |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, o := range r.changes {
		b.WriteString(o.row("without", o.without, ""))
		b.WriteString(o.row("with", o.with, o.goal()))
		fmt.Fprintf(&b, "| | | nobody reads | | | | | %s | |\n", short(o.alone))
	}
	b.WriteString("\n" + r.herd.text(r.options.herd) + "\n")
	return b.String()
}

func (o outcome) row(weir string, t trace, goal string) string {
	f := t.figures()
	return fmt.Sprintf("| %s | %s | %s | %.0f, %.0f, %.0f | %.0f %% (before: %.0f %%) | %s | %s, %s, %s | %s | %s |\n", o.name, o.effect, weir, f.level, f.during, f.after,
		100*f.worst, 100*f.lowest, f.recovery(), short(f.p99[0]), short(f.p99[1]), short(f.p99[2]), short(t.took()), goal)
}

func (f figures) recovery() string {
	switch {
	case !f.recover:
		return "not in this run"
	case f.back == 0:
		return "at once"
	}
	return short(f.back)
}

// backAllowed is the goal for what comes after a change.
const backAllowed = 10 * time.Second

// goal says what of the goals is missed. A run that is too short for seconds says nothing about them.
func (o outcome) goal() string {
	if o.with.bin < time.Second {
		return ""
	}
	f := o.with.figures()
	faster := o.without.took().Seconds() / max(o.with.took().Seconds(), 1e-9)
	var missed []string
	if f.worst < worstAllowed[o.effect] {
		missed = append(missed, fmt.Sprintf("worst second under %.0f %%", 100*worstAllowed[o.effect]))
	}
	if !f.recover || f.back > backAllowed {
		missed = append(missed, "recovery")
	}
	if faster < 2 {
		missed = append(missed, "twice as fast")
	}
	said := fmt.Sprintf("%.1f times as fast", faster)
	if len(missed) == 0 {
		return said + "; all met"
	}
	return said + "; missed: " + strings.Join(missed, ", ")
}

func (h herd) text(o herdOptions) string {
	reads, limit := h.peak()
	f := h.figures()
	limits := fmt.Sprintf("the limit went up to %d; %d readings were above the limit of their moment, %d reads had waited long enough to be let in without it", limit, h.above(), h.through)
	if !h.gates {
		limits = "this Weir has no limit"
	}
	return fmt.Sprintf("%d readers without a pause over %d warm keys of one table, which gets a column (COPY, %s): at most %d reads of it at the server at once in %d readings; %s. "+
		"%.0f answers/s before, worst second %.0f %%, back after: %s.\n", o.readers, o.keys, short(h.took()), reads, len(h.readings), limits, f.level, 100*f.worst, f.recovery())
}

// short is a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
}

// write puts the report and the plots into a folder.
func (r result) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := strings.ToLower(strings.Fields(r.server)[0])
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(r.text()), 0o644); err != nil {
		return err
	}
	for _, o := range r.changes {
		if err := o.plot(r.server, filepath.Join(dir, name+"-"+slug(o.name)+".svg")); err != nil {
			return fmt.Errorf("plot %s: %w", o.name, err)
		}
	}
	return r.herd.plot(r.server, filepath.Join(dir, name+"-herd.svg"))
}

// slug is a name for a file.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }), "-")
}
