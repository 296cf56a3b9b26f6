package proxy

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// insideSession is hitSession's session, in a transaction whose snapshot has everything that is cached.
func insideSession(t *testing.T) (*session, *sink, []byte) {
	t.Helper()
	s, client, text := hitSession(t)
	s.server.cfg.Transactions = Snapshot
	ledger := s.server.cache.Ledger()
	e := s.server.cache.Get(s.makeKey(text), time.Hour)
	versioned := cache.NewEntry(e.Key(), e.Wire(), e.Tags, e.At)
	versioned.Versioned = true
	s.server.cache.Put(versioned, time.Hour)
	s.pinned = &conn{status: wire.StatusAutocommit | readOnlyFlags}
	s.tx = &transaction{stage: fixed, snapshot: cache.Snapshot{Holds: e.At, Opened: ledger.Now(), Read: map[cache.Tag]time.Duration{}}}
	for _, t := range e.Tags {
		s.tx.snapshot.Read[t] = ledger.Now()
	}
	ledger.SetComplete(ledger.Epoch(), ledger.Now())
	return s, client, text
}

func TestHitInsideATransactionAllocatesNothing(t *testing.T) {
	s, client, text := insideSession(t)
	ctx := context.Background()
	s.query(ctx, text)
	s.query(ctx, text)
	if n := testing.AllocsPerRun(1000, func() { s.query(ctx, text) }); n != 0 {
		t.Errorf("a hit inside a transaction allocates %v times", n)
	}
	inside := s.server.metrics.total(insideOf)
	if client.written == 0 || inside < 1000 || inside != s.server.digests.Hits() {
		t.Errorf("%d hits inside", inside)
	}
}

// When nothing may be served inside.
func TestInside(t *testing.T) {
	for name, change := range map[string]func(*session){
		"no transaction that is followed":                func(s *session) { s.tx = nil },
		"the snapshot is not fixed yet":                  func(s *session) { s.tx.stage = begun },
		"the BEGIN is not sent yet":                      func(s *session) { s.tx.stage = pending },
		"the snapshot is of another epoch":               func(s *session) { s.tx.snapshot.Holds.Epoch++ },
		"the snapshot is older":                          func(s *session) { s.server.cache.Ledger().Record(11, allTags(s)) },
		"a table was not read in the transaction":        func(s *session) { delete(s.tx.snapshot.Read, allTags(s)[2]) },
		"the transaction went back to a savepoint":       func(s *session) { s.trackLocks(statement.Statement{Kind: statement.Savepoint}) },
		"nothing is known of the snapshot":               func(s *session) { s.tx.snapshot.Holds = cache.Mark{} },
		"the ledger is not complete as of the snapshot":  func(s *session) { s.tx.snapshot.Opened = time.Hour },
		"the session did what Weir does not follow":      func(s *session) { s.bypass = "x" },
		"the settings after a SET are not known":         func(s *session) { s.assigned = []string{"sql_mode"} },
		"nothing is cached under the settings":           func(s *session) { s.unsafe = true },
		"the session wants nothing from the cache":       func(s *session) { s.staleness = 0 },
		"READ COMMITTED, and the stream is not current":  func(s *session) { s.tx.each, s.staleness = true, 1 },
		"READ COMMITTED, and the row changed since then": func(s *session) { s.tx.each = true; s.server.cache.Ledger().Record(11, allTags(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _, text := insideSession(t)
			if s.inside(s.makeKey(text)) == nil {
				t.Fatal("it is no hit to begin with")
			}
			change(s)
			if s.inside(s.makeKey(text)) != nil {
				t.Error("it is a hit")
			}
		})
	}
}

func allTags(s *session) []cache.Tag {
	return s.server.cache.Get(s.makeKey([]byte("SELECT name, price FROM products WHERE category = 12 ORDER BY price LIMIT 20")), time.Hour).Tags
}

func TestFlagsOfAStoredResult(t *testing.T) {
	for _, rows := range [][]wire.Row{nil, {{[]byte("a"), nil}}, {{[]byte("a"), nil}, {[]byte("\xfe\x00\x00\x02\x00"), []byte("b")}}} {
		result := wire.Result{Columns: []wire.Column{{Name: "x"}, {Name: "y"}}, Rows: rows, Status: wire.StatusAutocommit}
		plain, _ := result.AppendPackets(nil, 1)
		result.Status |= readOnlyFlags
		want, _ := result.AppendPackets(nil, 1)
		if err := addFlags(plain, readOnlyFlags); err != nil || string(plain) != string(want) {
			t.Errorf("got %q (%v), want %q", plain, err, want)
		}
		if last := wire.Status(binary.LittleEndian.Uint16(plain[len(plain)-2:])); !last.Has(readOnlyFlags | wire.StatusAutocommit) {
			t.Errorf("the last flags are %b", last)
		}
	}
	if addFlags([]byte("\x01\x00"), readOnlyFlags) == nil {
		t.Error("flags were set in half a packet")
	}
}

// What goes on after a statement, before the snapshot is fixed and afterwards.
func TestWhatATransactionKeeps(t *testing.T) {
	read := statement.Statement{Kind: statement.Read, Cacheable: true}
	for _, c := range []struct {
		st          statement.Statement
		early, late bool
	}{
		{read, false, true},
		{statement.Statement{Kind: statement.Read, Reason: statement.NotSelect}, false, true},
		{statement.Statement{Kind: statement.Read, Stateful: true}, false, true}, // COM_STMT_FETCH
		{statement.Statement{Kind: statement.Read}, true, true},                  // COM_STMT_PREPARE
		{statement.Statement{Kind: statement.SetSession}, true, true},
		{statement.Statement{Kind: statement.SetSession, Stateful: true}, false, true}, // SET @x = (SELECT ...)
		{statement.Statement{Kind: statement.Savepoint}, false, true},
		{statement.Statement{Kind: statement.Prepare}, false, true},
		{statement.Statement{Kind: statement.Write}, false, false},
		{statement.Statement{Kind: statement.Unknown}, false, false},
		{statement.Statement{Kind: statement.Multi}, false, false},
		{statement.Statement{Kind: statement.Execute}, false, false},
	} {
		for stage, want := range map[stage]bool{begun: c.early, fixed: c.late} {
			if got := (&transaction{stage: stage}).keeps(c.st); got != want {
				t.Errorf("%s %+v at stage %d: goes on: %v, want %v", c.st.Kind, c.st, stage, got, want)
			}
		}
	}
}

func TestIsolation(t *testing.T) {
	for _, c := range []struct {
		initial, name, value string
		want                 level
	}{
		{"REPEATABLE-READ", "", "", repeatableRead},
		{"READ-COMMITTED", "", "", readCommitted},
		{"SERIALIZABLE", "", "", otherLevel},
		{"READ-UNCOMMITTED", "", "", otherLevel},
		{"", "", "", otherLevel},
		{"SERIALIZABLE", "tx_isolation", "'REPEATABLE-READ'", repeatableRead},
		{"SERIALIZABLE", "transaction_isolation", "'repeatable read'", repeatableRead},
		{"REPEATABLE-READ", "transaction_isolation", "'SERIALIZABLE'", otherLevel},
		{"REPEATABLE-READ", "transaction_isolation", "DEFAULT", otherLevel},
		{"REPEATABLE-READ", "transaction_isolation", "1", readCommitted},
	} {
		s := &session{}
		if c.name != "" {
			s.state.settings = settings{{c.name, c.value}}
		}
		if got := s.isolation(&conn{defaults: defaults{isolation: c.initial}}); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
	both := &session{state: state{settings: settings{{"transaction_isolation", "'REPEATABLE-READ'"}, {"tx_isolation", "'REPEATABLE-READ'"}}}}
	if got := both.isolation(&conn{}); got != otherLevel {
		t.Errorf("both names: got %d", got)
	}
}
