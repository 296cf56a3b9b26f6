package proxy

import (
	"strings"

	"weir/proxy/querycache"
	"weir/proxy/wire"
)

// interleaving puts rows of two columns, name and value, into a server's result by the order of the names. Rows of the
// server's with names of the query cache are left out.
type interleaving struct {
	own    []querycache.Row
	binary bool
	out    []byte
	seq    uint8
}

// all reads a whole result set: the number of columns, their definitions, EOF, the rows, EOF.
func (in *interleaving) all(b []byte) error {
	_, rest, err := skipDefinitions(b)
	if err != nil {
		return err
	}
	if err := in.copyPackets(b[:len(b)-len(rest)]); err != nil {
		return err
	}
	for {
		raw, after, err := wire.Split(rest)
		if err != nil {
			return err
		}
		if len(after) == 0 { // EOF
			in.before("")
			in.packet(wire.Payload(raw[wire.HeaderSize:]))
			return nil
		}
		row, err := in.decode(raw[wire.HeaderSize:])
		if err != nil {
			return err
		}
		if !querycache.Owns(row.Name) {
			in.before(row.Name)
			in.packet(wire.Payload(raw[wire.HeaderSize:]))
		}
		rest = after
	}
}

// rows reads the rows of a result set.
func (in *interleaving) rows(b []byte) (rows []querycache.Row, err error) {
	_, rest, err := skipDefinitions(b)
	for err == nil {
		var raw, after []byte
		if raw, after, err = wire.Split(rest); err != nil || len(after) == 0 {
			break
		}
		var row querycache.Row
		row, err = in.decode(raw[wire.HeaderSize:])
		rows, rest = append(rows, row), after
	}
	return rows, err
}

// before writes the rows that belong before a name; all that are left if it is empty.
func (in *interleaving) before(name string) {
	for len(in.own) > 0 && (name == "" || strings.ToLower(in.own[0].Name) < strings.ToLower(name)) {
		row := wire.Row{[]byte(in.own[0].Name), []byte(in.own[0].Value)}
		if in.binary {
			in.packet(wire.Payload(row.Append([]byte{0, 0}))) // a zero byte, and a bitmap of no NULLs
		} else {
			in.packet(row)
		}
		in.own = in.own[1:]
	}
}

// decode reads a row. In the binary protocol two strings look like in the text protocol, behind a zero byte and the bitmap.
func (in *interleaving) decode(payload []byte) (row querycache.Row, err error) {
	if in.binary && len(payload) >= 2 {
		payload = payload[2:]
	}
	values, err := wire.DecodeRow(nil, payload, 2)
	if err != nil {
		return row, err
	}
	return querycache.Row{Name: string(values[0]), Value: string(values[1])}, nil
}

func (in *interleaving) copyPackets(b []byte) error {
	for len(b) > 0 {
		raw, after, err := wire.Split(b)
		if err != nil {
			return err
		}
		in.packet(wire.Payload(raw[wire.HeaderSize:]))
		b = after
	}
	return nil
}

func (in *interleaving) packet(m wire.Message) { in.out, in.seq = wire.AppendPacket(in.out, in.seq, m) }
