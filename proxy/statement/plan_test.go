package statement

import (
	"slices"
	"testing"

	"weir/cache"
	"weir/cache/dep"
)

// dependencies returns the dependencies of a statement of the schema in testdata/depend.
func dependencies(t *testing.T, sql string) []dep.Dependency {
	t.Helper()
	st := NewAnalyzer().Analyze(sql, Env{Schema: "shop", UTF8: true, Catalog: readShapes(t)})
	if !st.Cacheable {
		t.Fatalf("%s: %s %s", sql, st.Reason, st.Detail)
	}
	return st.Plan.Dependencies(st.Constants(nil))
}

// TestPlanTags: the tags of a plan are those that a change touches, and what it wants watched is what touches them.
func TestPlanTags(t *testing.T) {
	orders, items := dep.Fold("shop", "orders"), dep.Fold("shop", "items")
	row := func(k dep.RowKey, whole uint64) cache.Tag {
		typ := dep.TypeOf(dep.Described{DataType: "bigint", ColumnType: "bigint"})
		b, ok := typ.AppendLiteral(nil, dep.Literal{Kind: dep.WholeLiteral, Magnitude: whole})
		if !ok {
			t.Fatalf("no encoding of %d", whole)
		}
		return k.Row(b)
	}
	value := func(c string) dep.Want { return dep.Want{Column: c, Interest: dep.InValue} }
	change := func(c string) dep.Want { return dep.Want{Column: c, Interest: dep.InChange} }
	tests := []struct {
		sql  string
		want []dep.Dependency
	}{
		{"SELECT * FROM orders WHERE id IN (5, 6)", []dep.Dependency{{
			Table: orders, Grain: dep.ByRow,
			Tags:  []cache.Tag{row(orders.RowKey("id"), 5), row(orders.RowKey("id"), 6)},
			Wants: []dep.Want{value("id")},
		}}},
		{"SELECT * FROM orders o JOIN items i ON i.order_id = o.id WHERE o.id = 5", []dep.Dependency{
			{Table: orders, Grain: dep.ByRow, Tags: []cache.Tag{row(orders.RowKey("id"), 5)}, Wants: []dep.Want{value("id")}},
			{Table: items, Grain: dep.ByRow, Tags: []cache.Tag{row(items.RowKey("order_id"), 5)}, Wants: []dep.Want{value("order_id")}},
		}},
		{"SELECT * FROM orders WHERE id BETWEEN 0 AND 100 OR customer_id = 7", []dep.Dependency{{
			Table: orders, Grain: dep.ByRange,
			Tags: []cache.Tag{
				orders.RowKey("id").Bucket(dep.BucketOf(1<<63, 0)), orders.RowKey("id").Bucket(dep.BucketOf(1<<63+64, 0)),
				row(orders.RowKey("customer_id"), 7),
			},
			Wants: []dep.Want{{Column: "id", Interest: dep.InRange}, value("customer_id")},
		}}},
		{"SELECT number FROM orders", []dep.Dependency{{
			Table: orders, Grain: dep.ByColumns,
			Tags:  []cache.Tag{orders.Rowset(), orders.Column("id"), orders.Column("number")},
			Wants: []dep.Want{change(""), change("id"), change("number")},
		}}},
		{"SELECT * FROM orders", []dep.Dependency{{Table: orders}}},
	}
	for _, tt := range tests {
		got := dependencies(t, tt.sql)
		if !slices.EqualFunc(got, tt.want, sameDependency) {
			t.Errorf("%s\n got  %v\n want %v", tt.sql, got, tt.want)
		}
	}
}

func sameDependency(a, b dep.Dependency) bool {
	return a.Table == b.Table && a.Grain == b.Grain && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Wants, b.Wants)
}

// TestReading: what people are told.
func TestReading(t *testing.T) {
	catalog := readShapes(t)
	for sql, want := range map[string]string{
		"SELECT * FROM orders WHERE id IN (5, 6)":          "shop.orders: rows with id = 5 or id = 6",
		"SELECT * FROM orders WHERE id BETWEEN 1 AND 9":    "shop.orders: rows with id from 1 to 9",
		"SELECT number FROM orders":                        "shop.orders: rows inserted or deleted, and changes to id, number",
		"SELECT COUNT(*) FROM log":                         "shop.log: rows inserted or deleted",
		"SELECT * FROM orders":                             "shop.orders: any change, since all its columns are read with *",
		"SELECT id FROM customers WHERE name = 'O\\'Hara'": "shop.customers: rows with name = 'O''Hara', and of them id, name",
	} {
		st := NewAnalyzer().Analyze(sql, Env{Schema: "shop", UTF8: true, Catalog: catalog})
		if got := st.Plan.Describe(st.Constants(nil))[0].String(); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// FuzzDepends checks on any text that the plan has an entry for each table, in their order, that finer grains have tags and
// wants, and that what is said to people agrees; and that without values no row is told from another.
func FuzzDepends(f *testing.F) {
	for _, c := range allCases(f) {
		f.Add(c.sql)
	}
	a, catalog := NewAnalyzer(), readShapes(f)
	f.Fuzz(func(t *testing.T, sql string) {
		st := a.Analyze(sql, Env{Schema: "shop", UTF8: true, Catalog: catalog})
		if !st.Cacheable {
			return
		}
		values := st.Constants(nil)
		all, told := st.Plan.Dependencies(values), st.Plan.Describe(values)
		if len(all) != len(st.Tables) || len(told) != len(st.Tables) {
			t.Fatalf("%q reads %v, depends on %v", sql, st.Tables, all)
		}
		for i, d := range all {
			if d.Table != st.Tables[i] || told[i].Grain != d.Grain || (d.Grain == dep.ByTable) != (told[i].Why != "") {
				t.Errorf("%q: %v, said to be %v", sql, d, told[i])
			}
			if (d.Grain == dep.ByTable) != (len(d.Tags) == 0) || (d.Grain == dep.ByTable) != (len(d.Wants) == 0) {
				t.Errorf("%q: %s has %d tags and wants %v", sql, d.Grain, len(d.Tags), d.Wants)
			}
		}
		for _, d := range st.Plan.Dependencies(nil) {
			if d.Grain > dep.ByColumns {
				t.Errorf("%q: %v, without values", sql, d)
			}
		}
	})
}
