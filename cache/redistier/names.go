package redistier

import (
	"encoding/hex"
	"strconv"

	"github.com/zeebo/xxh3"
)

// names makes the names of Redis keys. A name holds hashes only: that it is another key's or another source's with the same
// hash shows in the value, which has both in full.
type names struct {
	namespace string
	seed      uint64 // by the dialect, so that two of them do not take each other's values away
}

func newNames(namespace, dialect string) names {
	return names{namespace, xxh3.HashString(dialect)}
}

// value is namespace:source:key, with 64 and 128 bits of hash.
func (n names) value(source string, key []byte) string {
	h := xxh3.Hash128Seed(key, n.seed).Bytes()
	b := make([]byte, 0, len(n.namespace)+2+16+32)
	b = append(n.of(b, source), ':')
	return string(hex.AppendEncode(b, h[:]))
}

// notes is namespace:source:notes:name, a Redis hash.
func (n names) notes(source, name string) string {
	return string(n.of(nil, source)) + ":notes:" + name
}

// probe is never written.
func (n names) probe() string { return n.namespace + ":probe" }

func (n names) of(b []byte, source string) []byte {
	b = append(append(b, n.namespace...), ':')
	h := xxh3.HashString(source)
	for bits := 60; bits >= 0; bits -= 4 {
		b = strconv.AppendUint(b, h>>bits&15, 16)
	}
	return b
}
