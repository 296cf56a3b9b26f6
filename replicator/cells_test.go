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
