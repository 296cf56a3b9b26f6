package replicator

import (
	"testing"

	"weir/replicator/gtid"
)

// A journal that goes on from another one's place knows what that one had, and which XA COMMITs may still be late.
func TestJournalGoesOnFromAnother(t *testing.T) {
	first, second := NewJournal(), NewJournal()
	if first.Done() != nil {
		t.Error("a journal that has not begun has done something")
	}
	base, _ := gtid.Parse(gtid.MariaDB, "0-1-5")
	first.Restart(1, base)
	first.Append(gtid.OfMariaDB(0, 1, 6), 60)
	second.Restart(7, first.Done())
	second.Committing(42, 60)
	if !second.Done().Contains(gtid.OfMariaDB(0, 1, 6)) || base.Contains(gtid.OfMariaDB(0, 1, 6)) {
		t.Errorf("the second journal begins with %s, and the first one's base is %s", second.Done(), base)
	}
	if at, threads := second.late.between(0, 100); at != 60 || len(threads) != 1 || threads[0] != 42 {
		t.Errorf("late are %v, the first at %s", threads, at)
	}
}
