package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	explaining "weir/proxy/explain"
)

const (
	width  = 80
	indent = 18 // of values
)

// Print writes an explanation for people, no wider than 80 columns but for words that are, with colours or without.
func Print(out io.Writer, e *explaining.Explanation, color bool) error {
	w := bufio.NewWriter(out)
	before := ""
	for i, item := range e.Items() {
		name := item.Name
		if name == before {
			name = "" // of several tables
		}
		before = item.Name
		lines := wrap(item.Value, width-indent)
		if i == 0 {
			lines[0] = paint(lines[0], shade(e.Verdict), color)
		}
		for j, line := range lines {
			if j > 0 {
				name = ""
			}
			fmt.Fprintf(w, "%s%s\n", paint(fmt.Sprintf("%-*s", indent, name), bold, color && name != ""), line)
		}
	}
	return w.Flush()
}

const (
	bold   = "1"
	green  = "32"
	yellow = "33"
	red    = "31"
)

func shade(v explaining.Verdict) string {
	switch v {
	case explaining.Cached, explaining.Storable:
		return green
	case explaining.NotNow:
		return yellow
	}
	return red
}

func paint(s, code string, on bool) string {
	if !on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// wrap breaks a text between words, at least one line.
func wrap(text string, width int) (lines []string) {
	line, text := "", printable(text)
	for word := range strings.SplitSeq(text, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// printable keeps what a literal may have for a terminal out of it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
