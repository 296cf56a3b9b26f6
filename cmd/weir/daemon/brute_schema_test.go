package daemon

import (
	"fmt"
	"slices"
	"strings"

	"weir/deployments/sandbox"
)

// bruteColumn is a column of a table that a round makes.
type bruteColumn struct {
	name string
	bruteKind
	extra string // what follows the type
	fixed bool   // its value is computed, or is a key's that the server gives
}

// bruteTable is a table that a round makes. Every one has the columns id and k, which are small integers.
type bruteTable struct {
	name    string
	columns []bruteColumn
	clauses []string
	options string
	// unique says that id is its primary key: ORDER BY id is a total order.
	unique bool
}

const (
	bruteSchema = "brute"
	bruteOther  = "brute_other"
)

func (t bruteTable) create() string {
	var parts []string
	for _, c := range t.columns {
		parts = append(parts, c.name+" "+c.sql+" "+c.extra)
	}
	return "CREATE TABLE " + t.name + " (" + strings.Join(append(parts, t.clauses...), ", ") + ") " + t.options
}

// written are the columns that statements give values to.
func (t bruteTable) written() (all []bruteColumn) {
	for _, c := range t.columns {
		if !c.fixed {
			all = append(all, c)
		}
	}
	return all
}

func (t bruteTable) names() (all []string) {
	for _, c := range t.columns {
		all = append(all, c.name)
	}
	return all
}

// bruteMaker makes what a round consists of.
type bruteMaker struct {
	*maker
	kinds  []bruteKind
	tables []bruteTable
	// favourites are indexes of tables.
	favourites []int
	steps      []bruteStep // of a step in several parts, those to come
	dir        string      // where files for LOAD DATA are
}

// kind is one of the kinds, with a few of its values: the fewer they are, the more often a change hits a query.
func (m *bruteMaker) kind() bruteKind {
	k := m.kinds[m.IntN(len(m.kinds))]
	if k.text() && m.IntN(3) > 0 {
		k.values = k.values[:8] // which differ by case, accents, and spaces
		return k
	}
	k.values = m.some(7, k.values)
	return k
}

// table is one of the tables, and most often one of the few that a round is about.
func (m *bruteMaker) table() bruteTable {
	if m.IntN(5) > 0 {
		return m.tables[m.favourites[m.IntN(len(m.favourites))]]
	}
	return m.tables[m.IntN(len(m.tables))]
}

func (m *bruteMaker) named(name string) bruteTable {
	return m.tables[slices.IndexFunc(m.tables, func(t bruteTable) bool { return t.name == name })]
}

// idAndK are the columns that all tables have.
func (m *bruteMaker) idAndK(id string) []bruteColumn {
	k := integers("INT")
	k.values = k.values[:5]
	return []bruteColumn{{name: "id", bruteKind: m.idKind(id), extra: "NOT NULL"}, {name: "k", bruteKind: k}}
}

func (m *bruteMaker) idKind(sql string) bruteKind {
	for _, k := range bruteNumbers() {
		if k.sql == sql {
			k.values = append(k.values[:6:6], m.some(4, k.values[6:])...)
			return k
		}
	}
	return integers(sql)
}

// anyColumns are n columns of any kind, some generated, some invisible.
func (m *bruteMaker) anyColumns(n int) (all []bruteColumn) {
	for i := range n {
		c := bruteColumn{name: fmt.Sprintf("c%d", i+1), bruteKind: m.kind()}
		if strings.HasPrefix(c.sql, "TIMESTAMP") && m.IntN(2) == 0 {
			now := strings.TrimSuffix(strings.Replace(c.sql, "TIMESTAMP", "CURRENT_TIMESTAMP", 1), " NULL")
			c.extra = "DEFAULT " + now + " ON UPDATE " + now + " "
		}
		if m.IntN(8) == 0 {
			c.extra += "INVISIBLE"
		}
		all = append(all, c)
	}
	if m.IntN(2) == 0 {
		all = append(all, bruteColumn{name: "g", bruteKind: integers("INT"), extra: "GENERATED ALWAYS AS (k + 1) " + m.one("VIRTUAL", "STORED"), fixed: true})
	}
	return all
}

// keys are some keys over the columns.
func (m *bruteMaker) keys(columns []bruteColumn) (all []string) {
	for _, c := range columns {
		if c.bare || m.IntN(3) > 0 {
			continue
		}
		if c.prefix {
			all = append(all, "KEY ("+c.name+"(3))")
			continue
		}
		more := m.maybe(", k")
		if c.name == "k" {
			more = ""
		}
		all = append(all, m.one("KEY", "KEY", "KEY", "UNIQUE")+" ("+c.name+more+")")
	}
	return all
}

var idTypes = []string{"INT", "BIGINT", "INT UNSIGNED", "BIGINT UNSIGNED", "SMALLINT", "MEDIUMINT UNSIGNED", "TINYINT"}

// free is a table of any columns with one of several primary keys.
func (m *bruteMaker) free(name string) bruteTable {
	t := bruteTable{name: name, columns: append(m.idAndK(m.one(idTypes...)), m.anyColumns(2+m.IntN(4))...), options: "ENGINE=InnoDB" + m.charset()}
	t.clauses = m.keys(t.columns[1:])
	switch c := t.columns[2]; m.IntN(5) {
	case 0:
		t.clauses = append(t.clauses, "PRIMARY KEY (id, k)")
	case 1:
		if !c.prefix && !c.bare {
			t.clauses = append(t.clauses, "PRIMARY KEY ("+c.name+", id)")
		}
	case 2: // no primary key
	default:
		t.unique = true
		t.clauses = append(t.clauses, "PRIMARY KEY (id)")
	}
	return t
}

func (m *bruteMaker) charset() string {
	return m.one("", "", " CHARSET=latin1", " CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", " CHARSET=utf8mb4 COLLATE=utf8mb4_bin")
}

func (m *bruteMaker) engine(t bruteTable, options string) bruteTable {
	t.options = options
	return t
}

// partitioned has its primary key where partitions want it.
func (m *bruteMaker) partitioned(name string) bruteTable {
	t := bruteTable{name: name, columns: append(m.idAndK("INT"), m.anyColumns(3)...), clauses: []string{"PRIMARY KEY (id)", "KEY (k)"}, unique: true}
	t.options = "ENGINE=InnoDB " + m.one("PARTITION BY HASH (id) PARTITIONS 3", "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN (64), PARTITION p2 VALUES LESS THAN MAXVALUE)")
	return t
}

// child refers to a parent's id with its column k.
func (m *bruteMaker) child(name, parent string) bruteTable {
	on := func(event string) string { return " ON " + event + " " + m.one("CASCADE", "CASCADE", "SET NULL") }
	t := bruteTable{name: name, columns: append(m.idAndK("INT"), m.anyColumns(2)...), unique: true, options: "ENGINE=InnoDB"}
	t.columns = slices.DeleteFunc(t.columns, func(c bruteColumn) bool { return c.fixed }) // no generated column may hang on a cascade
	t.clauses = []string{"PRIMARY KEY (id)", "FOREIGN KEY (k) REFERENCES " + parent + " (id)" + on("DELETE") + on("UPDATE")}
	return t
}

// big has many rows.
func (m *bruteMaker) big() bruteTable {
	return bruteTable{name: "big", columns: append(m.idAndK("INT"), bruteColumn{name: "c1", bruteKind: integers("INT")}), clauses: []string{"PRIMARY KEY (id)"}, unique: true, options: "ENGINE=InnoDB"}
}

// makeTables makes the tables of a round.
func (m *bruteMaker) makeTables() {
	m.tables = []bruteTable{
		m.free("t0"), m.free("t1"), m.free("t2"), m.free("t3"), m.engine(m.free("mine"), "ENGINE=MyISAM"), m.partitioned("part"),
		m.engine(m.child("fa", "fa"), "ENGINE=InnoDB"), m.child("fb", "fa"), m.child("fc", "fb"), m.child(bruteOther+".fd", bruteSchema+".fc"), m.child("tree", "tree"),
		{name: "log", columns: m.idAndK("INT"), clauses: []string{"KEY (k)"}, options: "ENGINE=InnoDB"},
	}
	m.tables[6].clauses = m.tables[6].clauses[:1] // the first of the chain has no parent
	if m.IntN(4) == 0 {
		m.tables = append(m.tables, m.big())
	}
	m.favourites = m.Perm(len(m.tables))[:2]
}

var bruteTriggers = []string{
	"CREATE TRIGGER t0_ai AFTER INSERT ON t0 FOR EACH ROW INSERT INTO log VALUES (NEW.id % 60, NEW.k)",
	"CREATE TRIGGER t1_au AFTER UPDATE ON t1 FOR EACH ROW UPDATE log SET id = id + 1 WHERE k = NEW.k AND id < 60",
	"CREATE TRIGGER fa_ad AFTER DELETE ON fa FOR EACH ROW DELETE FROM log WHERE k = OLD.k",
	"CREATE TRIGGER t2_bu BEFORE UPDATE ON t2 FOR EACH ROW SET NEW.k = NEW.k % 5",
}

var bruteViews = []string{
	"CREATE OR REPLACE VIEW v0 AS SELECT id, k FROM t0 WHERE k > 1",
	"CREATE OR REPLACE VIEW v1 AS SELECT v0.id, v0.k, t1.id AS other FROM v0 JOIN t1 ON t1.k = v0.k",
	"CREATE OR REPLACE VIEW v2 AS SELECT k, COUNT(*) AS n, MAX(id) AS id FROM t2 GROUP BY k",
	"CREATE OR REPLACE VIEW v3 AS SELECT fb.id, fb.k, fa.k AS up FROM fb LEFT JOIN fa ON fa.id = fb.k",
	"CREATE OR REPLACE VIEW v5 AS SELECT id, k FROM fa ORDER BY id LIMIT 3",
	"CREATE OR REPLACE VIEW v4 AS SELECT id, k FROM t3 UNION ALL SELECT id, k FROM log",
}

// schema are the statements that make the schemas and fill them.
func (m *bruteMaker) schema() []string {
	all := []string{
		"DROP DATABASE IF EXISTS " + bruteOther, "DROP DATABASE IF EXISTS " + bruteSchema,
		"CREATE DATABASE " + bruteSchema + m.one("", " CHARACTER SET latin1", " CHARACTER SET utf8mb4"), "CREATE DATABASE " + bruteOther, "USE " + bruteSchema,
	}
	all = append(all, numbers()...)
	m.makeTables()
	for _, t := range m.tables {
		all = append(all, t.create())
	}
	for _, t := range m.tables {
		if t.name == "big" {
			all = append(all, "INSERT INTO big SELECT a.n * 50 + b.n, (a.n * 50 + b.n) % 60, b.n % 7 FROM (SELECT n FROM ten WHERE n < 6) a, ten b")
			continue
		}
		all = append(all, m.insert(t, 10))
		if t.name == "tree" {
			all = append(all, "INSERT IGNORE INTO tree (id, k) VALUES (0, NULL)", "INSERT IGNORE INTO tree (id, k) SELECT n, n DIV 2 FROM ten WHERE n BETWEEN 1 AND 9 ORDER BY n")
		}
	}
	return slices.Concat(all, bruteTriggers[:m.IntN(len(bruteTriggers)+1)], bruteViews)
}

// numbers is a table of numbers, from 0 to 49, which the table big is made of.
func numbers() []string {
	values := make([]string, 50)
	for i := range values {
		values[i] = fmt.Sprintf("(%d)", i)
	}
	return []string{"CREATE TABLE ten (n INT PRIMARY KEY)", "INSERT INTO ten VALUES " + strings.Join(values, ", ")}
}

// rowImages are the settings of the session that writes, of which each round has one.
func rowImages(flavor sandbox.Flavor) []string {
	if flavor == sandbox.MySQL {
		return []string{"binlog_row_image = FULL", "binlog_row_image = MINIMAL", "binlog_row_image = NOBLOB", "binlog_row_image = FULL, binlog_row_value_options = PARTIAL_JSON", "binlog_row_image = MINIMAL, binlog_transaction_compression = ON"}
	}
	return []string{"binlog_row_image = FULL", "binlog_row_image = MINIMAL", "binlog_row_image = NOBLOB", "binlog_row_image = FULL_NODUP"}
}
