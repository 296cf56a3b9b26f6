package top

import "charm.land/lipgloss/v2"

// style is how parts of the screen look.
type style struct{ strong, dim, good, bad func(string) string }

// plain is for what goes to no terminal.
var plain = style{strong: same, dim: same, good: same, bad: same}

// colours are the terminal's own sixteen, which its owner has chosen. A terminal with fewer, or NO_COLOR, gets fewer.
var colours = style{
	strong: paint(lipgloss.NewStyle().Bold(true)),
	dim:    paint(lipgloss.NewStyle().Faint(true)),
	good:   paint(lipgloss.NewStyle().Foreground(lipgloss.Green)),
	bad:    paint(lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)),
}

func same(text string) string { return text }

func paint(s lipgloss.Style) func(string) string {
	return func(text string) string { return s.Render(text) }
}
