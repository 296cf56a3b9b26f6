package gtid

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// String gives the set as the server would print it, in one line: streams sorted, for MySQL the tags of a UUID after
// its untagged numbers. Equal sets give equal text, but for the server ids of MariaDB, which are no part of the set.
func (s *Set) String() string {
	if s.flavor == MariaDB {
		return s.mariaDBText()
	}
	return s.mysqlText()
}

func (s *Set) mariaDBText() string {
	var b []byte
	for _, at := range s.sorted() {
		b = appendComma(b)
		b = appendMariaDB(b, at.domain, s.streams[at].server, s.streams[at].last())
	}
	return string(b)
}

func (s *Set) mysqlText() string {
	var b []byte
	var before stream
	for i, at := range s.sorted() {
		if i == 0 || at.uuid != before.uuid {
			b = appendUUID(appendComma(b), at.uuid)
		}
		b = appendTag(b, at.tag)
		for _, v := range s.streams[at].numbers {
			b = appendInterval(append(b, ':'), v)
		}
		before = at
	}
	return string(b)
}

func (s *Set) sorted() []stream {
	return slices.SortedFunc(maps.Keys(s.streams), func(a, b stream) int {
		return cmp.Or(
			bytes.Compare(a.uuid[:], b.uuid[:]),
			cmp.Compare(a.tag, b.tag),
			cmp.Compare(a.domain, b.domain),
		)
	})
}

func appendInterval(b []byte, v interval) []byte {
	b = strconv.AppendUint(b, v.first, 10)
	if v.last > v.first {
		b = strconv.AppendUint(append(b, '-'), v.last, 10)
	}
	return b
}

func appendComma(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	return b
}
