package top

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"weir/cmd/weir/status"
)

// screen is what is shown: never more lines than there is room for, and none longer.
func (m Model) screen(s style) string {
	lines := m.header(s)
	room := m.height - len(lines) - 1
	var body []string
	switch {
	case m.help:
		body = m.keyLines()
	case !m.known:
		body = []string{"", "  waiting for the first figures"}
	default:
		body = m.body(s, room)
	}
	if !m.known || m.err == nil {
		lines = append(lines, body...)
	} else { // what is old looks old
		for _, line := range body {
			lines = append(lines, s.dim(ansi.Strip(line)))
		}
	}
	lines = lines[:min(len(lines), max(m.height-1, 0))]
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, s.dim(m.footer()))
	for i := range lines {
		lines[i] = fit(m.drawable(lines[i]), m.width, m.tail())
	}
	return strings.Join(lines, "\n")
}

// tail marks what was cut.
func (m Model) tail() string {
	if m.ASCII {
		return "~"
	}
	return "…"
}

// drawable leaves out what the terminal cannot draw.
func (m Model) drawable(line string) string {
	if !m.ASCII {
		return line
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'µ':
			return 'u'
		case r > unicode.MaxASCII:
			return '?'
		}
		return r
	}, line)
}

// header says how Weir is, in words.
func (m Model) header(s style) []string {
	o := m.overview
	first := s.strong("Weir " + clean(o.Version))
	if m.known {
		first += "   " + o.Now.Local().Format("15:04:05") + "   up " + uptime(o.Uptime) + fmt.Sprintf("   %s clients   query_cache_type %s", status.Grouped(int64(o.Clients)), clean(o.Type))
	}
	lines := []string{first, m.state(s), m.tabs(s), ""}
	return lines
}

func (m Model) state(s style) string {
	switch o := m.overview; {
	case m.err != nil:
		return s.bad("no answer") + "  " + clean(m.err.Error())
	case !m.known:
		return ""
	case m.paused:
		return s.strong("held") + "  these figures stay until you press space"
	case o.State.Ready:
		return s.good(clean(o.State.Word)) + "  " + clean(o.State.Sentence)
	default:
		return s.bad(clean(o.State.Word)) + "  " + clean(o.State.Sentence)
	}
}

func (m Model) tabs(s style) string {
	var all []string
	for v := range views {
		name := fmt.Sprintf("%d %s", v+1, v)
		if v == m.view {
			all = append(all, s.strong("["+name+"]"))
		} else {
			all = append(all, " "+name+" ")
		}
	}
	return strings.TrimRight(strings.Join(all, " "), " ")
}

func (m Model) footer() string {
	if m.help {
		return "? back   q quit"
	}
	return "tab view   s sort   space hold   ? keys   q quit"
}

func (m Model) keyLines() []string {
	lines := []string{"  Keys", ""}
	for _, k := range keys {
		lines = append(lines, fmt.Sprintf("  %-16s %s", k[0], k[1]))
	}
	return lines
}

func (m Model) body(s style, room int) []string {
	switch m.view {
	case statementsView:
		return m.scrolled(s, m.statements(m.order), room)
	case tablesView:
		return m.scrolled(s, m.tables(m.order), room)
	case serversView:
		return m.scrolled(s, m.servers(), room)
	case ddlView:
		return m.scrolled(s, m.changes(), room)
	}
	return m.all(s, room)
}

// Once is the overview as plain text, as long as it is.
func (m Model) Once() string {
	m.height = 1000
	return strings.TrimRight(strings.Join(append(m.header(plain)[:2], m.all(plain, m.height)...), "\n"), "\n") + "\n"
}
