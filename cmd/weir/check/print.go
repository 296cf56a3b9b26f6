package check

import (
	"fmt"
	"io"
	"strings"
)

// width is that of a terminal by ssh.
const width = 80

// Colours by severity, as terminals have them.
var colours = map[Severity]string{OK: "32", Note: "36", Warning: "33", Error: "31"}

// printer writes for people.
type printer struct {
	w      io.Writer
	colour bool
	err    error
}

// Print writes the report for people, in 80 columns: one section for each server and other thing that was looked at, the worst first.
func (r Report) Print(w io.Writer, colour bool) error {
	p := &printer{w: w, colour: colour}
	for _, section := range r.sections() {
		p.section(section.title, r.of(section.where))
	}
	p.line(p.paint(r.worst(), r.Summary()))
	return p.err
}

type section struct{ where, title string }

// sections are in the order in which somebody who starts looks at things.
func (r Report) sections() []section {
	all := []section{{aboutFile, "Configuration"}, {aboutWeir, "Weir's ports"}}
	for _, s := range r.World.Servers {
		role := strings.ToUpper(s.Role()[:1]) + s.Role()[1:]
		title := role + " " + s.Addr
		if s.Err == nil {
			title += ", " + s.flavor() + " " + s.Version
		}
		all = append(all, section{s.Addr, title})
	}
	return append(all, section{aboutServers, "All servers"}, section{aboutRedis, "Redis"})
}

func (r Report) of(where string) (found []Finding) {
	for _, f := range r.Findings {
		if f.Where == where {
			found = append(found, f)
		}
	}
	return found
}

func (r Report) worst() Severity {
	for s := Error; s > OK; s-- {
		if r.Count(s) > 0 {
			return s
		}
	}
	return OK
}

func (p *printer) section(title string, findings []Finding) {
	if len(findings) == 0 {
		return
	}
	p.line(p.bold(title))
	for s := Error; s > OK; s-- {
		for _, f := range findings {
			if f.Severity == s {
				p.finding(f)
			}
		}
	}
	var well []string
	for _, f := range findings {
		if f.Severity == OK {
			well = append(well, f.ID)
		}
	}
	if well != nil {
		p.paragraph("  "+p.paint(OK, "ok")+"       ", 11, strings.Join(well, ", "))
	}
	p.line("")
}

func (p *printer) finding(f Finding) {
	name := fmt.Sprintf("%-8s", f.Severity)
	p.paragraph("  "+p.paint(f.Severity, name)+" ", 11, f.ID+": "+f.Evidence)
	if f.Meaning != "" {
		p.paragraph(strings.Repeat(" ", 11), 11, f.Meaning)
	}
	for _, m := range f.Mend {
		p.paragraph(strings.Repeat(" ", 11)+"> ", 13, m)
	}
}

// paragraph breaks the text at blanks; a word that is longer than a line stays whole.
func (p *printer) paragraph(first string, indent int, text string) {
	line, used := first, indent
	fresh := true
	for word := range strings.FieldsSeq(text) {
		if !fresh && used+1+len(word) > width {
			p.line(line)
			line, used, fresh = strings.Repeat(" ", indent), indent, true
		}
		if !fresh {
			line += " "
			used++
		}
		line += word
		used += len(word)
		fresh = false
	}
	p.line(line)
}

func (p *printer) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(text, " "))
	}
}

func (p *printer) paint(s Severity, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + colours[s] + "m" + text + "\x1b[0m"
}

func (p *printer) bold(text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}
