package ddlwatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/ddlwatch/inflight"
	"weir/ddlwatch/pace"
	"weir/ddlwatch/target"
	"weir/ddlwatch/timeline"
	"weir/replicator/change"
)

// rig is a watcher of one server that says nothing, over a cache with a ledger that is at 10.
type rig struct {
	*Watcher
	cache *cache.Cache

	mu      sync.Mutex
	reads   []string // keys that Read was asked for
	behind  int      // how many times more Read says so
	applied bool
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	ledger := cache.NewLedger(1 << 10)
	ledger.Restart(0)
	ledger.Advance(10)
	ledger.SetComplete(ledger.Epoch(), ledger.Now())
	r := &rig{cache: cache.New(cache.DefaultConfig(), ledger, nil)}
	silent := func(context.Context, string) ([][]string, error) {
		return nil, errors.New("a server that says nothing")
	}
	r.Watcher = NewWatcher(cfg, Parts{
		Servers: []*target.Server{{Addr: "source:3306", Source: true, Query: silent}}, Cache: r.cache, Read: r.read,
		Applied: func(context.Context, string, cache.Mark) (bool, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.applied, nil
		},
	})
	return r
}

func (r *rig) read(_ context.Context, key []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads = append(r.reads, string(key))
	if r.behind > 0 {
		r.behind--
		return ErrBehind
	}
	return nil
}

// store stores a result that reads the tables and was asked for so many times.
func (r *rig) store(t *testing.T, key string, asked uint64, tables ...dep.Name) {
	t.Helper()
	tags, anchors := dep.TagsOf(dep.ByTables(tables))
	e := cache.NewEntry([]byte(key), []byte("result"), tags, cache.Mark{Epoch: r.cache.Ledger().Epoch(), Seq: 10})
	e.Anchors = anchors
	if why := r.cache.Put(e, time.Hour); why != cache.Stored {
		t.Fatalf("%s is not stored: %s", key, why)
	}
	for n := range asked {
		r.cache.Served(r.cache.Get([]byte(key), time.Hour), n)
	}
}

// run runs the watcher until stop is called.
func (r *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// apply has the statement come through the stream at 20, and looks at the gates at the moment of the touch.
func (r *rig) apply(sql string) (atTouch []pace.State) {
	stage := NewStage(newDiary(), touches(func(*change.Transaction) { atTouch = r.gates.State() }), nil, nil)
	stage.Observer = r.Watcher
	stage.Apply(context.Background(), &change.Transaction{Seq: 20, Statements: []change.Statement{{Schema: "shop", SQL: sql}}})
	return atTouch
}

type touches func(*change.Transaction)

func (f touches) Apply(_ context.Context, t *change.Transaction) { f(t) }

var tableT, tableU = dep.Fold("shop", "t"), dep.Fold("shop", "u")

// The interleaving of [Watcher.Touching]: who misses because of the touch meets the gate.
func TestPitfall56TheGateClosesBeforeTheTouch(t *testing.T) {
	for _, c := range []struct {
		sql   string
		gates []string
	}{
		{"ALTER TABLE t ADD COLUMN b int", []string{"shop.t"}},
		{"TRUNCATE t", []string{"shop.t"}},
		{"RENAME TABLE t TO t_old, t_new TO t", []string{"shop.t"}},
		{"ALTER TABLE nobody_reads_it ADD COLUMN b int", nil},
		{"CREATE INDEX i ON t (a)", nil},
		{"DROP TABLE t", nil}, // there is nothing to read again
		{"CREATE PROCEDURE p() SELECT 1", nil},
	} {
		t.Run(c.sql, func(t *testing.T) {
			r := newRig(t, DefaultConfig())
			r.store(t, "one", 0, tableT)
			r.store(t, "two", 0, tableU)
			var up []string
			for _, s := range r.apply(c.sql) {
				up = append(up, s.Table)
			}
			if !slices.Equal(up, c.gates) {
				t.Errorf("at the touch the gates of %v are up, want %v", up, c.gates)
			}
		})
	}
}

// What may have changed everything paces every table that is read then, and so does a whole schema its own.
func TestPitfall56TheGatesOfManyTables(t *testing.T) {
	for sql, want := range map[string]int{"GRANT SELECT ON *.* TO x": 2, "ALTER DATABASE shop CHARACTER SET utf8mb4": 1} {
		r := newRig(t, DefaultConfig())
		other := dep.Fold("elsewhere", "t")
		r.store(t, "one", 0, tableT)
		r.store(t, "two", 0, other)
		r.apply(sql)
		for _, n := range []dep.Name{tableT, other} {
			leave, err := r.gates.Enter(t.Context(), []dep.Name{n})
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
		}
		if up := r.gates.State(); len(up) != want {
			t.Errorf("%s: %d gates are up, want %d: %+v", sql, len(up), want, up)
		}
	}
}

// The hottest are read again first, as many as may be, also if no server has the change at first; and the timeline tells.
func TestPitfall56TheHottestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Config{Pace: pace.Config{Limit: 1, Min: 1, Max: 64, Wait: 5 * time.Second, Stall: 100 * time.Millisecond, StallReads: 8}, Refill: 2})
		r.store(t, "warm", 1000, tableT)
		r.store(t, "hot", 100000, tableT)
		r.store(t, "cool", 300, tableT)
		r.store(t, "other", 100000, tableU)
		r.behind = 1
		stop := r.run()
		defer stop()
		r.apply("ALTER TABLE t ADD COLUMN b int")
		<-time.After(10 * time.Second)
		if want := []string{"hot", "hot", "warm"}; !slices.Equal(r.reads, want) {
			t.Errorf("%v were read again, want %v", r.reads, want)
		}
		e := r.Timeline().Events(time.Time{}, time.Time{})[0]
		if e.Unservable != 3 || e.Refill.Statements != 2 || e.State != timeline.Done || e.Effect != string(Shape) || e.Seq != 20 {
			t.Errorf("the timeline says %+v", e)
		}
	})
}

// A server is asked until it has the change.
func TestAppliedIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		stop := r.run()
		defer stop()
		r.apply("CREATE INDEX i ON t (a)")
		<-time.After(time.Minute)
		if e := r.Timeline().Events(time.Time{}, time.Time{})[0]; len(e.Applied) != 0 || e.State != timeline.Done {
			t.Errorf("before: %+v", e)
		}
		r.mu.Lock()
		r.applied = true
		r.mu.Unlock()
		<-time.After(slowApplied)
		if e := r.Timeline().Events(time.Time{}, time.Time{})[0]; e.Applied["source:3306"].IsZero() {
			t.Errorf("after: %+v", e)
		}
	})
}

// phases are those of the gates that are up.
func (r *rig) phases() map[string]pace.Phase {
	up := map[string]pace.Phase{}
	for _, s := range r.gates.State() {
		up[s.Table] = s.Phase
	}
	return up
}

// While a change runs its tables are held; a pile-up behind it is told to the gate; both end with the change, a little
// later. A tool's copy closes no gate.
func TestPitfall54HeldWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		stop := r.run()
		defer stop()
		alter := inflight.DDL{Server: "source:3306", Source: true, ID: 7, Statement: "ALTER TABLE t ADD COLUMN b int", Kind: "alter_table", Tables: []dep.Name{tableT}}
		tool := inflight.DDL{Server: "source:3306", Source: true, Tool: inflight.GhOst, Tables: []dep.Name{tableU}}
		expect := func(when string, want pace.Phase) {
			t.Helper()
			synctest.Wait()
			if got := r.phases(); got["shop.t"] != want || len(got) > 1 {
				t.Errorf("%s: %v, want %q", when, got, want)
			}
		}
		r.flew([]inflight.DDL{alter, tool})
		expect("it runs", pace.PhaseDDL)
		alter.Waiting, alter.Blocker = true, &inflight.Blocker{ID: 5, User: "app", Host: "here"}
		r.flew([]inflight.DDL{alter, tool})
		expect("it waits", pace.PhasePileUp)
		<-time.After(time.Second)
		alter.Waiting, alter.Blocker = false, nil
		r.flew([]inflight.DDL{alter, tool})
		expect("it runs again", pace.PhaseDDL)
		r.flew([]inflight.DDL{tool})
		expect("it may be on its way", pace.PhaseDDL)
		<-time.After(lingering + 2*lookEvery)
		expect("it is over", "")
		e := r.Timeline().Events(time.Time{}, time.Time{})
		if i := slices.IndexFunc(e, func(e timeline.Event) bool { return e.Kind == "alter_table" }); i < 0 || e[i].State != timeline.Vanished ||
			e[i].Blocker != "connection 5 of app@here" || e[i].Waited < 500*time.Millisecond {
			t.Errorf("the timeline says %+v", e)
		}
	})
}

// A suspicion of the gates ends with a verdict, whether the servers answer or not.
func TestStallIsJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		stop := r.run()
		defer stop()
		for range r.cfg.Pace.StallReads {
			if _, err := r.gates.Enter(t.Context(), []dep.Name{tableT}); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Second)
		began := time.Now()
		if _, err := r.gates.Enter(t.Context(), []dep.Name{tableT}); err != nil || time.Since(began) > verdictWithin {
			t.Errorf("entered after %s: %v", time.Since(began), err)
		}
	})
}

func TestReads(t *testing.T) {
	for sql, want := range map[string]bool{
		"ALTER TABLE t ADD COLUMN b int": true, "CREATE INDEX i ON t (a)": true, "OPTIMIZE TABLE t": true, "TRUNCATE t": true, "DROP TABLE t": true,
		"RENAME TABLE t TO u": true, "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET @a = 1": true, "DROP TRIGGER x": false, "CREATE VIEW v AS SELECT 1": true, "DROP DATABASE shop": true, "ALTER TABLE t DO SOMETHING \"": true,
		"SHOW STATUS": false, "SELECT 1": false, "INSERT INTO t VALUES (1)": false, "CREATE TEMPORARY TABLE t (a int)": false,
		"CREATE USER u IDENTIFIED BY 'secret'": false, "CREATE PROCEDURE p() SELECT 1": false, "": false, "COMMIT": false,
	} {
		if _, _, ddl := reads("shop", sql); ddl != want {
			t.Errorf("%s: %t, want %t", sql, ddl, want)
		}
	}
}

// The interleaving of [Watcher.judge]: a pile-up that only a verdict has told of ends, too.
func TestPitfall54AVerdictIsNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		stop := r.run()
		defer stop()
		r.convict(tableT)
		<-time.After(lingering + 2*lookEvery)
		synctest.Wait()
		if up := r.phases(); len(up) != 0 {
			t.Errorf("gates are up: %v", up)
		}
	})
}

// What MariaDB writes in two phases is one change, when it takes effect.
func TestTwoPhasesAreOneChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		stop := r.run()
		defer stop()
		stage := NewStage(newDiary(), touches(func(*change.Transaction) {}), nil, nil)
		stage.Observer = r.Watcher
		began := time.Now().Truncate(time.Second)
		for i, phase := range []change.Phase{change.Started, change.Started, change.RolledBack, change.Committed} {
			stage.Apply(context.Background(), &change.Transaction{
				Seq: cache.Seq(20 + i), CommittedAt: began, Coarse: true,
				Statements: []change.Statement{{Schema: "shop", SQL: "ALTER TABLE t ADD COLUMN b int", Phase: phase}},
			})
		}
		<-time.After(time.Second)
		all := r.Timeline().Events(time.Time{}, time.Time{})
		if len(all) != 1 || all[0].Effect != string(Shape) || all[0].Seq != 23 || !all[0].Started.Equal(began) || !all[0].Committed.IsZero() {
			t.Errorf("the timeline says %+v", all)
		}
	})
}

// A hundred changes of the same while one is followed up are followed up as one.
func TestManyChangesOfTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, DefaultConfig())
		r.store(t, "hot", 100000, tableT)
		stop := r.run()
		defer stop()
		for range 101 {
			r.apply("ALTER TABLE t ADD COLUMN b int")
		}
		<-time.After(time.Minute)
		if len(r.reads) > 2 {
			t.Errorf("read again %d times", len(r.reads))
		}
		for _, e := range r.Timeline().Events(time.Time{}, time.Time{}) {
			if e.State != timeline.Done || e.Refill.Ended.IsZero() {
				t.Fatalf("the timeline says %+v", e)
			}
		}
		if len(r.Timeline().Events(time.Time{}, time.Time{})) != 101 {
			t.Error("changes are missing")
		}
	})
}
