package replicator

import (
	"encoding/binary"
	"slices"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/cache/dep"
)

// FuzzRows: whatever stands in an event with rows, the table is told by them or touched as a whole; and where go-mysql's
// own decoder finds values in the watched column, their tags are touched, or the table is.
func FuzzRows(f *testing.F) {
	for _, kind := range []replication.EventType{write, update, erase, replication.UPDATE_ROWS_EVENTv1, replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, replication.PARTIAL_UPDATE_ROWS_EVENT} {
		f.Add(byte(kind), []byte{}, []byte{1}, image(5))
		f.Add(byte(kind), []byte{}, []byte{1, 1}, append(image(5), image(6)...))
		f.Add(byte(kind), []byte{gomysql.MYSQL_TYPE_VARCHAR, 0, 200}, []byte{3}, append([]byte{0, 2, 'a', 'b'}, image(5)[1:]...))
		f.Add(byte(kind), []byte{gomysql.MYSQL_TYPE_NEWDECIMAL, 10, 3}, []byte{3, 3}, []byte{1, 5, 0, 0, 0, 1, 6, 0, 0, 0})
		f.Add(byte(kind), []byte{gomysql.MYSQL_TYPE_STRING, 0xfe, 4, gomysql.MYSQL_TYPE_BLOB, 0, 2}, []byte{7}, append([]byte{0, 1, 'x', 2, 0, 'y', 'z'}, image(5)[1:]...))
	}
	f.Add(byte(replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1), []byte{}, []byte{1}, deflate(image(5)))
	f.Fuzz(func(t *testing.T, kind byte, fields, bitmaps, data []byte) {
		r := rawTable{id: 7, name: "t"}
		for f := range slices.Chunk(fields[:len(fields)-len(fields)%3], 3) {
			r.fields = append(r.fields, dep.Field{Code: f[0], Meta: binary.BigEndian.Uint16(f[1:])})
		}
		r.fields = append(r.fields[:min(len(r.fields), 20)], dep.Field{Code: gomysql.MYSQL_TYPE_LONG})
		w := newRawWorld(t, gomysql.MySQLFlavor)
		n := dep.Fold("shop", "t")
		w.schema.set(n, opaqueThenInt(len(r.fields)))
		w.watch.Want(n, []dep.Want{{Column: "z", Interest: dep.InValue}, {Column: "z", Interest: dep.InRange}})
		mapped, err := w.decoder.decode(r.mapped())
		if err != nil {
			return
		}
		w.take(mapped)
		raw, err := w.decoder.decode(r.event(replication.EventType(kind), bitmaps, data))
		if err != nil {
			return
		}
		rows, ok := raw.Event.(*replication.RowsEvent)
		if !ok || rows.Table == nil {
			return
		}
		w.take(raw)
		tx := w.open()
		if slices.Contains(tx.Tables, n) {
			return
		}
		if !slices.Contains(tx.Rows, n) {
			t.Fatal("the event touches nothing")
		}
		for _, v := range referenceValues(rows, raw.RawData) {
			if !slices.Contains(tx.Tags, tagOfZ(n, v)) {
				t.Fatalf("the row with %d is not touched", v)
			}
		}
	})
}

func opaqueThenInt(columns int) *dep.Shape {
	all := make([]dep.Column, columns)
	for i := range all {
		all[i].Name = string(rune('a' + i))
	}
	all[columns-1] = dep.Column{Name: "z", Type: dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})}
	return dep.NewShape(all, nil)
}

// referenceValues lets go-mysql decode all of it, and returns the last column's values; none if it cannot.
func referenceValues(e *replication.RowsEvent, raw []byte) (all []int32) {
	defer func() {
		if recover() != nil {
			all = nil
		}
	}()
	if err := e.Decode(raw[replication.EventHeaderSize:]); err != nil {
		return nil
	}
	for _, row := range e.Rows {
		if v, ok := row[len(row)-1].(int32); ok {
			all = append(all, v)
		}
	}
	return all
}

func tagOfZ(n dep.Name, v int32) cache.Tag {
	kind := dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})
	encoded, _ := kind.AppendImage(nil, binary.LittleEndian.AppendUint32(nil, uint32(v)), dep.Field{Code: gomysql.MYSQL_TYPE_LONG})
	return n.RowKey("z").Row(encoded)
}
