package daemon

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// step is one statement as MariaDB's client has recorded it, and what came of it: the lines up to the next one.
type step struct {
	statement string
	answer    []string
}

// stepsOf takes what the client has recorded apart, given the statements that were asked. The client writes their text with
// the delimiter, and what it hides it hides on both sides.
func stepsOf(recorded []byte, texts map[string]bool) (all []step) {
	begins := map[string]bool{}
	for text := range texts {
		first, _, _ := strings.Cut(text, "\n")
		begins[strings.TrimSpace(first)] = true
	}
	all = []step{{statement: "(begin)"}}
	for line := range strings.Lines(string(recorded)) {
		line = strings.TrimSuffix(line, "\n")
		if text := strings.TrimSpace(strings.TrimRight(line, ";|/ ")); text != "" && (begins[text] || begins[strings.TrimSpace(line)]) {
			all = append(all, step{statement: text})
			continue
		}
		last := &all[len(all)-1]
		last.answer = append(last.answer, line)
	}
	return all
}

// cacheDifference is what one statement has brought at the server, and through Weir.
type cacheDifference struct {
	after           string // the last statement before that did more than ask what the cache has counted
	what            string // the statement, or the counter
	native, through string
}

func (d cacheDifference) fields() []string { return []string{d.after, d.what, d.native, d.through} }

// cacheDifferences compares step by step. Counters are compared by what was added since the file has last asked for them, or it
// would say after every statement that there was one hit less at the beginning.
func cacheDifferences(t *testing.T, native, through []step) (all []cacheDifference) {
	t.Helper()
	a, b := tallies{}, tallies{}
	after := ""
	for i := range min(len(native), len(through)) {
		if native[i].statement != through[i].statement {
			t.Fatalf("statement %d is %q at the server and %q through Weir", i, native[i].statement, through[i].statement)
		}
		text := native[i].statement
		asks := showsCounters.MatchString(text)
		if !asks {
			after = text
		}
		if flushesStatus.MatchString(text) {
			clear(a)
			clear(b)
		}
		all = append(all, compareAnswers(short(after), short(text), a.changes(native[i].answer), b.changes(through[i].answer))...)
	}
	if len(native) != len(through) {
		t.Errorf("there are %d statements at the server, and %d through Weir", len(native), len(through))
	}
	return all
}

var (
	showsCounters = regexp.MustCompile(`(?i)^show\s+(global\s+|session\s+)?status\b`)
	flushesStatus = regexp.MustCompile(`(?i)^flush\s+(global\s+)?status\b`)
	counterLine   = regexp.MustCompile(`^(Qcache_(?:hits|inserts|not_cached|lowmem_prunes))\t(\d+)$`)
	gaugeLine     = regexp.MustCompile(`^(Qcache_\w+)\t(.*)$`)
)

// compareAnswers gives counters each a difference of its own, and what is left one.
func compareAnswers(after, what string, native, through []string) (all []cacheDifference) {
	if len(native) == len(through) {
		for i, line := range native {
			m, n := gaugeLine.FindStringSubmatch(line), gaugeLine.FindStringSubmatch(through[i])
			if line != through[i] && m != nil && n != nil {
				all = append(all, cacheDifference{after, m[1], m[2], n[2]})
				through[i] = line
			}
		}
	}
	for len(native) > 0 && len(through) > 0 && native[0] == through[0] {
		native, through = native[1:], through[1:]
	}
	for len(native) > 0 && len(through) > 0 && native[len(native)-1] == through[len(through)-1] {
		native, through = native[:len(native)-1], through[:len(through)-1]
	}
	if len(native)+len(through) > 0 {
		all = append(all, cacheDifference{after, what, short(strings.Join(native, " / ")), short(strings.Join(through, " / "))})
	}
	return all
}

// short is what the list has of a long text. Columns are parted with tabs, and so are the list's own.
func short(text string) string {
	text = strings.NewReplacer("\t", "·", "\x00", "?").Replace(strings.ToValidUTF8(text, "?"))
	if len(text) > 120 {
		text = strings.ToValidUTF8(text[:120], "") + "…"
	}
	return text
}

// tallies are the counters as they were last seen.
type tallies map[string]int

// changes returns an answer in which counters say what was added.
func (t tallies) changes(answer []string) (all []string) {
	for _, line := range answer {
		if m := counterLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			line = fmt.Sprintf("%s\t%+d", m[1], n-t[m[1]])
			t[m[1]] = n
		}
		all = append(all, line)
	}
	return all
}
