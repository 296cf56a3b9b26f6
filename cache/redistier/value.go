package redistier

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"weir/cache"
)

// A value is, in big-endian numbers:
//
//	magic    4   "weir"
//	version  1   of this layout
//	flags    1   versioned; compressed, with S2
//	dialect  2   its length
//	source   2   its length
//	tags     2   how many
//	begun    4   when the file of the place was begun, see [cache.Place]
//	seq      8   the place: the result contains every change up to there
//	read     8   milliseconds of the Unix time, by the clock of who read it from a server
//	key      4   its length
//	wire     4   the length of the packets
//	stored   4   the length of what is stored of them, compressed or not
//
// then the dialect, the source, the tags of 8 bytes each, the key, what is stored, and 8 bytes of xxh3 over all before. When
// it was read serves only to bound an entry's age: clocks of two machines are compared for nothing else.
const (
	magic      = "weir"
	layout     = 1
	headerSize = 44
	sumSize    = 8
)

const (
	flagVersioned  = 1 << 0
	flagCompressed = 1 << 1
	knownFlags     = flagVersioned | flagCompressed
)

// What a value may have at most, besides MaxValue of packets.
const (
	maxName = 1 << 10 // of a dialect, of a source
	maxTags = 1 << 12
	maxKey  = 1 << 18
)

// value is what Redis has for a key, taken apart and not yet unpacked. Its slices are of the bytes that it was read from.
type value struct {
	flags   byte
	dialect []byte
	place   cache.Place
	read    int64
	tags    []cache.Tag
	key     []byte
	wireLen int
	stored  []byte
}

// fits reports whether an entry can be written at all.
func (c *codec) fits(e *cache.Entry) bool {
	return int64(len(e.Wire())) <= c.maxValue && len(e.Key()) <= maxKey && len(e.Tags) <= maxTags
}

// maxStored is the size of the largest value that is written: packets that do not compress are stored as they are.
func (c *codec) maxStored() int64 {
	return headerSize + 2*maxName + 8*maxTags + maxKey + c.maxValue + sumSize
}

// encode appends the value for an entry to b. The entry has to fit.
func (c *codec) encode(b []byte, e *cache.Entry, place cache.Place, read int64) []byte {
	stored, flags := c.pack(e.Wire())
	if e.Versioned {
		flags |= flagVersioned
	}
	start := len(b)
	b = append(append(b, magic...), layout, flags)
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.dialect)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(place.Source)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(e.Tags)))
	b = binary.BigEndian.AppendUint32(b, place.Begun)
	b = binary.BigEndian.AppendUint64(b, uint64(place.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(read))
	b = binary.BigEndian.AppendUint32(b, uint32(len(e.Key())))
	b = binary.BigEndian.AppendUint32(b, uint32(len(e.Wire())))
	b = binary.BigEndian.AppendUint32(b, uint32(len(stored)))
	b = append(append(b, c.dialect...), place.Source...)
	for _, t := range e.Tags {
		b = binary.BigEndian.AppendUint64(b, uint64(t))
	}
	b = append(append(b, e.Key()...), stored...)
	return binary.BigEndian.AppendUint64(b, xxh3.Hash(b[start:]))
}
