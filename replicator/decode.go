package replicator

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/go-mysql-org/go-mysql/replication"
)

// decoder turns raw events into go-mysql's. The syncer runs in raw mode and this stands behind it, because an event
// that cannot be decoded must not end the stream: it has to touch everything, and the next one is read.
type decoder struct {
	parser *replication.BinlogParser
	// checksums says that every event ends with a checksum. The parser leaves it in an event's RawData.
	checksums bool
}

func newDecoder(flavor string) *decoder {
	d := &decoder{parser: replication.NewBinlogParser()}
	d.parser.SetFlavor(flavor)
	d.parser.SetRowsEventDecodeFunc(decodeRowsHeader)
	d.parser.SetTableMapOptionalMetaDecodeFunc(func([]byte) error { return nil })
	return d
}

// decodeRowsHeader reads which table a rows event is about and leaves the rows alone. An event for a table without a
// table map has a nil Table.
func decodeRowsHeader(e *replication.RowsEvent, data []byte) error {
	if _, err := e.DecodeHeader(data); err != nil && e.Table != nil {
		return err
	}
	return nil
}

// decode returns an error for what go-mysql cannot read, also where it panics.
func (d *decoder) decode(raw *replication.BinlogEvent) (e *replication.BinlogEvent, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decode %s: %v", raw.Header.EventType, r)
		}
	}()
	e, err = d.parser.Parse(raw.RawData)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", raw.Header.EventType, cause(err))
	}
	if format, ok := e.Event.(*replication.FormatDescriptionEvent); ok {
		d.checksums = format.ChecksumAlgorithm == replication.BINLOG_CHECKSUM_ALG_CRC32
	}
	d.trim(e)
	repair(e)
	return e, nil
}

// repair sets table maps right, those in a transaction payload too.
func repair(e *replication.BinlogEvent) {
	switch of := e.Event.(type) {
	case *replication.TableMapEvent:
		repairMeta(of, e.RawData)
	case *replication.TransactionPayloadEvent:
		for _, inner := range of.Events {
			repair(inner)
		}
	}
}

// trim takes the checksum off the events that are read from their RawData, where it would look like code, or like rows.
// The events in a transaction payload have none, and do not come here.
func (d *decoder) trim(e *replication.BinlogEvent) {
	n := len(e.RawData) - replication.BinlogChecksumLength
	if !d.checksums || n < 0 {
		return
	}
	_, rows := e.Event.(*replication.RowsEvent)
	if rows || e.Header.EventType == replication.EXECUTE_LOAD_QUERY_EVENT {
		e.RawData = e.RawData[:n]
	}
}

// loadStatement finds schema and text in an Execute_load_query event, the last of those that LOAD DATA leaves under
// binlog_format=STATEMENT. go-mysql reads only its fixed part.
func loadStatement(raw []byte) (schema, sql string, ok bool) {
	const fixed = replication.EventHeaderSize + 13 + 13
	if len(raw) < fixed {
		return "", "", false
	}
	schemaLen := int(raw[replication.EventHeaderSize+8])
	varsLen := int(binary.LittleEndian.Uint16(raw[replication.EventHeaderSize+11:]))
	rest := raw[fixed:]
	if len(rest) < varsLen+schemaLen+1 || rest[varsLen+schemaLen] != 0 {
		return "", "", false
	}
	rest = rest[varsLen:]
	return string(rest[:schemaLen]), string(bytes.TrimRight(rest[schemaLen+1:], "\x00")), true
}
