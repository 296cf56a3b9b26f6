package relay

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"

	"weir/cache"
)

// format is the first byte of every entry. It is raised when entries of one version cannot be read by another.
const format = 1

// field is the one field of an entry in Redis.
const field = "e"

// header is what every entry begins with: by it a consumer sees whether the entry is the one that follows on the last.
type header struct {
	// incarnation is a random number. Another one means that what was published before says nothing about what comes.
	incarnation uint64
	// n counts the entries of an incarnation, from 1.
	n uint64
	// from and to are where the changes before the entry end, and those in it.
	from, to cache.Seq
}

// sum is of everything behind it.
const sumAt, bodyAt = 1, 9

// appendEntry encodes an entry of these records.
func appendEntry(b []byte, h header, records []byte) []byte {
	start := len(b)
	b = append(b, format)
	b = append(b, make([]byte, bodyAt-sumAt)...)
	b = binary.LittleEndian.AppendUint64(b, h.incarnation)
	for _, v := range [...]uint64{h.n, uint64(h.from), uint64(h.to)} {
		b = binary.AppendUvarint(b, v)
	}
	b = append(b, records...)
	binary.LittleEndian.PutUint64(b[start+sumAt:], xxh3.Hash(b[start+bodyAt:]))
	return b
}

// decodeEntry reads an entry. Nobody is trusted to have kept it as it was: an entry with a bit that has turned is none.
func decodeEntry(b []byte) (header, []record, error) {
	if len(b) < bodyAt || b[0] != format || binary.LittleEndian.Uint64(b[sumAt:]) != xxh3.Hash(b[bodyAt:]) {
		return header{}, nil, errUnreadable
	}
	r := &reader{b: b[bodyAt:]}
	h := header{incarnation: r.fixed64(), n: r.uvarint(), from: cache.Seq(r.uvarint()), to: cache.Seq(r.uvarint())}
	var records []record
	for len(r.b) > 0 {
		records = append(records, r.record())
	}
	if r.failed {
		return header{}, nil, errUnreadable
	}
	return h, records, nil
}

// place is an entry's id in Redis: base tells the incarnations apart, and is larger with each.
type place struct{ base, n uint64 }

func (p place) String() string { return fmt.Sprintf("%d-%d", p.base, p.n) }

func parsePlace(id string) (p place, err error) {
	if _, err := fmt.Sscanf(id, "%d-%d", &p.base, &p.n); err != nil {
		return p, fmt.Errorf("the id %q of an entry is not one of Redis: %w", id, err)
	}
	return p, nil
}
