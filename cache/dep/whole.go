package dep

import (
	"encoding/binary"
	"math"
)

func wholeCode(name string) byte {
	return map[string]byte{
		"tinyint": codeTiny, "smallint": codeShort, "mediumint": codeInt24, "int": codeLong, "bigint": codeLongLong,
	}[name]
}

// appendWhole encodes an integer by its sign and magnitude, whatever the width and sign of its type.
func appendWhole(dst []byte, magnitude uint64, negative bool) []byte {
	sign := byte('+')
	if negative && magnitude != 0 {
		sign = '-'
	}
	return binary.LittleEndian.AppendUint64(append(dst, sign), magnitude)
}

// WholeOf returns the literal for an integer of 1, 2, 3, 4 or 8 bytes, the low one first, as row events and parameters have
// it; false for another number of bytes.
func WholeOf(raw []byte, unsigned bool) (Literal, bool) {
	magnitude, negative, ok := wholeImage(raw, unsigned)
	return Literal{Kind: WholeLiteral, Magnitude: magnitude, Negative: negative}, ok
}

// wholeImage reads an integer of 1, 2, 3, 4 or 8 bytes, the low one first.
func wholeImage(raw []byte, unsigned bool) (magnitude uint64, negative, ok bool) {
	switch len(raw) {
	case 1, 2, 3, 4, 8:
	default:
		return 0, false, false
	}
	var v uint64
	for i, b := range raw {
		v |= uint64(b) << (8 * i)
	}
	if unsigned {
		return v, false, true
	}
	free := 64 - 8*len(raw)
	signed := int64(v<<free) >> free
	if signed < 0 {
		return -uint64(signed), true, true
	}
	return uint64(signed), false, true
}

// wholePosition puts integers in order: as they are if the type is unsigned, else with the sign bit turned over.
func wholePosition(magnitude uint64, negative, unsigned bool) uint64 {
	switch {
	case unsigned && negative:
		return 0
	case unsigned:
		return magnitude
	case negative:
		return (1 << 63) - min(magnitude, 1<<63)
	}
	return (1 << 63) + min(magnitude, math.MaxInt64)
}
