package redistier

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"weir/cache"
)

// unreadable says why what Redis had is not a value for the key; empty if it is. It is the label of
// weir_redis_unreadable_total.
type unreadable string

const (
	readable       unreadable = ""
	badMagic       unreadable = "not_a_value"
	badLayout      unreadable = "layout"     // of another version of Weir, or with flags that this one does not know
	badLength      unreadable = "length"     // cut off, or the lengths in it do not add up
	badSum         unreadable = "checksum"   // changed since it was written
	tooLarge       unreadable = "too_large"  // it says that it has more than this Weir takes
	badCompression unreadable = "compressed" // it cannot be unpacked, or not to the length that it says
	otherKey       unreadable = "other_key"  // another key, dialect or source with the same hash
	notAString     unreadable = "wrong_type" // another kind of Redis value
	ahead          unreadable = "ahead"      // read at a moment that is still to come, by this machine's clock
)

// allUnreadable are the reasons.
var allUnreadable = [...]unreadable{badMagic, badLayout, badLength, badSum, tooLarge, badCompression, otherKey, notAString, ahead}

// parse takes a value apart. It allocates the tags and nothing else, and believes no length before it has been added up.
func (c *codec) parse(b []byte) (value, unreadable) {
	if len(b) < headerSize+sumSize || string(b[:4]) != magic {
		return value{}, badMagic
	}
	if b[4] != layout || b[5]&^knownFlags != 0 {
		return value{}, badLayout
	}
	h := readHeader(b)
	if h.total() != uint64(len(b)) {
		return value{}, badLength
	}
	if h.tooLarge(c.maxValue) {
		return value{}, tooLarge
	}
	body, sum := b[:len(b)-sumSize], binary.BigEndian.Uint64(b[len(b)-sumSize:])
	if xxh3.Hash(body) != sum {
		return value{}, badSum
	}
	if b[5]&flagCompressed == 0 && h.wire != h.stored {
		return value{}, badLength
	}
	return h.split(body), readable
}

// header has the lengths that the first bytes give, as numbers that can be added without a thought of overflow.
type header struct {
	dialect, source, tags, key, wire, stored uint64
}

func readHeader(b []byte) header {
	short := func(at int) uint64 { return uint64(binary.BigEndian.Uint16(b[at:])) }
	long := func(at int) uint64 { return uint64(binary.BigEndian.Uint32(b[at:])) }
	return header{dialect: short(6), source: short(8), tags: short(10), key: long(32), wire: long(36), stored: long(40)}
}

func (h header) total() uint64 {
	return headerSize + h.dialect + h.source + 8*h.tags + h.key + h.stored + sumSize
}

func (h header) tooLarge(maxValue int64) bool {
	return h.dialect > maxName || h.source > maxName || h.tags > maxTags || h.key > maxKey || h.wire > uint64(maxValue)
}

// split cuts the body where the header says, which has been added up.
func (h header) split(b []byte) value {
	rest := b[headerSize:]
	next := func(n uint64) (part []byte) {
		part, rest = rest[:n:n], rest[n:]
		return part
	}
	v := value{flags: b[5], dialect: next(h.dialect), wireLen: int(h.wire)}
	v.place = cache.Place{
		Source: string(next(h.source)),
		Begun:  binary.BigEndian.Uint32(b[12:]),
		Seq:    cache.Seq(binary.BigEndian.Uint64(b[16:])),
	}
	v.read = int64(binary.BigEndian.Uint64(b[24:]))
	v.tags = make([]cache.Tag, h.tags)
	for i := range v.tags {
		v.tags[i] = cache.Tag(binary.BigEndian.Uint64(next(8)))
	}
	v.key, v.stored = next(h.key), next(h.stored)
	return v
}
