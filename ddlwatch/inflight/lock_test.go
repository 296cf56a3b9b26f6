package inflight

import (
	"testing"
	"time"

	"weir/cache/dep"
)

var (
	appT = dep.Name{Schema: "app", Table: "t"}
	appU = dep.Name{Schema: "app", Table: "u"}
)

func held(id uint64, table dep.Name, mode string, age time.Duration) lock {
	return lock{table: table, mode: mode, owner: Blocker{ID: id, For: age}}
}

func asked(id uint64, table dep.Name, mode string) lock {
	return lock{table: table, mode: mode, pending: true, owner: Blocker{ID: id}}
}

func TestBlocker(t *testing.T) {
	now := time.Now()
	guess := func(id uint64, age time.Duration) lock {
		return lock{guess: true, owner: Blocker{ID: id, For: age, Guess: true}}
	}
	for what, c := range map[string]struct {
		locks []lock
		want  uint64
	}{
		"the oldest of those who hold": {[]lock{held(2, appT, "SHARED_READ", 1), held(3, appT, "SHARED_READ", 5), held(4, appT, "SHARED_READ", 3)}, 3},
		"not itself":                   {[]lock{held(1, appT, "SHARED_UPGRADABLE", 9), held(3, appT, "SHARED_READ", 5)}, 3},
		"not of another table":         {[]lock{held(2, appU, "SHARED_READ", 9)}, 0},
		"not who waits":                {[]lock{asked(2, appT, "SHARED_READ")}, 0},
		"of the table it is known to wait for, be it in its text or not": {
			[]lock{asked(1, appU, "EXCLUSIVE"), held(2, appT, "SHARED_READ", 9), held(3, appU, "SHARED_READ", 5)}, 3},
		"not who reads, if it would let others read": {
			[]lock{asked(1, appT, "SHARED_UPGRADABLE"), held(2, appT, "SHARED_READ", 9), held(3, appT, "SHARED_UPGRADABLE", 5)}, 3},
		"who writes, if it would let others only read": {
			[]lock{asked(1, appT, "SHARED_NO_WRITE"), held(2, appT, "SHARED_READ", 9), held(3, appT, "SHARED_WRITE", 5)}, 3},
		"a guess was there before": {[]lock{guess(2, time.Second), guess(3, time.Hour)}, 3},
		"no guess came after":      {[]lock{guess(2, time.Second)}, 0},
	} {
		d := DDL{ID: 1, Tables: []dep.Name{appT}, Waiting: true, Since: now.Add(-time.Minute)}
		var got uint64
		if b := d.blocker(c.locks, now); b != nil {
			got = b.ID
		}
		if got != c.want {
			t.Errorf("%s: %d, not %d", what, got, c.want)
		}
		d.Waiting = false
		if d.blocker(c.locks, now) != nil {
			t.Errorf("%s: who does not wait has a blocker", what)
		}
	}
}

// TestLearn: DDL whose text was cut has the tables that it locks.
func TestLearn(t *testing.T) {
	d := DDL{ID: 1, Tables: []dep.Name{appU}}
	d.learn([]lock{
		held(1, appU, "EXCLUSIVE", 0), held(1, dep.Name{Schema: "app", Table: "#sql-1"}, "EXCLUSIVE", 0),
		held(1, dep.Name{Schema: "app", Table: "read"}, "SHARED_READ", 0), held(2, dep.Name{Schema: "app", Table: "other"}, "EXCLUSIVE", 0),
		asked(1, appT, "EXCLUSIVE"),
	})
	if len(d.Tables) != 2 || d.Tables[0] != appT || d.Tables[1] != appU || !d.Waiting {
		t.Errorf("%+v", d)
	}
}

func TestWaiters(t *testing.T) {
	ddls := func() []DDL {
		return []DDL{{ID: 1, Tables: []dep.Name{appT}}, {ID: 2, Tables: []dep.Name{appU}}}
	}
	told := ddls()
	countWaiters(told, []process{{id: 9, sql: "select 1 from t"}}, []lock{
		asked(1, appT, "EXCLUSIVE"), asked(3, appT, "SHARED_READ"), asked(3, appT, "SHARED_READ"), asked(4, appU, "SHARED_READ"),
		held(5, appT, "SHARED_READ", 0),
	})
	if told[0].Waiters != 1 || told[1].Waiters != 1 {
		t.Errorf("told: %+v", told)
	}
	guessed := ddls()
	countWaiters(guessed, []process{{id: 1, sql: "alter table t"}, {id: 3, sql: "select 1 from T"}, {id: 4, sql: "select 1 from v"}}, nil)
	if guessed[0].Waiters != 2 || guessed[1].Waiters != 1 {
		t.Errorf("guessed: %+v", guessed)
	}
}

// TestJudge: a blocker of this process's is told from others, and what a DDL has locked is among its tables.
func TestJudge(t *testing.T) {
	w := &Watch{Ours: func(server string, id uint64) bool { return server == "a" && id == 5 }}
	s := &server{watch: w}
	ddls := []DDL{{Server: "a", ID: 1, Tables: []dep.Name{appT}, Waiting: true}, {Server: "a", ID: 2, Tables: []dep.Name{appU}, Waiting: true}}
	s.judge(ddls, nil, []lock{
		held(5, appT, "SHARED_READ", 1), held(6, appU, "SHARED_READ", 9), asked(2, appU, "EXCLUSIVE"), asked(2, appT, "EXCLUSIVE"),
	})
	if len(ddls[1].Tables) != 2 {
		t.Errorf("a table that is locked and not in the text is missing: %+v", ddls[1])
	}
	if !ddls[0].Blocker.Weir || ddls[1].Blocker.Weir || ddls[0].Waiters != 1 {
		t.Errorf("%+v %+v", ddls[0].Blocker, ddls[1].Blocker)
	}
}
