package redistier

import (
	"github.com/klauspost/compress/zstd"
)

// codec turns entries into values and back, for one dialect.
type codec struct {
	dialect      string
	maxValue     int64
	compressOver int64
	encoder      *zstd.Encoder
	decoder      *zstd.Decoder
}

// newCodec: both halves of zstd are used for whole buffers only, by many at once, and have no goroutines then. Values have a
// checksum of their own.
func newCodec(dialect string, maxValue, compressOver int64) *codec {
	dialect = dialect[:min(len(dialect), maxName)]
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(writers))
	if err != nil {
		panic(err) // the options are constants
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(max(maxValue, 1))), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // as above, and MaxValue has been validated
	}
	return &codec{dialect: dialect, maxValue: maxValue, compressOver: compressOver, encoder: encoder, decoder: decoder}
}

func (c *codec) close() {
	_ = c.encoder.Close()
	c.decoder.Close()
}

// pack compresses what is large, unless that gains less than an eighth: whoever finds it has to unpack it.
func (c *codec) pack(wire []byte) (stored []byte, flags byte) {
	if c.compressOver == 0 || int64(len(wire)) <= c.compressOver {
		return wire, 0
	}
	packed := c.encoder.EncodeAll(wire, nil)
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
	var frame zstd.Header
	if frame.Decode(v.stored) != nil || !frame.HasFCS || frame.FrameContentSize != uint64(v.wireLen) {
		return nil, badCompression
	}
	wire, err := c.decoder.DecodeAll(v.stored, make([]byte, 0, v.wireLen))
	if err != nil || len(wire) != v.wireLen {
		return nil, badCompression
	}
	return wire, readable
}
