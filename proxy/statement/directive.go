package statement

import (
	"strconv"
	"strings"
	"time"
)

// Directives are what a text asks of the cache in comments /* weir: ... */ in front of it or directly behind its first
// word. Several stand in one comment, or in several, separated by commas or blanks. A comment inside of quotes, or
// inside of a comment with code, is none.
//
//	max_staleness=200ms   a cached answer must be complete as of a moment no longer ago; units ns, us, ms, s, m, h
//	nocache               the answer is neither taken from the cache nor kept
//
// What is not understood, and a comment in another place, makes the statement not cacheable for the reason [Directive]:
// whoever wrote it meant something.
type Directives struct {
	// Given says that there is one that changes how the answer is looked up. Such texts have keys of their own, since
	// whoever looks up a plain key has read no directive.
	Given bool
	// MaxStaleness is the bound, if Given. It is above zero: a bound of zero is the same as nocache.
	MaxStaleness time.Duration
}

// directives are being read.
type directives struct {
	Directives
	refused string // why nothing is cached; empty if it may be
}

// readDirectives reads the directives of a text as the client sent it.
func readDirectives(sql string, mode lexMode) (d directives) {
	if !containsFold(sql, "weir:") {
		return d
	}
	l := newLexer(sql, mode)
	l.watch = true
	words := 0
	for t := l.next(); ; t = l.next() {
		for _, comment := range l.plain {
			d.comment(comment, words < 2)
		}
		l.plain = l.plain[:0]
		if t.kind == endToken {
			return d
		}
		words++
	}
}

// comment takes one comment in; inPlace says whether it stands where directives do.
func (d *directives) comment(comment string, inPlace bool) {
	body := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/"))
	if len(body) < len("weir:") || !strings.EqualFold(body[:len("weir:")], "weir:") {
		return
	}
	items := strings.FieldsFunc(body[len("weir:"):], func(r rune) bool { return r == ',' || r < 0x80 && isSpace(byte(r)) })
	switch {
	case !inPlace:
		d.refuse("a directive must stand before the statement or behind its first word")
	case len(items) == 0:
		d.refuse("there is nothing behind weir:")
	}
	for _, item := range items {
		d.item(item)
	}
}

func (d *directives) refuse(why string) {
	if d.refused == "" {
		d.refused = why
	}
}

func (d *directives) item(item string) {
	name, value, _ := strings.Cut(item, "=")
	switch {
	case strings.EqualFold(item, "nocache"):
		d.refuse("nocache")
	case strings.EqualFold(name, "max_staleness"):
		d.maxStaleness(item, value)
	default:
		d.refuse("unknown directive " + strconv.Quote(item))
	}
}

// maxStaleness takes a bound in. The smallest of several counts.
func (d *directives) maxStaleness(item, value string) {
	bound, err := time.ParseDuration(value)
	switch {
	case err != nil || bound < 0:
		d.refuse("not a duration such as 200ms: " + strconv.Quote(item))
	case bound == 0:
		d.refuse("max_staleness=0")
	case !d.Given || bound < d.MaxStaleness:
		d.Given, d.MaxStaleness = true, bound
	}
}

// containsFold tells whether the text contains a word of ASCII, in any case. It allocates nothing.
func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
