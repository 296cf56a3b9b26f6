package replicator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/cache/dep"
)

// TestCells: which tags of single columns of rows are touched, by the value in column a. a=5 stands for the rows that
// have it, a=5.b for column b of them.
func TestCells(t *testing.T) {
	r := ints(7, "t", 3)
	byA := []dep.Want{{Column: "a", Interest: dep.InCell}, {Column: "b", Interest: dep.InChange}}
	null := []byte{1, 6, 0, 0, 0, 7, 0, 0, 0} // NULL, 6, 7
	updates := func(images ...[]byte) *replication.BinlogEvent { return r.event(update, r.full(update), images...) }
	for _, c := range []struct {
		name  string
		event *replication.BinlogEvent
		wants []dep.Want
		want  string
	}{
		{"an insert", r.event(write, r.full(write), image(5, 6, 7)), byA, "a=5"},
		{"a delete", r.event(erase, r.full(erase), image(5, 6, 7)), byA, "a=5"},
		{"an update of a column that counts", updates(image(5, 6, 7), image(5, 8, 7)), byA, "a=5.b"},
		{"of one that does not", updates(image(5, 6, 7), image(5, 6, 8)), byA, ""},
		{"of both", updates(image(5, 6, 7), image(5, 8, 9)), byA, "a=5.b"},
		{"of the key", updates(image(5, 6, 7), image(4, 6, 7)), byA, "a=4 a=5"},
		{"of the key and a column", updates(image(5, 6, 7), image(4, 8, 7)), byA, "a=4 a=4.b a=5 a=5.b"},
		{"from NULL", updates(null, image(5, 6, 7)), byA, "a=5"},
		{"to NULL", updates(image(5, 6, 7), null), byA, "a=5"},
		{"of a column where the key is NULL", updates(null, []byte{1, 8, 0, 0, 0, 7, 0, 0, 0}), byA, ""},
		{"two keys", updates(image(5, 6, 7), image(5, 6, 8)), []dep.Want{
			{Column: "a", Interest: dep.InCell}, {Column: "b", Interest: dep.InCell}, {Column: "c", Interest: dep.InChange},
		}, "a=5.c b=6.c"},
		{
			"MINIMAL: the columns that changed are logged after it alone",
			r.event(update, []byte{1, 2}, image(5), image(8)), byA, "a=5.b",
		},
		{"MINIMAL: the key is not logged", r.event(update, []byte{4, 2}, image(7), image(8)), byA, "WHOLE"},
		{"the key is not logged before, and is after", r.event(update, []byte{6, 7}, image(6, 7), image(5, 6, 7)), byA, "WHOLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newRawWorld(t, gomysql.MySQLFlavor)
			w.follow(r, c.wants...)
			w.send(r.mapped(), c.event)
			tx := w.open()
			got := cellsOf(tx.Tags)
			if len(tx.Tables) > 0 {
				got = "WHOLE"
			}
			if got != c.want {
				t.Errorf("touched %q, want %q", got, c.want)
			}
		})
	}
}

// cellsOf names the tags of shop.t, in order. Others are not named.
func cellsOf(tags []cache.Tag) string {
	n := dep.Fold("shop", "t")
	whole := dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})
	var names []string
	for _, key := range []string{"a", "b"} {
		for v := range uint64(10) {
			value, _ := whole.AppendLiteral(nil, dep.Literal{Kind: dep.WholeLiteral, Magnitude: v})
			for _, column := range []string{"a", "b", "c"} {
				if slices.Contains(tags, n.CellKey(key, column).Row(value)) {
					names = append(names, strings.TrimSuffix(fmt.Sprintf("%s=%d.%s", key, v, column), "."+key))
				}
			}
		}
	}
	return strings.Join(names, " ")
}

// TestPitfall18TextsThatCannotBeCompared: a value of which the encoding is not known may be equal to any that results ask
// for, by value or for single columns; and the table is told by its rows all the same.
func TestPitfall18TextsThatCannotBeCompared(t *testing.T) {
	n := dep.Fold("shop", "t")
	text := dep.TypeOf(dep.Described{DataType: "varchar", ColumnType: "varchar(20)", Charset: "utf8mb4", Collation: "utf8mb4_uca1400_ai_ci", MariaDB: true})
	if !text.Partial() {
		t.Fatal("all texts of the type can be compared; the test shows nothing")
	}
	r := rawTable{id: 7, name: "t", fields: []dep.Field{{Code: gomysql.MYSQL_TYPE_LONG}, {Code: gomysql.MYSQL_TYPE_VARCHAR, Meta: 80}}}
	for _, c := range []struct {
		text     string
		interest dep.Interest
		want     cache.Tag
	}{
		{"é", dep.InValue, n.RowKey("s").Unread()},
		{"é", dep.InCell, n.CellKey("s", "s").Unread()},
		{"abc", dep.InValue, rowOf(t, &text, n.RowKey("s"), "ABC")},
		{"abc", dep.InCell, rowOf(t, &text, n.CellKey("s", "s"), "ABC")},
	} {
		w := newRawWorld(t, gomysql.MySQLFlavor)
		w.follow(r, dep.Want{Column: "s", Interest: c.interest})
		w.schema.set(n, dep.NewShape([]dep.Column{{Name: "id", Type: shapeOfInts(1).Columns[0].Type}, {Name: "s", Type: text}}, nil))
		row := append(image(5), byte(len(c.text)))
		w.send(r.mapped(), r.event(write, r.full(write), append(row, c.text...)))
		if tx := w.open(); len(tx.Tables) > 0 || !slices.Equal(tx.Tags, []cache.Tag{c.want}) {
			t.Errorf("%s, interest %d: tables %v, tags %v; want %v alone", c.text, c.interest, tx.Tables, tx.Tags, c.want)
		}
	}
}

func rowOf(t *testing.T, typ *dep.Type, k dep.RowKey, text string) cache.Tag {
	t.Helper()
	b, ok := typ.AppendLiteral(nil, dep.Literal{Kind: dep.TextLiteral, Text: text})
	if !ok {
		t.Fatalf("%s has no encoding", text)
	}
	return k.Row(b)
}
