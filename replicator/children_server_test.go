package replicator

import (
	"fmt"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall4ChildrenAreTouchedByWhatReachesThem: rows of a parent that are only inserted, or changed in columns that no
// foreign key refers to, leave the children alone.
func TestPitfall4ChildrenAreTouchedByWhatReachesThem(t *testing.T) {
	parent, child := dep.Fold("shop", "parent"), dep.Fold("shop", "child")
	cases := []struct {
		change  []string
		want    string
		reaches bool
	}{
		{[]string{"INSERT INTO parent VALUES (5, 50)"}, "parent: id=5", false},
		{[]string{"UPDATE parent SET a = 11 WHERE id = 1"}, "parent: id=1", false},
		{[]string{"INSERT INTO parent VALUES (1, 0) ON DUPLICATE KEY UPDATE a = 12"}, "parent: id=1", false},
		{[]string{"UPDATE parent SET id = 7 WHERE id = 1"}, "parent (children): id=1 id=7", true},
		{[]string{"DELETE FROM parent WHERE id = 2"}, "parent (children): id=2", true},
		// The servers delete and insert where foreign keys refer to the table.
		{[]string{"REPLACE INTO parent VALUES (3, 33)"}, "parent (children): id=3", true},
		{[]string{"SET SESSION binlog_format = 'STATEMENT'", "UPDATE parent SET a = 1 WHERE id = 4"}, "parent WHOLE", true},
		{[]string{"XA START 'x'", "DELETE FROM parent WHERE id = 4", "XA END 'x'", "XA PREPARE 'x'", "XA COMMIT 'x'"}, "parent (children): id=4", true},
	}
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		for _, watched := range []bool{true, false} {
			w := newRowWorld(t, sandbox.Options{Flavor: flavor})
			w.readTexts()
			w.prepare("CREATE TABLE parent (id INT PRIMARY KEY, a INT) ENGINE=InnoDB", "INSERT INTO parent VALUES (1, 10), (2, 20), (3, 30), (4, 40)",
				"CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE=InnoDB",
				"INSERT INTO child VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
			w.schema.parent(parent, []string{"id"}, child)
			w.learn("parent")
			if watched {
				w.want("parent", dep.Want{Column: "id", Interest: dep.InValue})
			}
			for _, c := range cases {
				before := w.ledger.Last(child.Anchor())
				got := strings.TrimPrefix(w.tell(c.change...), "child WHOLE ") // MySQL logs most of what its foreign keys do, since 9.6
				if watched && got != c.want {
					t.Errorf("%s: touched %s, want %s", c.change, got, c.want)
				}
				if reached := w.ledger.Last(child.Anchor()) != before; reached != c.reaches {
					t.Errorf("%s, parent watched: %v, reached the child: %v, want %v", c.change, watched, reached, c.reaches)
				}
			}
		}
	})
}

// TestPitfall16TheSchemaOfNow: rows that do not agree with what the catalogue says are not taken apart.
func TestPitfall16TheSchemaOfNow(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor})
		w.prepare("CREATE TABLE t (id INT PRIMARY KEY, a INT)", "INSERT INTO t VALUES (1, 10)")
		w.follow("t", dep.Want{Column: "id", Interest: dep.InValue})
		const update = "UPDATE t SET a = a + 1"
		for _, c := range []struct {
			alter string
			want  string
		}{
			{"ALTER TABLE t COMMENT 'x'", "t: id=1"},
			{"ALTER TABLE t ADD COLUMN b INT FIRST", "t WHOLE"},
			{"ALTER TABLE t DROP COLUMN b, MODIFY id BIGINT", "t WHOLE"},
			{"ALTER TABLE t MODIFY id INT", "t: id=1"},
		} {
			w.prepare(c.alter)
			if got := w.tell(update); got != c.want {
				t.Errorf("after %s: touched %s, want %s", c.alter, got, c.want)
			}
		}
		w.schema.set(dep.Fold("shop", "t"), nil)
		if got := w.tell(update); got != "t WHOLE" {
			t.Errorf("a table that the catalogue does not know: touched %s, want t WHOLE", got)
		}
	})
}

// TestPitfall7WhatTheServerChanges: columns that no statement names are in the image too.
func TestPitfall7WhatTheServerChanges(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newRowWorld(t, sandbox.Options{Flavor: flavor})
		w.prepare("CREATE TABLE t (id INT PRIMARY KEY, a INT, s INT, at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
			"INSERT INTO t VALUES (1, 10, 0, '2001-01-01')", "CREATE TRIGGER r BEFORE UPDATE ON t FOR EACH ROW SET NEW.a = NEW.s * 2")
		w.follow("t", dep.Want{Column: "id", Interest: dep.InChange}, dep.Want{Column: "a", Interest: dep.InChange}, dep.Want{Column: "at", Interest: dep.InChange})
		for i, image := range []string{"FULL", "MINIMAL", "NOBLOB"} {
			want := "t: at~ a~"
			if flavor == sandbox.MariaDB && image == "MINIMAL" {
				want = "t: at~ a~ id~"
			}
			if got := w.tell("SET SESSION binlog_row_image = '"+image+"'", fmt.Sprint("UPDATE t SET s = ", i+1)); got != want {
				t.Errorf("%s: touched %s, want %s", image, got, want)
			}
			w.prepare("UPDATE t SET at = '2001-01-01'")
		}
	})
}
