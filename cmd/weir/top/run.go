package top

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Run shows the screen until its user leaves, or ctx ends. The options are for tests.
func Run(ctx context.Context, from Source, interval time.Duration, options ...tea.ProgramOption) error {
	m := New(ctx, from.Overview, interval, !unicodeTerminal(os.Getenv))
	_, err := tea.NewProgram(m, append(options, tea.WithContext(ctx))...).Run()
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		return nil //nolint:nilerr // whoever sends a signal wants it to end
	}
	if err != nil {
		return fmt.Errorf("cannot draw on this terminal: %w; weir top --once prints the figures once", err)
	}
	return nil
}

// Once returns the overview as plain text of that width.
func Once(ctx context.Context, from Source, width int) (string, error) {
	o, err := from.Overview(ctx)
	if err != nil {
		return "", err
	}
	m := New(ctx, nil, 0, !unicodeTerminal(os.Getenv))
	m.overview, m.known, m.width = o, true, width
	return m.Once(), nil
}

// unicodeTerminal reports whether the locale is one of UTF-8 and the terminal more than a teletype. Without any locale, as
// over some ssh, it is taken to be.
func unicodeTerminal(env func(string) string) bool {
	if env("TERM") == "dumb" || env("TERM") == "linux" {
		return false
	}
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToUpper(env(name)); value != "" {
			return strings.Contains(value, "UTF-8") || strings.Contains(value, "UTF8")
		}
	}
	return true
}
