package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bruteStep is one change: the statements that one connection sends, after which what was cached is looked at. They may
// fail, for a duplicate key or a child without a parent; what they have done until then counts.
type bruteStep struct {
	kind string
	// text says that the connection logs statements as texts where it can.
	text bool
	sql  []string
}

// bruteChange is a kind of step, and how often it comes.
type bruteChange struct {
	weight int
	name   string
	make   func(*bruteMaker) []string
}

// step makes the next step: one part of what has several, or a new one.
func (m *bruteMaker) step() bruteStep {
	if len(m.steps) > 0 {
		next := m.steps[0]
		m.steps = m.steps[1:]
		return next
	}
	switch n := m.IntN(100); {
	case n < 12:
		return m.several()
	case n < 15:
		return m.prepared()
	case n < 16:
		return m.swap()
	case n < 21:
		s := m.single()
		s.text = true
		return s
	}
	return m.single()
}

// single is a change of any kind, of which one in thirty is a definition.
func (m *bruteMaker) single() bruteStep {
	c := m.kindOfChange(m.IntN(30) == 0)
	s := bruteStep{kind: c.name, sql: c.make(m)}
	if c.defines() && m.IntN(2) == 0 { // the first rows under it, before it is known
		s.sql = append(s.sql, m.rowChanges()...)
	}
	return s
}

func (c bruteChange) defines() bool { return strings.HasPrefix(c.name, "definition") }

func (m *bruteMaker) kindOfChange(defines bool) bruteChange {
	all := slices.DeleteFunc(bruteChanges(), func(c bruteChange) bool { return c.defines() != defines })
	total := 0
	for _, c := range all {
		total += c.weight
	}
	n := m.IntN(total)
	for _, c := range all {
		if n -= c.weight; n < 0 {
			return c
		}
	}
	panic("the weights are less than their sum")
}

// rowChanges are statements that may stand in a transaction.
func (m *bruteMaker) rowChanges() (sql []string) {
	for range 1 + m.IntN(4) {
		sql = append(sql, m.kindOfChange(false).make(m)...)
	}
	return sql
}

// several is a transaction.
func (m *bruteMaker) several() bruteStep {
	sql := append([]string{m.one("BEGIN", "START TRANSACTION")}, m.rowChanges()...)
	switch m.IntN(5) {
	case 0:
		sql = append(append(sql, "SAVEPOINT a"), m.rowChanges()...)
		sql = append(append(sql, "ROLLBACK TO a"), m.rowChanges()...)
	case 1:
		return bruteStep{kind: "rollback", sql: append(sql, "ROLLBACK")}
	}
	return bruteStep{kind: "transaction", sql: append(sql, "COMMIT")}
}

// prepared is an XA transaction: what is cached after its first part must not outlive the second.
func (m *bruteMaker) prepared() bruteStep {
	m.made++
	id := fmt.Sprintf("'b%d'", m.made)
	sql := append([]string{"XA START " + id}, m.rowChanges()...)
	if m.IntN(3) == 0 {
		return bruteStep{kind: "XA, one phase", sql: append(sql, "XA END "+id, "XA COMMIT "+id+" ONE PHASE")}
	}
	m.steps = append(m.steps, bruteStep{kind: "XA, second phase", sql: []string{m.one("XA COMMIT ", "XA COMMIT ", "XA ROLLBACK ") + id, "XA ROLLBACK " + id}})
	return bruteStep{kind: "XA, first phase", sql: append(sql, "XA END "+id, "XA PREPARE "+id)}
}

// swap puts a copy in a table's place, as the tools do that change a table beside its writes.
func (m *bruteMaker) swap() bruteStep {
	t := m.named(m.one("t2", "t3", "part")) // of those that no key or trigger is tied to
	ghost, old := "_"+t.name+"_gho", "_"+t.name+"_del"
	columns := strings.Join(namesOf(t.written()), ", ")
	m.steps = append(m.steps,
		bruteStep{kind: "a copy is filled", sql: []string{"INSERT IGNORE INTO " + ghost + " (" + columns + ") SELECT " + columns + " FROM " + t.name}},
		m.single(),
		bruteStep{kind: "a copy is written to", sql: []string{"UPDATE " + ghost + " SET k = " + m.one(smallIntegers...) + " WHERE id > 3", "DELETE FROM " + ghost + " WHERE id = " + m.one(smallIntegers...)}},
		bruteStep{kind: "a copy takes the place", sql: []string{"RENAME TABLE " + t.name + " TO " + old + ", " + ghost + " TO " + t.name}},
		m.single(),
		bruteStep{kind: "the old table is written to", sql: []string{"UPDATE " + old + " SET k = 1"}},
		bruteStep{kind: "the old table goes", sql: []string{"DROP TABLE " + old}},
	)
	return bruteStep{kind: "a copy is made", sql: []string{"CREATE TABLE " + ghost + " LIKE " + t.name}}
}

func namesOf(columns []bruteColumn) (all []string) {
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

// datum is what a row gets.
func (m *bruteMaker) datum(c bruteColumn) string {
	if c.name != "id" && m.IntN(6) == 0 {
		return "NULL"
	}
	return m.one(c.values...)
}

// row are the values of a row, for the columns that have one.
func (m *bruteMaker) row(t bruteTable) string {
	var values []string
	for _, c := range t.written() {
		values = append(values, m.datum(c))
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// insert is that of up to n rows.
func (m *bruteMaker) insert(t bruteTable, n int) string {
	return m.insertAs("INSERT IGNORE INTO ", t, n)
}

func (m *bruteMaker) insertAs(verb string, t bruteTable, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = m.row(t)
	}
	return verb + t.name + " (" + strings.Join(namesOf(t.written()), ", ") + ") VALUES " + strings.Join(rows, ", ")
}

// plainly is a condition for a write, in which there are no parameters.
func (m *bruteMaker) plainly(text string) string {
	q := m.spell("", text)
	return q.sql
}

// rows is a condition that some rows of a table meet.
func (m *bruteMaker) rows(alias string, t bruteTable) string {
	switch m.IntN(4) {
	case 0:
		return alias + "id = " + m.one(t.columns[0].values...)
	case 1:
		return alias + "k = " + m.one(smallIntegers[:6]...)
	case 2:
		return alias + "id BETWEEN " + m.one("0", "1", "2") + " AND " + m.one("3", "5", "64")
	}
	return m.plainly(m.restriction(alias, t))
}

// assignment changes one column.
func (m *bruteMaker) assignment(alias string, t bruteTable) string {
	all := t.written()
	c := all[m.IntN(len(all))]
	return alias + c.name + " = " + m.datum(c)
}

// text is a column that holds texts, or id if there is none.
func (m *bruteMaker) textColumn(t bruteTable) string {
	var fit []string
	for _, c := range t.written() {
		if c.text() {
			fit = append(fit, c.name)
		}
	}
	if len(fit) == 0 {
		return "id"
	}
	return m.one(fit...)
}

// loaded is a file with a few rows.
func (m *bruteMaker) loaded() string {
	m.made++
	path := filepath.Join(m.dir, fmt.Sprintf("load%d.txt", m.made))
	text := ""
	for range 1 + m.IntN(4) {
		text += m.one(smallIntegers...) + "\t" + m.one(append(smallIntegers[:6:6], `\N`)...) + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		panic(err)
	}
	return path
}

// bruteChanges are the kinds of steps of one statement or two.
func bruteChanges() []bruteChange {
	return []bruteChange{
		{14, "insert", func(m *bruteMaker) []string { return []string{m.insertAs("INSERT INTO ", m.table(), 1)} }},
		{10, "insert several", func(m *bruteMaker) []string { return []string{m.insert(m.table(), 2+m.IntN(5))} }},
		{3, "insert and select", func(m *bruteMaker) []string {
			a, b := m.table(), m.table()
			return []string{"INSERT IGNORE INTO " + a.name + " (id, k) SELECT id, k FROM " + b.name + " LIMIT 4"}
		}},
		{5, "insert or update", func(m *bruteMaker) []string {
			t := m.table()
			return []string{m.insertAs("INSERT INTO ", t, 1+m.IntN(3)) + " ON DUPLICATE KEY UPDATE " + m.one(m.assignment("", t), "k = VALUES(k)", m.assignment("", t)+", k = k + 1")}
		}},
		{6, "replace", func(m *bruteMaker) []string { return []string{m.insertAs("REPLACE INTO ", m.table(), 1+m.IntN(3))} }},
		{10, "update by key", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"UPDATE " + t.name + " SET " + m.assignment("", t) + " WHERE id = " + m.one(t.columns[0].values...)}
		}},
		{10, "update", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"UPDATE " + m.one("", "IGNORE ") + t.name + " SET " + m.assignment("", t) + m.maybe(", "+m.assignment("", t)) + " WHERE " + m.rows("", t)}
		}},
		{4, "update of keys", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"UPDATE IGNORE " + t.name + " SET id = " + m.one("id + 64", "id - 1", "id + 1", "63", "5", "id * 2") + " WHERE " + m.rows("", t) + m.one("", " ORDER BY id DESC")}
		}},
		{3, "update of case or spaces", func(m *bruteMaker) []string {
			t := m.table()
			c := m.textColumn(t)
			return []string{"UPDATE IGNORE " + t.name + " SET " + c + " = " + m.one("UPPER("+c+")", "LOWER("+c+")", "CONCAT("+c+", ' ')", "TRIM("+c+")", "REPLACE("+c+", 'ss', 'ß')") + m.maybe(" WHERE "+m.rows("", t))}
		}},
		{2, "update of all", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"UPDATE IGNORE " + t.name + " SET " + m.assignment("", t)}
		}},
		{3, "update of two tables", func(m *bruteMaker) []string {
			a, b := m.table(), m.table()
			return []string{"UPDATE IGNORE " + a.name + " a JOIN " + b.name + " b ON " + m.on() + " SET " + m.assignment("a.", a) + ", b.k = " + m.one(smallIntegers[:6]...) + " WHERE " + m.rows("a.", a)}
		}},
		{9, "delete", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"DELETE FROM " + t.name + " WHERE " + m.rows("", t)}
		}},
		{3, "delete from two tables", func(m *bruteMaker) []string {
			a, b := m.table(), m.table()
			return []string{"DELETE " + m.one("a", "b", "a, b") + " FROM " + a.name + " a " + m.one("JOIN", "LEFT JOIN") + " " + b.name + " b ON " + m.on() + " WHERE " + m.rows("a.", a)}
		}},
		{5, "change of a parent", func(m *bruteMaker) []string {
			t := m.named(m.one("fa", "fa", "fb", "fc"))
			id := m.one(smallIntegers...)
			return []string{m.one("DELETE FROM "+t.name+" WHERE id = "+id, "UPDATE IGNORE "+t.name+" SET id = "+m.one(smallIntegers...)+" WHERE id = "+id, m.insertAs("REPLACE INTO ", t, 1), "DELETE FROM "+t.name+" WHERE id <= "+id)}
		}},
		{4, "new children", func(m *bruteMaker) []string {
			chain := []string{"fa", "fb", "fc", bruteOther + ".fd"}
			i := 1 + m.IntN(3)
			return []string{"INSERT IGNORE INTO " + chain[i] + " (id, k) SELECT (id * 3 + " + m.one(smallIntegers...) + ") % 66, id FROM " + chain[i-1]}
		}},
		{2, "load data", func(m *bruteMaker) []string {
			return []string{"LOAD DATA INFILE '" + m.loaded() + "' " + m.one("IGNORE", "REPLACE") + " INTO TABLE " + m.table().name + " (id, k)"}
		}},
		{1, "many rows", func(m *bruteMaker) []string {
			return []string{"UPDATE big SET " + m.one("c1 = c1 + 1", "k = (k + 1) % 60") + " WHERE id < " + m.one("290", "100"), m.one("DELETE FROM big WHERE id % 50 = 7", "INSERT IGNORE INTO big SELECT n, n, n FROM ten")}
		}},
		{2, "nothing", func(m *bruteMaker) []string {
			t := m.table()
			return []string{m.one("UPDATE "+t.name+" SET k = k", "DELETE FROM "+t.name+" WHERE FALSE", "UPDATE ten SET n = n + 100 WHERE n = 49", "UPDATE ten SET n = 49 WHERE n = 149")}
		}},
		{1, "definition: truncate", func(m *bruteMaker) []string {
			t := m.table()
			return []string{"TRUNCATE TABLE " + t.name, m.insert(t, 8)}
		}},
		{1, "definition: a column comes", func(m *bruteMaker) []string {
			t := m.table()
			column := fmt.Sprintf("x%d", m.made)
			m.made++
			alter := "ALTER TABLE " + t.name
			m.steps = append(m.steps, m.single(), bruteStep{kind: "definition: a column goes", sql: []string{alter + " DROP COLUMN " + column}})
			return []string{alter + " ADD COLUMN " + column + " INT DEFAULT 7 " + m.one("FIRST", "AFTER id", "")}
		}},
		{1, "definition: a column changes", func(m *bruteMaker) []string {
			t := m.table()
			all := t.columns[2:]
			if len(all) == 0 || all[len(all)-1].fixed && len(all) == 1 {
				return []string{"ALTER TABLE " + t.name + " MODIFY COLUMN k BIGINT " + m.one("FIRST", "AFTER id")}
			}
			c := all[m.IntN(len(all))]
			sql := strings.Replace(c.sql, enumeration, reenumeration, 1)
			if c.fixed || m.IntN(3) == 0 {
				return []string{"ALTER TABLE " + t.name + " MODIFY COLUMN c1 " + m.one("VARCHAR(20)", "VARCHAR(20) COLLATE utf8mb4_bin", "VARCHAR(20) COLLATE utf8mb4_general_ci", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(30,3)", "VARBINARY(30)")}
			}
			return []string{"ALTER TABLE " + t.name + " MODIFY COLUMN " + c.name + " " + sql + " " + m.one("FIRST", "AFTER id", "AFTER k")}
		}},
		{1, "definition: keys", func(m *bruteMaker) []string {
			t := m.table()
			key := fmt.Sprintf("i%d", m.made)
			m.made++
			return []string{"CREATE INDEX " + key + " ON " + t.name + " (k, id)", "DROP INDEX " + key + " ON " + t.name}
		}},
		{1, "definition: foreign keys", func(m *bruteMaker) []string {
			name := fmt.Sprintf("f%d", m.made)
			m.made++
			m.steps = append(m.steps, bruteStep{kind: "change of a new parent", sql: []string{"DELETE FROM part WHERE id = " + m.one(smallIntegers...)}},
				bruteStep{kind: "change of a new parent", sql: []string{"UPDATE IGNORE fa SET id = " + m.one(smallIntegers...) + " WHERE id = " + m.one(smallIntegers...)}},
				bruteStep{kind: "change of a new parent", sql: []string{"DELETE FROM fa WHERE id IN (1, 3, " + m.one(smallIntegers...) + ")"}},
				bruteStep{kind: "definition: a foreign key goes", sql: []string{"ALTER TABLE log DROP FOREIGN KEY " + name}})
			return []string{"DELETE FROM log WHERE k NOT IN (SELECT id FROM fa)", "ALTER TABLE log ADD CONSTRAINT " + name + " FOREIGN KEY (k) REFERENCES fa (id) ON DELETE " + m.one("CASCADE", "SET NULL") + " ON UPDATE CASCADE"}
		}},
		{1, "definition: views", func(m *bruteMaker) []string {
			return []string{m.one(m.one(bruteViews...), "CREATE OR REPLACE VIEW v0 AS SELECT id, k FROM t3 WHERE k > "+m.one("1", "2", "3"), "CREATE OR REPLACE VIEW v3 AS SELECT id, k, 0 AS up FROM log", "ALTER VIEW v4 AS SELECT id, k FROM fb")}
		}},
		{1, "definition: triggers", func(m *bruteMaker) []string {
			name := fmt.Sprintf("tr%d", m.made)
			m.made++
			t := m.one("t0", "t1", "t2", "mine", "part", "fb")
			m.steps = append(m.steps, bruteStep{kind: "a trigger fires", sql: []string{m.insert(m.named(t), 3)}}, m.single(), bruteStep{kind: "definition: a trigger goes", sql: []string{"DROP TRIGGER " + name}})
			return []string{"CREATE TRIGGER " + name + " AFTER INSERT ON " + t + " FOR EACH ROW " + m.one("DELETE FROM log WHERE k = NEW.k", "INSERT INTO log VALUES (7, NEW.k)", "UPDATE t3 SET k = NEW.k WHERE id = NEW.id")}
		}},
		{1, "definition: partitions", func(m *bruteMaker) []string {
			return []string{m.one("ALTER TABLE part TRUNCATE PARTITION p1", "ALTER TABLE part REBUILD PARTITION p0", "ALTER TABLE part COALESCE PARTITION 1", "ALTER TABLE part REMOVE PARTITIONING"), m.insert(m.named("part"), 6)}
		}},
		{2, "update of a view", func(m *bruteMaker) []string {
			id := m.one(smallIntegers...)
			return []string{m.one("UPDATE v0 SET k = k + 1 WHERE id = "+id, "UPDATE v3 SET k = NULL WHERE id = "+id, "DELETE FROM v0 WHERE id = "+id, "INSERT INTO v0 (id, k) VALUES ("+id+", 3)", "UPDATE v1 SET other = other + 1 WHERE id = "+id)}
		}},
		{2, "without foreign keys", func(m *bruteMaker) []string {
			t := m.named(m.one("fa", "fb", "tree"))
			id := m.one(smallIntegers...)
			return []string{"SET foreign_key_checks = 0", m.one("DELETE FROM "+t.name+" WHERE id = "+id, "UPDATE IGNORE "+t.name+" SET id = id + 1 WHERE id = "+id+" ORDER BY id", m.insert(m.named("fb"), 3)), "SET foreign_key_checks = 1"}
		}},
		{3, "change of a tree", func(m *bruteMaker) []string {
			id := m.one(smallIntegers...)
			return []string{m.one("DELETE FROM tree WHERE id = "+id, "UPDATE IGNORE tree SET k = "+m.one(smallIntegers...)+" WHERE id = "+id, "INSERT IGNORE INTO tree (id, k) SELECT n, n DIV 2 FROM ten WHERE n BETWEEN 0 AND 9 ORDER BY n", "REPLACE INTO tree (id, k) VALUES ("+id+", NULL)")}
		}},
		{1, "definition: a table made anew", func(m *bruteMaker) []string {
			t := m.named(m.one("t2", "t3", "mine"))
			return []string{"DROP TABLE " + t.name, t.create(), m.insert(t, 8)}
		}},
		{1, "definition: two tables change names", func(m *bruteMaker) []string {
			swap := "RENAME TABLE t2 TO t2_, t3 TO t2, t2_ TO t3"
			m.steps = append(m.steps, bruteStep{kind: "written under a new name", sql: m.rowChanges()}, bruteStep{kind: "definition: names change back", sql: []string{swap}})
			return []string{swap}
		}},
		{1, "definition: exchange of a partition", func(m *bruteMaker) []string {
			t := m.named("part")
			m.steps = append(m.steps, bruteStep{kind: "written to what was a partition", sql: []string{"UPDATE px SET k = 1"}}, bruteStep{kind: "definition: a table goes", sql: []string{"DROP TABLE px"}})
			t.name = "px"
			return []string{"CREATE TABLE px LIKE part", "ALTER TABLE px REMOVE PARTITIONING", m.insert(t, 6), "ALTER TABLE part EXCHANGE PARTITION p0 WITH TABLE px WITHOUT VALIDATION", "ALTER TABLE part EXCHANGE PARTITION p0 WITH TABLE px"}
		}},
		{1, "definition: charset", func(m *bruteMaker) []string {
			return []string{"ALTER TABLE " + m.one("t0", "t1", "mine") + m.one(" CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", " ENGINE=InnoDB", " COMMENT 'x'")}
		}},
	}
}
