package replicator

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"weir/cache/dep"
)

const (
	write   = replication.WRITE_ROWS_EVENTv2
	update  = replication.UPDATE_ROWS_EVENTv2
	erase   = replication.DELETE_ROWS_EVENTv2
	garbage = "\x00\x01\x02"
)

var valueOfA = dep.Want{Column: "a", Interest: dep.InValue}

// TestTeller: how each kind of event with rows is told, and why.
func TestTeller(t *testing.T) {
	r := ints(7, "t", 3)
	inserts := func(images ...[]byte) *replication.BinlogEvent { return r.event(write, r.full(write), images...) }
	floats := rawTable{id: 7, name: "t", fields: []dep.Field{{Code: gomysql.MYSQL_TYPE_LONG}, {Code: gomysql.MYSQL_TYPE_FLOAT, Meta: 4}, {Code: gomysql.MYSQL_TYPE_LONG}}}
	old := rawTable{id: 7, name: "t", fields: []dep.Field{{Code: gomysql.MYSQL_TYPE_LONG}, {Code: gomysql.MYSQL_TYPE_DATETIME}, {Code: gomysql.MYSQL_TYPE_LONG}}}
	cases := []struct {
		name   string
		table  rawTable
		event  *replication.BinlogEvent
		set    func(w *rawWorld)
		wants  []dep.Want
		want   string
		reason told
	}{
		{name: "watched", event: inserts(image(5, 6, 7), image(8, 9, 10)), wants: []dep.Want{valueOfA}, want: "t: a=5 a=8"},
		{name: "watched by nobody: what would be rows is not looked at", event: inserts([]byte(garbage)), want: "t WHOLE", reason: unwatched},
		{name: "forgotten", event: inserts([]byte(garbage)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.watch.Forget(dep.Fold("shop", "t")) }, want: "t WHOLE", reason: unwatched},
		{name: "another number of columns", event: inserts([]byte(garbage)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.set(dep.Fold("shop", "t"), shapeOfInts(4)) }, want: "t WHOLE", reason: otherShape},
		{name: "another type", table: floats, event: floats.event(write, r.full(write), image(5, 6, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: otherShape},
		{name: "a type of unknown size", table: old, event: old.event(write, r.full(write), image(5, 6, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "no shape", event: inserts([]byte(garbage)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.set(dep.Fold("shop", "t"), nil) }, want: "t WHOLE", reason: otherShape},
		{name: "a column that is no more", event: inserts(image(5, 6, 7)), wants: []dep.Want{valueOfA, {Column: "gone", Interest: dep.InValue}}, want: "t: a=5"},
		{name: "ends within a row", event: inserts(image(5, 6, 7), image(8, 9, 10)[:11]), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "no rows", event: inserts(), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "rows without columns", event: r.event(write, []byte{0}), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "rows without columns, and something", event: r.event(write, []byte{0}, []byte(garbage)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "a value that is not logged", event: r.event(write, []byte{6}, image(6, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notLogged},
		{name: "a delete", event: r.event(erase, r.full(erase), image(5, 6, 7)), wants: []dep.Want{valueOfA, {Interest: dep.InChange}}, want: "t: +- a=5"},
		{name: "an update after which a column is not logged", event: r.event(update, []byte{7, 6}, image(5, 6, 7), image(8, 7)), wants: []dep.Want{valueOfA, {Column: "b", Interest: dep.InChange}, {Column: "c", Interest: dep.InChange}}, want: "t: a=5 b~"},
		{name: "an update before which it is not", event: r.event(update, []byte{6, 7}, image(6, 7), image(5, 6, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notLogged},
		{name: "as seen by change", event: r.event(update, []byte{6, 7}, image(6, 7), image(5, 6, 7)), wants: []dep.Want{{Column: "a", Interest: dep.InChange}, {Column: "b", Interest: dep.InChange}}, want: "t: a~"},
		{name: "not logged at all", event: r.event(update, []byte{6, 6}, image(6, 7), image(8, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notLogged},
		{name: "version 1, after which a column is not logged", event: r.event(replication.UPDATE_ROWS_EVENTv1, []byte{7, 6}, image(5, 6, 7), image(6, 7)), wants: []dep.Want{{Column: "a", Interest: dep.InChange}}, want: "t: a~"},
		{name: "version 1, and its value counts", event: r.event(replication.UPDATE_ROWS_EVENTv1, []byte{7, 6}, image(5, 6, 7), image(6, 7)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notLogged},
		{name: "Pitfall 9: partial JSON", event: r.event(replication.PARTIAL_UPDATE_ROWS_EVENT, r.full(update), []byte(garbage)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "Pitfall 10: compressed", event: r.event(replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, r.full(write), deflate(image(5, 6, 7))), wants: []dep.Want{valueOfA}, want: "t: a=5"},
		{name: "Pitfall 10: compressed, and longer than said", event: r.event(replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, r.full(write), bytes.Replace(deflate(image(5, 6, 7)), []byte{13}, []byte{12}, 1)), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "Pitfall 10: compressed, and too large to unpack", event: r.event(replication.MARIADB_WRITE_ROWS_COMPRESSED_EVENT_V1, r.full(write), []byte{0x84, 0xff, 0xff, 0xff, 0xff, 1}), wants: []dep.Want{valueOfA}, want: "t WHOLE", reason: notRead},
		{name: "a parent that nobody watches", event: inserts(image(5, 6, 7)), set: func(w *rawWorld) { w.schema.parent(dep.Fold("shop", "t"), []string{"a"}, dep.Fold("shop", "u")) }, want: "t: ?", reason: unwatched},
		{name: "its referenced column", event: r.event(update, r.full(update), image(5, 6, 7), image(4, 6, 7)), set: func(w *rawWorld) { w.schema.parent(dep.Fold("shop", "t"), []string{"a"}, dep.Fold("shop", "u")) }, want: "t WHOLE", reason: unwatched},
		{name: "a parent by columns that are not known", event: inserts(image(5, 6, 7)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.parent(dep.Fold("shop", "t"), nil, dep.Fold("shop", "u")) }, want: "t (children): a=5"},
		{name: "a parent by a column that it lacks", event: inserts(image(5, 6, 7)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.parent(dep.Fold("shop", "t"), []string{"z"}, dep.Fold("shop", "u")) }, want: "t WHOLE", reason: otherShape},
		{name: "a parent whose watched column is missing, but not its referenced one", event: r.event(update, []byte{6, 6}, image(6, 7), image(8, 7)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.parent(dep.Fold("shop", "t"), []string{"c"}, dep.Fold("shop", "u")) }, want: "t: !", reason: notLogged},
		{name: "while foreign keys are being changed", event: inserts(image(5, 6, 7)), wants: []dep.Want{valueOfA}, set: func(w *rawWorld) { w.schema.uncertain = true }, want: "t (children): a=5"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newRawWorld(t, gomysql.MySQLFlavor)
			w.follow(r, c.wants...)
			if c.set != nil {
				c.set(w)
			}
			table := r
			if c.table.fields != nil {
				table = c.table
			}
			w.send(table.mapped(), c.event)
			if got := w.tagged.show(w.open()); got != c.want {
				t.Errorf("touched %s, want %s", got, c.want)
			}
			if testutil.ToFloat64(w.counts[c.reason]) != 1 {
				t.Errorf("it is not counted as %v", c.reason.labels())
			}
		})
	}
}

// TestPitfall17TooManyTags: a transaction over millions of rows touches a table as a whole, once it is clear; its further
// rows are not looked at, and other tables are told by theirs.
func TestPitfall17TooManyTags(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	large, other := ints(7, "large", 1), ints(8, "other", 1)
	w.follow(large, valueOfA)
	w.follow(other, valueOfA)
	const rows = 1000
	all := many((maxTags/rows + 1) * rows)
	for images := range slices.Chunk(all, rows*len(image(0))) {
		w.send(large.mapped(), large.event(write, large.full(write), images))
		if got := len(w.open().Tags); got > maxTags {
			t.Fatalf("%d tags, the most is %d", got, maxTags)
		}
	}
	w.send(large.mapped(), large.event(write, large.full(write), []byte(garbage)))
	w.send(other.mapped(), other.event(write, other.full(write), image(5)))
	again := ints(9, "again", 1)
	w.follow(again, valueOfA)
	w.send(again.mapped(), again.event(write, again.full(write), append(many(maxTags+1), garbage...)))
	tx := w.open()
	if got := fmt.Sprint(tx.Tables, tx.Rows); got != "[shop.large shop.again] [shop.large shop.other]" {
		t.Errorf("tables as a whole, and by rows: %s", got)
	}
	if got := testutil.ToFloat64(w.counts[tooMany]); got != 3 {
		t.Errorf("%v events were too many, want 3: the one that was, the next, and one alone, whose end is not looked at", got)
	}
}

// many are images of n rows, all of them different.
func many(n int) (all []byte) {
	for i := range n {
		all = append(all, image(uint32(i))...)
	}
	return all
}

// TestPlansFollowWhatIsKnown: the same event, told as what is known changes.
func TestPlansFollowWhatIsKnown(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	r := ints(7, "t", 2)
	n := dep.Fold("shop", "t")
	w.follow(r)
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"nobody watches", func() {}, "t WHOLE"},
		{"a is watched", func() { w.follow(r, valueOfA) }, "t: a=5"},
		{"b too", func() { w.follow(r, dep.Want{Column: "b", Interest: dep.InValue}) }, "t: a=5 b=6"},
		{"the catalogue has other columns", func() { w.schema.set(n, shapeOfInts(1)) }, "t WHOLE"},
		{"so has the table", func() { r = ints(7, "t", 1) }, "t: a=5"},
		{"the id is another table's", func() { r = ints(7, "u", 1) }, "u WHOLE"},
		{"and again", func() { r = ints(7, "t", 1) }, "t: a=5"},
		{"the first of two columns has gone and come back behind the other", func() {
			r = ints(7, "t", 2)
			c := shapeOfInts(2).Columns
			w.schema.set(n, dep.NewShape([]dep.Column{c[1], c[0]}, nil))
		}, "t: a=6 b=5"},
	} {
		step.do()
		w.assembler.group = nil
		w.send(r.mapped(), r.event(write, r.full(write), image([]uint32{5, 6}[:len(r.fields)]...)))
		if got := w.tagged.show(w.open()); got != step.want {
			t.Errorf("%s: touched %s, want %s", step.name, got, step.want)
		}
	}
}

func TestManyTables(t *testing.T) {
	w := newRawWorld(t, gomysql.MySQLFlavor)
	r := ints(7, "t", 1)
	w.follow(r, valueOfA)
	for id := range 3 * maxPlans {
		w.assembler.teller.keep(uint64(id+1000), &plan{})
	}
	if got := len(w.assembler.teller.plans); got > maxPlans {
		t.Errorf("%d tables are remembered, the most is %d", got, maxPlans)
	}
	w.send(r.mapped(), r.event(write, r.full(write), image(5)))
	if got := w.tagged.show(w.open()); got != "t: a=5" {
		t.Errorf("touched %s", got)
	}
}

// Rows of the schema mysql that change without a statement are privileges edited by hand, watched or not.
func TestTellerKnowsTheServersOwnTables(t *testing.T) {
	for table, everything := range map[string]bool{"user": true, "gtid_slave_pos": false} {
		w := newRawWorld(t, gomysql.MySQLFlavor)
		w.take(rows(100, "mysql."+table))
		if got := w.open().Everything != ""; got != everything {
			t.Errorf("rows of mysql.%s touch everything: %v, want %v", table, got, everything)
		}
	}
}
