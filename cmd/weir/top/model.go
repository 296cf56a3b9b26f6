package top

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"weir/cmd/weir/status"
)

// Model is all that the screen shows.
type Model struct {
	// Fetch asks for an overview.
	Fetch func(context.Context) (status.Overview, error)
	// Interval is how long it rests between two.
	Interval time.Duration
	// ASCII says that the terminal cannot draw more than that.
	ASCII bool

	ctx           context.Context
	overview      status.Overview
	known         bool  // there is an overview
	err           error // why the newest one could not be had
	paused, help  bool
	view          view
	order         int // of the lists, by view
	offset        int // rows that are scrolled out of sight
	width, height int
}

// New returns a model of a screen that lasts until ctx ends.
func New(ctx context.Context, fetch func(context.Context) (status.Overview, error), interval time.Duration, ascii bool) Model {
	return Model{Fetch: fetch, Interval: interval, ASCII: ascii, ctx: ctx, width: 80, height: 24}
}

// fetched is the outcome of a question.
type fetched struct {
	overview status.Overview
	err      error
}

// due says that it is time for the next one.
type due struct{}

// Init implements [tea.Model].
func (m Model) Init() tea.Cmd { return m.fetch }

func (m Model) fetch() tea.Msg {
	o, err := m.Fetch(m.ctx)
	return fetched{o, err}
}

// Update implements [tea.Model].
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m.key(msg.String())
	case due:
		return m, m.fetch
	case fetched:
		m = m.take(msg)
		return m, tea.Tick(m.Interval, func(time.Time) tea.Msg { return due{} })
	}
	return m, nil
}

// take keeps the last overview while there is no newer one, and also while the screen is paused.
func (m Model) take(f fetched) Model {
	m.err = f.err
	if f.err == nil && !(m.paused && m.known) {
		m.overview, m.known = f.overview, true
	}
	return m
}

// View implements [tea.Model].
func (m Model) View() tea.View {
	v := tea.NewView(m.screen(colours))
	v.AltScreen = true
	v.WindowTitle = "weir top"
	return v
}
