package replicator

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
)

// rawTable is a table as its events describe it.
type rawTable struct {
	id     byte
	name   string
	fields []dep.Field
}

func (r rawTable) mapped() *replication.BinlogEvent {
	b := []byte{r.id, 0, 0, 0, 0, 0, 1, 0, 4}
	b = append(b, "shop\x00"...)
	b = append(b, byte(len(r.name)))
	b = append(append(b, r.name...), 0, byte(len(r.fields)))
	var meta []byte
	for _, f := range r.fields {
		b = append(b, f.Code)
		switch n := metaSize(f.Code); {
		case n == 1:
			meta = append(meta, byte(f.Meta))
		case n == 2 && (f.Code == gomysql.MYSQL_TYPE_STRING || f.Code == gomysql.MYSQL_TYPE_NEWDECIMAL):
			meta = binary.BigEndian.AppendUint16(meta, f.Meta)
		case n == 2:
			meta = binary.LittleEndian.AppendUint16(meta, f.Meta)
		}
	}
	b = append(append(b, byte(len(meta))), meta...)
	return rawEvent(replication.TABLE_MAP_EVENT, 0, append(b, make([]byte, (len(r.fields)+7)/8)...))
}

// event has the images behind each other; bitmaps say what they log.
func (r rawTable) event(kind replication.EventType, bitmaps []byte, images ...[]byte) *replication.BinlogEvent {
	b := []byte{r.id, 0, 0, 0, 0, 0, 1, 0} // the end of a statement
	switch kind {
	case replication.WRITE_ROWS_EVENTv2, replication.UPDATE_ROWS_EVENTv2, replication.DELETE_ROWS_EVENTv2, replication.PARTIAL_UPDATE_ROWS_EVENT:
		b = append(b, 2, 0) // no extra data
	}
	b = append(append(b, byte(len(r.fields))), bitmaps...)
	return rawEvent(kind, 0, append(b, bytes.Join(images, nil)...))
}

// full is the bitmaps of a full row image, before and after.
func (r rawTable) full(kind replication.EventType) []byte {
	all := make([]byte, (len(r.fields)+7)/8)
	for i := range r.fields {
		all[i/8] |= 1 << (i % 8)
	}
	if k, _ := kindOf(kind); k == updated {
		return append(all, all...)
	}
	return all
}

// ints is a table of INT columns, named a, b, c and so on.
func ints(id byte, name string, columns int) rawTable {
	r := rawTable{id: id, name: name}
	for range columns {
		r.fields = append(r.fields, dep.Field{Code: gomysql.MYSQL_TYPE_LONG})
	}
	return r
}

// image of INT columns without NULL.
func image(values ...uint32) []byte {
	b := make([]byte, (len(values)+7)/8)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func shapeOfInts(columns int) *dep.Shape {
	var all []dep.Column
	for i := range columns {
		all = append(all, dep.Column{Name: string(rune('a' + i)), Type: dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})})
	}
	return dep.NewShape(all, nil)
}

// rawWorld is a stream without a server: raw events in, transactions out.
type rawWorld struct {
	t      testing.TB
	ledger *cache.Ledger
	watch  *dep.Watch
	schema *fixedSchema
	counts toldCounters
	tagged dictionary

	decoder   *decoder
	assembler *assembler
}

func newRawWorld(t testing.TB, flavor string) *rawWorld {
	l := cache.NewLedger(1 << 10)
	l.Restart(1)
	w := &rawWorld{t: t, ledger: l, watch: dep.NewWatch(l), schema: newFixedSchema(), counts: newToldCounters(nil), tagged: dictionary{}}
	w.decoder = newDecoder(flavor)
	w.assembler = &assembler{unknown: func(replication.EventType, string) {}, teller: newTeller(&Precision{Watch: w.watch, Schema: w.schema}, w.counts)}
	version := "9.7.4"
	if flavor == gomysql.MariaDBFlavor {
		version = "10.11.19-MariaDB-log"
	}
	w.send(rawEvent(replication.FORMAT_DESCRIPTION_EVENT, 0, formatBody(version)))
	w.take(rotate("bin.000001", 4))
	return w
}

// send decodes raw events and returns the transactions that they complete.
func (w *rawWorld) send(events ...*replication.BinlogEvent) (all []*change.Transaction) {
	w.t.Helper()
	for _, raw := range events {
		e, err := w.decoder.decode(raw)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, w.take(e)...)
	}
	return all
}

func (w *rawWorld) take(e *replication.BinlogEvent) []*change.Transaction {
	w.t.Helper()
	done, err := w.assembler.event(e)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

// open is the group so far.
func (w *rawWorld) open() *change.Transaction { return w.assembler.open() }

// follow gives the schema a table of INT columns and takes up interests.
func (w *rawWorld) follow(r rawTable, wants ...dep.Want) {
	n := dep.Fold("shop", r.name)
	w.schema.set(n, shapeOfInts(len(r.fields)))
	if len(wants) > 0 {
		w.watch.Want(n, wants)
		w.tagged.learn(n, wants)
	}
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	b.Write([]byte{0x84, byte(len(data) >> 24), byte(len(data) >> 16), byte(len(data) >> 8), byte(len(data))})
	z := zlib.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}
