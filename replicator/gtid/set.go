package gtid

import "maps"

// Set is a set of transactions of one flavour. Like a map it may be used from many goroutines to read, or from one to
// change.
type Set struct {
	flavor  Flavor
	streams map[stream]run
}

// stream is where transactions are numbered: a UUID and tag of MySQL, a domain of MariaDB.
type stream struct {
	uuid   [16]byte
	tag    string
	domain uint32
}

// run is what a set has of one stream, never empty.
type run struct {
	numbers intervals
	// server wrote the last transaction of a MariaDB domain. It is only printed.
	server uint32
}

// New returns an empty set.
func New(flavor Flavor) *Set {
	return &Set{flavor: flavor, streams: map[stream]run{}}
}

// Flavor tells whose transactions the set can hold.
func (s *Set) Flavor() Flavor { return s.flavor }

// IsEmpty reports that the set has no transaction.
func (s *Set) IsEmpty() bool { return len(s.streams) == 0 }

// Contains reports whether g is in the set. The zero GTID is in none. On MariaDB g is in the position if the domain
// has come to its number, whatever server wrote it; the package comment says when that is sound.
func (s *Set) Contains(g GTID) bool {
	return g.Flavor == s.flavor && g.Number > 0 &&
		s.streams[streamOf(g)].numbers.cover(interval{g.Number, g.Number})
}

// Covers reports whether every transaction of o is in the set. Each set covers an empty one.
func (s *Set) Covers(o *Set) bool {
	if s.flavor != o.flavor {
		return o.IsEmpty()
	}
	for at, r := range o.streams {
		if !s.streams[at].coversAll(r.numbers) {
			return false
		}
	}
	return true
}

// Add puts g into the set, on MariaDB with everything before it in its domain. The zero GTID and one of the other
// flavour change nothing.
func (s *Set) Add(g GTID) {
	if g.Flavor != s.flavor || g.Number == 0 {
		return
	}
	first := g.Number
	if s.flavor == MariaDB {
		first = 1
	}
	s.add(streamOf(g), interval{first, g.Number}, g.Server)
}

// Union puts every transaction of o into the set. One of the other flavour changes nothing.
func (s *Set) Union(o *Set) {
	if s.flavor != o.flavor {
		return
	}
	for at, r := range o.streams {
		for _, v := range r.numbers {
			s.add(at, v, r.server)
		}
	}
}

// Clone returns a copy that shares nothing with the set.
func (s *Set) Clone() *Set {
	c := &Set{flavor: s.flavor, streams: maps.Clone(s.streams)}
	for at, r := range c.streams {
		r.numbers = append(intervals(nil), r.numbers...)
		c.streams[at] = r
	}
	return c
}

// add puts numbers into a stream. On MariaDB the server is that of whichever last transaction is later.
func (s *Set) add(at stream, v interval, server uint32) {
	r := s.streams[at]
	if v.last > r.last() {
		r.server = server
	}
	r.numbers = r.numbers.add(v)
	s.streams[at] = r
}

func (r run) coversAll(numbers intervals) bool {
	for _, v := range numbers {
		if !r.numbers.cover(v) {
			return false
		}
	}
	return true
}

// last returns the largest number, 0 if there is none.
func (r run) last() uint64 {
	if len(r.numbers) == 0 {
		return 0
	}
	return r.numbers[len(r.numbers)-1].last
}

func streamOf(g GTID) stream {
	return stream{uuid: g.UUID, tag: g.Tag, domain: g.Domain}
}
