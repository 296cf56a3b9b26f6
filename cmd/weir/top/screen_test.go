package top

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"weir/cmd/weir/status"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func model(width, height int, keys ...string) Model {
	m := New(context.Background(), nil, 0, false)
	m.overview, m.known, m.width, m.height = sample(), true, width, height
	for _, k := range keys {
		next, _ := m.key(k)
		m = next.(Model)
	}
	return m
}

// TestScreens: the screens are those of testdata, fit into the terminal, and have nothing in them that a client of Weir
// could have put there to command the terminal.
func TestScreens(t *testing.T) {
	ascii, lost, first, broken := model(80, 24), model(80, 24), model(80, 24), model(80, 24)
	ascii.ASCII = true
	lost.err = errors.New("no Weir answers at http://127.0.0.1:9307: connection refused; start one with weir serve")
	first.known = false
	broken.overview.State = status.State{Word: "broken", Sentence: "The binlog stream is broken: connection refused."}
	broken.overview.Source.Connected = false
	for name, m := range map[string]Model{
		"overview-80x24": model(80, 24), "overview-120x40": model(120, 40), "overview-60x18": model(60, 18), "overview-ascii": ascii,
		"statements": model(80, 24, "2"), "statements-by-p99": model(80, 24, "2", "s", "s", "s", "s"), "tables": model(80, 24, "tab", "tab"),
		"servers": model(80, 24, "4"), "ddl": model(80, 24, "shift+tab"), "keys": model(80, 24, "?"), "held": model(80, 24, "space"),
		"lost": lost, "first": first, "broken": broken, "scrolled": model(80, 9, "2", "j", "j", "j", "j"),
	} {
		t.Run(name, func(t *testing.T) {
			got := m.screen(plain)
			golden(t, name, got+"\n")
			fits(t, m, got)
			if coloured := ansi.Strip(m.screen(colours)); coloured != got {
				t.Errorf("without its colours the screen is another one:\n%s", coloured)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the screen is\n%s\nwant\n%s", got, want)
	}
}

func fits(t *testing.T, m Model, screen string) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	if len(lines) != m.height {
		t.Errorf("it has %d lines, want %d", len(lines), m.height)
	}
	for _, line := range lines {
		if ansi.StringWidth(line) > m.width {
			t.Errorf("%q is wider than %d", line, m.width)
		}
	}
	if strings.ContainsAny(screen, "\x1b\x07\u202e\r\t") {
		t.Error("there are control characters on it")
	}
}

// TestSmallScreens: whatever the size, nothing breaks, and nothing is wider or longer.
func TestSmallScreens(t *testing.T) {
	for width := 1; width < 100; width += 7 {
		for height := 1; height < 40; height += 3 {
			for v := range views {
				m := model(width, height)
				m.view = v
				fits(t, m, m.screen(plain))
			}
		}
	}
}

// TestOnce: for scripts the overview is plain text, and all of it.
func TestOnce(t *testing.T) {
	m := model(100, 24)
	golden(t, "once", m.Once())
}

// TestTake: an answer that fails keeps the last figures on the screen, as old ones; a paused screen takes no new ones.
func TestTake(t *testing.T) {
	m := model(80, 24)
	m = m.take(fetched{err: errors.New("gone")})
	if m.err == nil || m.overview.Clients != 1204 {
		t.Errorf("after a failure the figures are %d and the error %v", m.overview.Clients, m.err)
	}
	m = m.take(fetched{overview: status.Overview{Clients: 1}})
	if m.err != nil || m.overview.Clients != 1 {
		t.Errorf("after an answer the figures are %d and the error %v", m.overview.Clients, m.err)
	}
	m.paused = true
	if m = m.take(fetched{overview: status.Overview{Clients: 2}}); m.overview.Clients != 1 {
		t.Error("a paused screen changes")
	}
}

// TestQuit: q and Ctrl-C leave.
func TestQuit(t *testing.T) {
	for _, k := range []string{"q", "ctrl+c"} {
		if _, cmd := model(80, 24).key(k); cmd == nil {
			t.Errorf("%s does not leave", k)
		} else if _, quits := cmd().(tea.QuitMsg); !quits {
			t.Errorf("%s does not leave", k)
		}
	}
}

// TestSpark: unknown is nothing, zero is the lowest mark, and only what is in sight decides the height.
func TestSpark(t *testing.T) {
	nan := status.Unknown()
	for _, c := range []struct {
		points []status.Figure
		want   string
	}{
		{nil, "    "},
		{[]status.Figure{nan, 0, 1, 2}, " ▁▄█"},
		{[]status.Figure{100, 0, 0, 0, 0}, "▁▁▁▁"},
		{[]status.Figure{1}, "   █"},
	} {
		if got := spark(c.points, 4, false); got != c.want {
			t.Errorf("%v are drawn as %q, want %q", c.points, got, c.want)
		}
	}
	if got := spark([]status.Figure{0, 4, 8}, 3, true); got != ".=@" {
		t.Errorf("in ASCII it is %q", got)
	}
}
