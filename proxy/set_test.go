package proxy

import (
	"context"
	"testing"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// after is what is expected of a session after some statements.
type after struct {
	code   wire.Code // of the last statement
	hits   bool      // it may be answered from the cache
	pinned bool      // it has a connection of its own
	sql    string    // its settings
}

// followedSets are statements, on both flavours, and what becomes of the session. The last statement of each list is
// answered before anything is looked at.
var followedSets = []struct {
	name string
	say  []string
	want after
}{
	{"a literal", []string{"SET time_zone = '+05:30'"},
		after{hits: true, sql: "SET SESSION time_zone = '+05:30'"}},
	{"what the server makes of it", []string{"set @@session.sql_mode := 'no_backslash_escapes'"},
		after{hits: true, sql: "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'"}},
	{"computed", []string{"SET sql_mode = 'ANSI_QUOTES'", "SET sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT')"},
		after{hits: true, sql: "SET SESSION sql_mode = 'PIPES_AS_CONCAT,ANSI_QUOTES'"}},
	{"nested", []string{"SET SESSION sql_mode = 'ANSI_QUOTES'", "SET SESSION sql_mode=(SELECT REPLACE(@@sql_mode,'ANSI_QUOTES','')), group_concat_max_len = GREATEST(@@group_concat_max_len, CAST(2000000 AS UNSIGNED))"},
		after{hits: true, sql: "SET SESSION group_concat_max_len = 2000000, SESSION sql_mode = ''"}},
	{"NULL", []string{"SET character_set_results = NULL"},
		after{hits: true, sql: "SET SESSION character_set_results = NULL"}},
	{"SET NAMES", []string{"SET NAMES 'latin1' COLLATE 'latin1_bin'"},
		after{hits: true, sql: "SET NAMES 'latin1' COLLATE 'latin1_bin', SESSION character_set_client = 'latin1', SESSION collation_connection = 'latin1_bin'"}},
	{"a character set brings its collation", []string{"SET character_set_connection = latin1"},
		after{hits: true, sql: "SET SESSION collation_connection = 'latin1_swedish_ci'"}},
	{"no rows by default", []string{"SET sql_select_limit = 0"},
		after{hits: true, sql: "SET SESSION sql_select_limit = 0"}},
	{"the mysql client's --safe-updates", []string{"SET SQL_SAFE_UPDATES=1,SQL_SELECT_LIMIT=1000,MAX_JOIN_SIZE=1000000"},
		after{hits: true, sql: "SET SESSION max_join_size = 1000000, SESSION sql_big_selects = 0, SESSION sql_safe_updates = 1, SESSION sql_select_limit = 1000"}},
	{"autocommit as it is", []string{"SET autocommit=1"}, after{hits: true}},
	{"autocommit off", []string{"SET autocommit=0"},
		after{pinned: true, sql: "SET SESSION autocommit = 0"}},
	{"autocommit off and on", []string{"SET autocommit=0", "SET @@session.autocommit = ON", "SELECT 1"}, after{hits: true}},

	{"a user variable", []string{"SET @a = 1"}, after{hits: true, pinned: true}},
	{"a user variable and others", []string{"SET @OLD=@@sql_mode, sql_mode='ANSI_QUOTES'", "SELECT 1"},
		after{hits: true, pinned: true, sql: "SET SESSION sql_mode = 'ANSI_QUOTES'"}},
	{"from a user variable", []string{"SET @tz = '+02:00'", "SET time_zone = @tz", "SELECT 1"},
		after{hits: true, pinned: true, sql: "SET SESSION time_zone = '+02:00'"}},

	{"an error before anything", []string{"SET sql_mode = 'NO_SUCH_MODE'"},
		after{code: 1231, hits: true, pinned: true}},
	{"half done", []string{"SET sql_mode = 'PIPES_AS_CONCAT', time_zone = 'nowhere'"},
		after{code: 1298, pinned: true}},
	{"an unknown variable", []string{"SET no_such_variable = 1", "SELECT 1"}, after{hits: true}},

	{"the next transaction alone", []string{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"}, after{pinned: true}},
	{"until it has begun and ended", []string{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN", "SELECT 1", "COMMIT"}, after{hits: true}},
	{"and not before", []string{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN", "COMMIT AND CHAIN"}, after{pinned: true}},

	{"a clock that stands still", []string{"SET timestamp = 5"}, after{pinned: true}},
	{"a stored function", []string{"SET @a = mysql.no_such_function()"}, after{code: 1305, pinned: true}},
	{"a subquery with tables", []string{"SET @a = (SELECT COUNT(*) FROM information_schema.TABLES)"}, after{pinned: true}},
	{"several statements", []string{"SET time_zone = '+03:00'; SET sql_mode = 'ANSI_QUOTES'", "SELECT 1"},
		after{hits: true, pinned: true, sql: "SET SESSION sql_mode = 'ANSI_QUOTES', SESSION time_zone = '+03:00'"}},
	{"what is not cached as long as it holds", []string{"SET sql_auto_is_null = 1"},
		after{sql: "SET SESSION sql_auto_is_null = 1"}},
	{"and what is afterwards", []string{"SET sql_auto_is_null = 1", "SET sql_auto_is_null = 0"},
		after{hits: true, sql: "SET SESSION sql_auto_is_null = 0"}},

	{"Weir's own", []string{"SET weir_max_staleness_ms = 200"}, after{hits: true}},
	{"never from the cache", []string{"SET SESSION weir_max_staleness_ms = 0"}, after{}},
	{"as configured", []string{"SET @@weir_max_staleness_ms = 0", "SET LOCAL weir_max_staleness_ms = DEFAULT"}, after{hits: true}},
	{"no number", []string{"SET weir_max_staleness_ms = 'soon'"}, after{code: 1232, hits: true}},
	{"computed number", []string{"SET weir_max_staleness_ms = 100 + 100"}, after{code: 1232, hits: true}},
	{"below zero", []string{"SET weir_max_staleness_ms = -1"}, after{code: 1231, hits: true}},
	{"unknown", []string{"SET weir_no_such = 1"}, after{code: 1193, hits: true}},
	{"mixed", []string{"SET weir_max_staleness_ms = 1, sql_mode = ''"}, after{code: 1235, hits: true}},
	{"not of the session", []string{"SET GLOBAL weir_max_staleness_ms = 1"}, after{code: 1235, hits: true}},
	{"among others", []string{"SELECT 1; SET weir_max_staleness_ms = 1"}, after{code: 1235, hits: true}},
	{"a list of Weir's own is done or not", []string{"SET weir_max_staleness_ms = 0, weir_wait_for = 5"}, after{code: 1232, hits: true}},
	{"the user's own of that name", []string{"SET @weir_max_staleness_ms = 0"}, after{hits: true, pinned: true}},
}

// One server of each flavour does for all tests of SET.
func TestSets(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		srv := serverBefore(t, flavor, ToSource)
		for name, test := range map[string]func(*testing.T, *Server){
			"Pitfall25WhatASetLeaves": testPitfall25WhatASetLeaves, "Pitfall33WarningsOfASet": testPitfall33WarningsOfASet,
			"Pitfall40ResetConnection": testPitfall40ResetConnection, "Pitfall25SpellingsShare": testPitfall25SpellingsShare,
			"Pitfall43RepeatedSets": testPitfall43RepeatedSets,
		} {
			t.Run(name, func(t *testing.T) { test(t, srv) })
		}
	})
}

func testPitfall25WhatASetLeaves(t *testing.T, srv *Server) {
	for _, c := range followedSets {
		t.Run(c.name, func(t *testing.T) {
			s := srv.open(t)
			s.poolKey.flags |= wire.ClientMultiStatements
			var got after
			for _, text := range c.say {
				got.code = s.say(text)
			}
			got.hits, got.pinned, got.sql = s.mayHit(), s.pinned != nil, s.state.settings.sql()
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v\nbypass %q, assigned %q", got, c.want, s.bypass, s.assigned)
			}
			s.sameElsewhere()
		})
	}
}

// sameElsewhere fails the test if a connection that is set up for the session has other settings than the session's own.
func (s *served) sameElsewhere() {
	s.t.Helper()
	if s.pinned == nil || s.bypass != "" {
		return
	}
	if err := s.settle(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if s.pinned == nil || s.pinned.inTransaction() {
		return
	}
	other, err := s.pinned.pool.connect(s.t.Context(), s.state, cache.Mark{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer other.quit()
	want, got := variables(s.t, s.pinned), variables(s.t, other)
	for _, name := range []string{"sql_mode", "time_zone", "character_set_results", "collation_connection", "sql_select_limit"} {
		if got[name] != want[name] {
			s.t.Errorf("%s is %q elsewhere, want %q", name, got[name], want[name])
		}
	}
}

// A warning of a SET is there to be asked for, and the question does not keep the settings from being read later.
func testPitfall33WarningsOfASet(t *testing.T, srv *Server) {
	s := srv.open(t)
	s.say("SET max_sort_length = 1") // the least is more
	for range 2 {
		if s.say("SHOW WARNINGS"); !hasRows(t, s.client.last) {
			t.Error("there is no warning")
		}
	}
	if s.mayHit() {
		t.Error("the settings are not known, but the session gets hits")
	}
	s.say("SELECT 1")
	if v, _ := s.state.settings.value("max_sort_length"); v == "" || v == "1" || !s.mayHit() {
		t.Errorf("max_sort_length is %q, hits %v", v, s.mayHit())
	}
}

func hasRows(t *testing.T, b []byte) bool {
	t.Helper()
	_, rest, err := definitions(b, wire.DecodeColumn)
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := wire.Split(rest)
	return err == nil && len(after) > 0
}

// COM_RESET_CONNECTION clears what SET has left, Weir's own variables, and what kept the session from the cache.
func testPitfall40ResetConnection(t *testing.T, srv *Server) {
	s := srv.open(t)
	for _, text := range []string{"SET time_zone = '+01:00'", "SET @a = 1", "SET timestamp = 5", "SET weir_max_staleness_ms = 0", "SET sql_mode = 'ANSI'", "SET TRANSACTION READ ONLY"} {
		if code := s.say(text); code != 0 {
			t.Fatalf("%s: error %d", text, code)
		}
	}
	if err := s.handle(context.Background(), []byte{byte(wire.ComResetConnection)}); err != nil {
		t.Fatal(err)
	}
	own := s.server.facts.Flavor == statement.MySQL // on which the character sets are the server's own then
	if !s.mayHit() || s.pinned != nil || s.assigned != nil || (s.state.settings != nil) != own || s.staleness != s.server.cfg.MaxStaleness {
		t.Errorf("left: hits %v, pinned %v, settings %q, bound %v", s.mayHit(), s.pinned != nil, s.state.settings.sql(), s.staleness)
	}
}

// Two spellings of one setting have one key.
func testPitfall25SpellingsShare(t *testing.T, srv *Server) {
	prefix := func(text string) string {
		s := srv.open(t)
		s.say(text)
		return string(s.prefix)
	}
	want := prefix("SET sql_mode = 'ANSI'")
	for _, text := range []string{"set session sql_mode='ansi'", "SET @@sql_mode = CONCAT('AN', 'SI')", `SET LOCAL sql_mode = "ANSI"`} {
		if prefix(text) != want {
			t.Errorf("%s: has a key of its own", text)
		}
	}
	if prefix("SET sql_mode = 'ANSI_QUOTES'") == want {
		t.Error("ANSI_QUOTES and ANSI have one key")
	}
}

// What is said at each connect is answered here, once it is known.
func testPitfall43RepeatedSets(t *testing.T, srv *Server) {
	cases := []struct {
		text       string
		remembered bool
	}{
		{"SET NAMES utf8mb4", true},
		{"SET SESSION sql_mode = 'ANSI', autocommit = 1", true},
		{"SET sql_mode = DEFAULT", false},
		{"SET sql_mode = CONCAT(@@sql_mode, ',ANSI')", false},
		{"SET @a = 1", false},
		{"SET sql_mode = 'NO_SUCH'", false},
		{"SET max_sort_length = 1", false}, // a warning
		{"SET timestamp = 5", false},
		{"SET autocommit = 0", false},
	}
	for _, c := range cases {
		first, second := srv.open(t), srv.open(t)
		first.say(c.text)
		st := second.analyze(c.text)
		known, ok := srv.sets.get(second.memoKey([]byte(c.text), st))
		if ok != c.remembered {
			t.Errorf("%s: remembered is %v", c.text, ok)
		}
		if !ok {
			continue
		}
		if code := second.say(c.text); code != 0 || second.state.settings.sql() != first.state.settings.sql() || known.after.sql() != first.state.settings.sql() {
			t.Errorf("%s: %q at first, %q then", c.text, first.state.settings.sql(), second.state.settings.sql())
		}
		if second.pinned != nil {
			t.Errorf("%s: it has asked a server", c.text)
		}
	}
}

// What is remembered of a SET is forgotten when accounts change, and is not for sessions that were otherwise before.
func TestRepeatedSetsHaveKeys(t *testing.T) {
	text := "SET sql_mode = 'ANSI'"
	st := statement.NewAnalyzer().Analyze(text, statement.Env{})
	key := func(change func(*session)) string {
		s, _, _ := hitSession(t)
		change(s)
		s.makePrefix()
		return s.memoKey([]byte(text), st)
	}
	same := key(func(*session) {})
	if same == "" || same != key(func(*session) {}) {
		t.Fatal("one session, two keys")
	}
	for name, change := range map[string]func(*session){
		"account":  func(s *session) { s.account = &account{user: "other", listed: true} },
		"settings": func(s *session) { s.state.settings = s.state.settings.with("sql_mode", "'NO_BACKSLASH_ESCAPES'") },
		"defaults": func(s *session) { s.defaults.text = "sql_mode=ANSI_QUOTES" },
		"accounts": func(s *session) { recordAccounts(s.server) },
	} {
		if key(change) == same {
			t.Errorf("%s: the same key", name)
		}
	}
	if pinned := key(func(s *session) { s.pinned = &conn{} }); pinned != "" {
		t.Error("a session with a connection of its own has a key")
	}
}

func TestStatusFollowsSQLMode(t *testing.T) {
	for _, c := range []struct {
		mode   string
		flavor statement.Flavor
		want   wire.Status
	}{
		{"''", statement.MySQL, wire.StatusAutocommit},
		{"'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", statement.MySQL, wire.StatusAutocommit | wire.StatusNoBackslashEscapes},
		{"'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'", statement.MariaDB, wire.StatusAutocommit | wire.StatusNoBackslashEscapes | wire.StatusANSIQuotes},
	} {
		s, _, _ := hitSession(t)
		s.server.facts.Flavor = c.flavor
		s.setState(state{settings: settings(nil).with("sql_mode", c.mode)})
		if got := s.status(); got != c.want {
			t.Errorf("%s: got %x, want %x", c.mode, got, c.want)
		}
	}
}
