package gtid

// ForeignTo returns the UUID of a server of whose transactions s has some and o none, and whether there is one. Tags do
// not count. On MariaDB there is none: a new domain may begin at any time, on any server.
func (s *Set) ForeignTo(o *Set) (uuid string, foreign bool) {
	if s.flavor != MySQL {
		return "", false
	}
	known := map[[16]byte]bool{}
	for at := range o.streams {
		known[at.uuid] = true
	}
	for _, at := range s.sorted() {
		if !known[at.uuid] {
			return string(appendUUID(nil, at.uuid)), true
		}
	}
	return "", false
}
