package gtid

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
)

// uuidLength is that of a UUID in text, with its dashes.
const uuidLength = 36

// maxTagLength is the longest tag that MySQL accepts, in bytes.
const maxTagLength = 32

// maxGNO is the largest number of a MySQL transaction: GNO_END, one past it, is the largest int64.
const maxGNO = math.MaxInt64 - 1

// parseMySQL reads uuid:interval..., where a tag stands before the intervals that belong to it.
func parseMySQL(s *Set, item string) error {
	name, rest, more := strings.Cut(item, ":")
	uuid, err := parseUUID(strings.TrimSpace(name))
	if err != nil {
		return err
	}
	if !more {
		return fmt.Errorf("no interval after UUID %s", name)
	}
	p := mysqlItem{set: s, at: stream{uuid: uuid}}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, ":")
		if err := p.next(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	return p.end()
}

// mysqlItem gathers the intervals of one stream after the other. They are put into the set one stream at a time: a
// set with many gaps would otherwise pay a map access for each.
type mysqlItem struct {
	set     *Set
	at      stream
	numbers intervals
}

// next reads a tag or an interval.
func (p *mysqlItem) next(part string) error {
	if part == "" {
		return errors.New("an interval is missing")
	}
	if part[0] >= '0' && part[0] <= '9' {
		v, err := parseInterval(part)
		if err != nil {
			return err
		}
		p.numbers = p.numbers.add(v)
		return nil
	}
	return p.nextTag(strings.ToLower(part))
}

func (p *mysqlItem) nextTag(tag string) error {
	if !isTag(tag) {
		return fmt.Errorf("%q is neither an interval nor a tag", tag)
	}
	// A tag may come first, right after the UUID; after another tag it leaves that one without intervals.
	if len(p.numbers) > 0 || p.at.tag != "" {
		if err := p.end(); err != nil {
			return err
		}
	}
	p.at.tag, p.numbers = tag, nil
	return nil
}

// end puts what was gathered into the set.
func (p *mysqlItem) end() error {
	if len(p.numbers) == 0 {
		return fmt.Errorf("no interval after tag %q", p.at.tag)
	}
	have, known := p.set.streams[p.at]
	if !known {
		p.set.streams[p.at] = run{numbers: p.numbers}
		return nil
	}
	for _, v := range p.numbers {
		have.numbers = have.numbers.add(v)
	}
	p.set.streams[p.at] = have
	return nil
}

func parseInterval(part string) (interval, error) {
	from, to, isRange := strings.Cut(part, "-")
	first, err := parseNumber(strings.TrimSpace(from), 63)
	if err != nil {
		return interval{}, fmt.Errorf("interval %q: %w", part, err)
	}
	last := first
	if isRange {
		if last, err = parseNumber(strings.TrimSpace(to), 63); err != nil {
			return interval{}, fmt.Errorf("interval %q: %w", part, err)
		}
	}
	if first < 1 || last < first || last > maxGNO {
		return interval{}, fmt.Errorf("interval %q does not lie in 1-%d", part, uint64(maxGNO))
	}
	return interval{first, last}, nil
}

// isTag reports whether a lower-cased text is a tag: a letter or underscore, then also digits.
func isTag(tag string) bool {
	for i, c := range []byte(tag) {
		letter := c >= 'a' && c <= 'z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(tag) > 0 && len(tag) <= maxTagLength
}

func parseUUID(text string) (uuid [16]byte, err error) {
	if len(text) != uuidLength {
		return uuid, fmt.Errorf("%.40q is not a UUID", text)
	}
	at := 0
	for i, group := range uuidGroups {
		if i > 0 {
			if text[at] != '-' {
				return uuid, fmt.Errorf("%q is not a UUID", text)
			}
			at++
		}
		end := at + 2*(group.to-group.from)
		if _, err := hex.Decode(uuid[group.from:group.to], []byte(text[at:end])); err != nil {
			return uuid, fmt.Errorf("%q is not a UUID", text)
		}
		at = end
	}
	return uuid, nil
}
