package top

import (
	"strings"

	"weir/cmd/weir/status"
)

// levels are the heights of a point, from none to the highest.
var (
	blocks = []rune(" ▁▂▃▄▅▆▇█")
	marks  = []rune(" .:-=+*#@")
)

// spark draws the newest points into so many columns, the highest in sight as high as can be; nothing where a figure is
// not known. A figure of zero has the lowest mark, so that it is told from one that is not there.
func spark(points []status.Figure, columns int, ascii bool) string {
	levels := blocks
	if ascii {
		levels = marks
	}
	points = points[max(len(points)-columns, 0):]
	top := status.Figure(0)
	for _, p := range points {
		if p.Known() {
			top = max(top, p)
		}
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", max(columns-len(points), 0)))
	for _, p := range points {
		b.WriteRune(levels[height(p, top, len(levels)-1)])
	}
	return b.String()
}

func height(p, top status.Figure, highest int) int {
	switch {
	case !p.Known() || p < 0:
		return 0
	case top == 0:
		return 1
	}
	return max(1, int(p/top*status.Figure(highest)))
}
