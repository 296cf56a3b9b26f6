package daemon

import (
	endian "encoding/binary" // there is a type named binary
	"math"

	"weir/proxy/wire"
)

// param is a parameter of a prepared statement, as it travels.
type param struct {
	kind     wire.Type
	unsigned bool
	value    []byte // encoded; nil is NULL
}

func longlongParam(v int64) param {
	return param{kind: wire.TypeLongLong, value: endian.LittleEndian.AppendUint64(nil, uint64(v))}
}

func ulonglongParam(v uint64) param {
	return param{kind: wire.TypeLongLong, unsigned: true, value: endian.LittleEndian.AppendUint64(nil, v)}
}

func longParam(v int32) param {
	return param{kind: wire.TypeLong, value: endian.LittleEndian.AppendUint32(nil, uint32(v))}
}

func shortParam(v int16) param {
	return param{kind: wire.TypeShort, value: endian.LittleEndian.AppendUint16(nil, uint16(v))}
}

func tinyParam(v int8) param { return param{kind: wire.TypeTiny, value: []byte{byte(v)}} }

func utinyParam(v uint8) param { return param{kind: wire.TypeTiny, unsigned: true, value: []byte{v}} }

func doubleParam(v float64) param {
	return param{kind: wire.TypeDouble, value: endian.LittleEndian.AppendUint64(nil, math.Float64bits(v))}
}

func floatParam(v float32) param {
	return param{kind: wire.TypeFloat, value: endian.LittleEndian.AppendUint32(nil, math.Float32bits(v))}
}

// textParam is a parameter of one of the types that travel as a length and bytes.
func textParam(kind wire.Type, v string) param {
	return param{kind: kind, value: wire.AppendLenencString(nil, v)}
}

func varcharParam(v string) param { return textParam(wire.TypeVarString, v) }

// nullParam keeps the type that a client says even of NULL.
func nullParam(kind wire.Type) param { return param{kind: kind} }

// momentParam is a DATE, DATETIME or TIMESTAMP in 0, 4, 7 or 11 bytes, as far as its parts go: year, month, day, hour,
// minute, second, microsecond.
func momentParam(kind wire.Type, parts ...int) param {
	b := []byte{0}
	for i, p := range parts {
		switch i {
		case 0:
			b = endian.LittleEndian.AppendUint16(b, uint16(p))
		case 6:
			b = endian.LittleEndian.AppendUint32(b, uint32(p))
		default:
			b = append(b, byte(p))
		}
	}
	b[0] = byte(len(b) - 1)
	return param{kind: kind, value: b}
}

// durationParam is a TIME in 0, 8 or 12 bytes: sign, days, hours, minutes, seconds, microseconds.
func durationParam(parts ...int) param {
	b := []byte{0}
	for i, p := range parts {
		if i == 1 || i == 5 {
			b = endian.LittleEndian.AppendUint32(b, uint32(p))
			continue
		}
		b = append(b, byte(p))
	}
	b[0] = byte(len(b) - 1)
	return param{kind: wire.TypeTime, value: b}
}

// executeArgs are the arguments of COM_STMT_EXECUTE. Without bound the types are left out: those said before hold.
func executeArgs(id uint32, flags byte, params []param, bound bool) []byte {
	b := endian.LittleEndian.AppendUint32(nil, id)
	b = endian.LittleEndian.AppendUint32(append(b, flags), 1)
	if len(params) == 0 {
		return b
	}
	nulls := make([]byte, (len(params)+7)/8)
	var types, values []byte
	for i, p := range params {
		sign := byte(0)
		if p.unsigned {
			sign = 0x80
		}
		types = append(types, byte(p.kind), sign)
		if p.value == nil {
			nulls[i/8] |= 1 << (i % 8)
		}
		values = append(values, p.value...)
	}
	b = append(b, nulls...)
	if !bound {
		return append(append(b, 0), values...)
	}
	return append(append(append(b, 1), types...), values...)
}
