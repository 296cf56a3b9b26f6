package top

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// clean makes a text that came from a client safe and one line: what a terminal would take for a command is a blank.
func clean(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)), " ")
}

// column is one of a list. Right says that it is flush right, as numbers are.
type column struct {
	title string
	right bool
}

// grid lays rows out in columns as wide as they need. The last column takes what is left of the width.
func grid(columns []column, rows [][]string, width int, tail string) (head string, lines []string) {
	wide := make([]int, len(columns))
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i], wide[i] = c.title, ansi.StringWidth(c.title)
		for _, r := range rows {
			wide[i] = max(wide[i], min(ansi.StringWidth(r[i]), width/2))
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i, c := range columns {
			b.WriteString("  ")
			b.WriteString(cell(cells[i], wide[i], c.right, i == len(columns)-1, tail))
		}
		return fit(strings.TrimRight(b.String(), " "), width, tail)
	}
	for _, r := range rows {
		lines = append(lines, line(r))
	}
	return line(titles), lines
}

// cell pads or cuts a text to a width; the last one of a line is left as it is.
func cell(text string, wide int, right, last bool, tail string) string {
	if last {
		return text
	}
	text = ansi.Truncate(text, wide, tail)
	pad := strings.Repeat(" ", wide-ansi.StringWidth(text))
	if right {
		return pad + text
	}
	return text + pad
}

// fit cuts a line that is too long.
func fit(line string, width int, tail string) string { return ansi.Truncate(line, width, tail) }
