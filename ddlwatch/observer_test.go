package ddlwatch

import (
	"context"
	"slices"
	"testing"
	"time"

	"weir/replicator/change"
)

// witness is an observer and the stage after, in one.
type witness struct {
	entries []string
	changes []Change
}

func (w *witness) Touching(c Change) { w.entries = append(w.entries, "touching "+c.Effect.Kind) }

func (w *witness) Touched(c Change) {
	w.entries = append(w.entries, "touched "+c.Effect.Kind)
	w.changes = append(w.changes, c)
}

func (w *witness) Apply(context.Context, *change.Transaction) {
	w.entries = append(w.entries, "applied")
}

func TestObserverBeforeAndAfter(t *testing.T) {
	w := &witness{}
	s := NewStage(newDiary(), w, nil, nil)
	s.Observer = w
	tx := transaction(100, "DROP TABLE t", "INSERT INTO t VALUES (1)", "DROP TEMPORARY TABLE x", "CREATE DATABASE d", "FLUSH STATUS")
	tx.CommittedAt, tx.Coarse = time.Unix(100, 0), true
	apply(s, tx, transaction(200, "UPDATE t SET a = 1"))
	want := []string{"touching drop_table", "touching create_database", "applied", "touched drop_table", "touched create_database", "applied"}
	if !slices.Equal(w.entries, want) {
		t.Errorf("got %q, want %q", w.entries, want)
	}
	if c := w.changes[0]; c.Seq != tx.Seq || !c.CommittedAt.Equal(tx.CommittedAt) || !c.Coarse || c.Schema != "shop" || c.SQL != "DROP TABLE t" {
		t.Errorf("told of %+v", c)
	}
}

func TestShownHidesSecrets(t *testing.T) {
	for sql, want := range map[string]string{
		"ALTER TABLE t ADD INDEX (a)":                                                                                  "ALTER TABLE t ADD INDEX (a)",
		"ALTER TABLE t COMMENT 'it''s', ADD `c` ENUM('a',\"b\") -- x":                                                  "ALTER TABLE t COMMENT '...', ADD `c` ENUM('...',\"...\") -- x",
		"CREATE TABLE t (a int) CONNECTION='mysql://u:secret@h/d/t'":                                                   "CREATE TABLE t (a int) CONNECTION='...'",
		`CREATE TABLE t (a int COMMENT '\'secret') `:                                                                   "CREATE TABLE ...",
		`CREATE TABLE t (a int COMMENT '\'secret # ')`:                                                                 "CREATE TABLE ...", // a comment, if the backslash is one
		"ALTER TABLE t ALTER a SET DEFAULT 0x736563, ALTER b SET DEFAULT x'73', ALTER c SET DEFAULT 0b11, ADD 0xg int": "ALTER TABLE t ALTER a SET DEFAULT 0x..., ALTER b SET DEFAULT x'...', ALTER c SET DEFAULT 0b..., ADD 0x... int",
		"CREATE USER u IDENTIFIED BY 'secret'":                                                                         "CREATE USER ...",
		"SET PASSWORD FOR u = 'secret'":                                                                                "SET PASSWORD ...",
		"GRANT ALL ON *.* TO u IDENTIFIED BY 'secret'":                                                                 "GRANT ALL ...",
		"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (PASSWORD secret)":                                         "CREATE SERVER ...",
		"SOMETHING NEW IDENTIFIED BY secret":                                                                           "SOMETHING NEW ...",
		"ALTER TABLE t COMMENT 'secret":                                                                                "ALTER TABLE ...",
	} {
		if got := shown(sql, Read("shop", sql, known)); got != want {
			t.Errorf("%s is shown as %s, want %s", sql, got, want)
		}
	}
}
