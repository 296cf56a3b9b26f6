package redistier

import "github.com/klauspost/compress/s2"

// codec turns entries into values and back, for one dialect.
type codec struct {
	dialect      string
	maxValue     int64
	compressOver int64
}

func newCodec(dialect string, maxValue, compressOver int64) *codec {
	return &codec{dialect[:min(len(dialect), maxName)], maxValue, compressOver}
}

// pack compresses what is large, unless that gains less than an eighth: whoever finds it has to unpack it. S2 gains less than
// others do, but is unpacked in a fraction of the time that Redis takes to send as much.
func (c *codec) pack(wire []byte) (stored []byte, flags byte) {
	if c.compressOver == 0 || int64(len(wire)) <= c.compressOver {
		return wire, 0
	}
	packed := s2.Encode(nil, wire)
	if len(packed) > len(wire)-len(wire)/8 {
		return wire, 0
	}
	return packed, flagCompressed
}

// unpack returns the packets. It makes room for as many bytes as the value says, which are no more than MaxValue, and never
// for more, whatever comes out.
func (c *codec) unpack(v value) ([]byte, unreadable) {
	if v.flags&flagCompressed == 0 {
		return v.stored, readable
	}
	if n, err := s2.DecodedLen(v.stored); err != nil || n != v.wireLen {
		return nil, badCompression
	}
	wire, err := s2.Decode(make([]byte, v.wireLen), v.stored)
	if err != nil || len(wire) != v.wireLen {
		return nil, badCompression
	}
	return wire, readable
}
