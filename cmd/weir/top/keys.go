package top

import tea "charm.land/bubbletea/v2"

// view is one of the screens.
type view int

const (
	overviewView view = iota
	statementsView
	tablesView
	serversView
	ddlView
	views // how many there are
)

func (v view) String() string {
	return [...]string{"overview", "statements", "tables", "servers", "schema changes"}[v]
}

// keys are what ? shows.
var keys = [...][2]string{
	{"tab, shift+tab", "the next view, the one before"},
	{"1 to 5", "that view"},
	{"s", "sort the list by its next column"},
	{"up, down, j, k", "scroll"},
	{"space, p", "hold the figures, and let them go on"},
	{"?", "these keys, and back"},
	{"q, ctrl+c", "leave"},
}

// key answers a key. What has no meaning does nothing.
func (m Model) key(name string) (tea.Model, tea.Cmd) {
	switch name {
	case "q", "ctrl+c":
		return m, tea.Quit
	case "?", "h":
		m.help = !m.help
	case "esc":
		m.help = false
	case "space", " ", "p":
		m.paused = !m.paused
	case "s":
		m.order++
	case "up", "k":
		m.offset = max(m.offset-1, 0)
	case "down", "j":
		m.offset++
	default:
		return m.turn(name), nil
	}
	return m, nil
}

// turn goes to another view.
func (m Model) turn(name string) Model {
	to := m.view
	switch {
	case name == "tab" || name == "right":
		to = (m.view + 1) % views
	case name == "shift+tab" || name == "left":
		to = (m.view + views - 1) % views
	case len(name) == 1 && name[0] >= '1' && name[0] < '1'+byte(views):
		to = view(name[0] - '1')
	}
	if to != m.view {
		m.view, m.order, m.offset = to, 0, 0
	}
	return m
}
