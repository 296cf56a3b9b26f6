package proxy

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"weir/cache"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/login"
	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// served is a session before a real server, with a client that takes everything.
type served struct {
	*session
	t      *testing.T
	client *recorder
}

// recorder is a client that remembers the last thing it was told.
type recorder struct {
	sink
	last []byte
}

func (r *recorder) SetWriteDeadline(time.Time) error { return nil }
func (r *recorder) Write(b []byte) (int, error)      { r.last = slices.Clone(b); return r.sink.Write(b) }

// serverBefore returns a proxy server before a sandbox server.
func serverBefore(t *testing.T, flavor sandbox.Flavor, writes Writes) *Server {
	t.Helper()
	db := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
	if err := db.CreateUser(t.Context(), "app", "app-secret", "ALL PRIVILEGES ON *.*"); err != nil {
		t.Fatal(err)
	}
	ledger := cache.NewLedger(1 << 10)
	ledger.Restart(1)
	cfg := DefaultConfig()
	cfg.Backends, cfg.Source, cfg.Writes = []string{db.Addr()}, db.Addr(), writes
	cfg.Users = []User{{Name: "app", Password: "app-secret"}}
	facts := Facts{Version: "8.4.0", Flavor: statement.MySQL, Charset: func(uint8) string { return "utf8mb4" }}
	if flavor == sandbox.MariaDB {
		facts = Facts{Version: "10.11.6-MariaDB", Flavor: statement.MariaDB, Charset: facts.Charset}
	}
	s := New(cfg, Parts{
		Cache: cache.New(cache.DefaultConfig(), ledger, nil), Catalog: nothing{}, Facts: facts,
		Sampler: func(string) Sampler { return nil }, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(s.closePools)
	return s
}

// nothing is a catalogue of no tables.
type nothing struct{}

func (nothing) Snapshot() (statement.Catalog, uint64) { return nil, 1 }

// open is a client that logs in.
func (s *Server) open(t *testing.T) *served {
	t.Helper()
	client := &recorder{}
	sess := newSession(s, client, &login.Session{User: "app", Collation: 45, Reader: wire.NewReader(nil)}, 7)
	c, err := s.borrow(t.Context(), sess, false)
	if err != nil {
		t.Fatal(err)
	}
	sess.adopt(c.defaults)
	c.pool.put(c)
	t.Cleanup(sess.unpin)
	return &served{sess, t, client}
}

// say sends a text, and returns the error that came back, or 0.
func (s *served) say(text string) wire.Code {
	s.t.Helper()
	if err := s.query(context.Background(), []byte(text)); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return s.answered()
}

func (s *served) answered() wire.Code {
	raw, _, err := wire.Split(s.client.last)
	if err != nil {
		s.t.Fatal(err)
	}
	if e, err := wire.DecodeError(raw[wire.HeaderSize:]); raw[wire.HeaderSize] == 0xff && err == nil {
		return e.Code
	}
	return 0
}

// variables lists what the session variables are on a connection.
func variables(t *testing.T, c *conn) map[string]string {
	t.Helper()
	big, err := c.query("SELECT @@sql_big_selects LIMIT 1") // without it SHOW is refused
	if err == nil {
		err = c.exec("SET sql_big_selects = 1")
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := c.query("SHOW SESSION VARIABLES")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.exec("SET sql_big_selects = " + big[0][0]); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"sql_big_selects": big[0][0]}
	for _, row := range rows {
		if row[0] != "sql_big_selects" {
			all[row[0]] = row[1]
		}
	}
	return all
}

// changing are variables that have another value on each connection, or change by themselves.
var changing = []string{
	"timestamp", "pseudo_thread_id", "rand_seed1", "rand_seed2", "in_transaction", "last_insert_id", "identity", "insert_id",
	"error_count", "warning_count", "last_gtid", "statement_id", "gtid_executed", "gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos",
}

// oneValue are variables that can be set and that have but one value on the servers of the tests.
var oneValue = []string{
	"external_table_secondary_storage_engine", "external_table_storage_engine", "group_replication_consistency", "gtid_next", "innodb_ft_user_stopword_table",
	"query_cache_type", "resultset_metadata", "wsrep_on", "wsrep_trx_fragment_size", "wsrep_trx_fragment_unit",
}

// others are values for variables for which neither the other side of a switch nor another number is one.
var others = map[string][]string{
	"sql_mode": {"'ANSI,NO_BACKSLASH_ESCAPES'"}, "old_mode": {"'NO_DUP_KEY_WARNINGS_WITH_IGNORE'"},
	"time_zone": {"'+05:30'"}, "lc_time_names": {"'de_DE'"}, "lc_messages": {"'de_DE'"},
	"collation_connection": {"latin1_bin"}, "collation_server": {"latin1_bin"}, "collation_database": {"latin1_bin"},
	"character_set_client": {"gbk"}, "character_set_results": {"NULL"}, "character_set_connection": {"gbk"},
	"character_set_server": {"gbk"}, "character_set_database": {"gbk"}, "character_set_filesystem": {"latin1"},
	"default_collation_for_utf8mb4": {"utf8mb4_general_ci"}, "character_set_collations": {"'utf8mb4=utf8mb4_bin'"},
	"transaction_isolation": {"'SERIALIZABLE'"}, "tx_isolation": {"'SERIALIZABLE'"},
	"optimizer_switch": {"'index_merge=off'"}, "optimizer_trace": {"'enabled=on'"}, "optimizer_trace_features": {"'greedy_search=off'"},
	"default_storage_engine": {"MyISAM"}, "storage_engine": {"MyISAM"}, "default_tmp_storage_engine": {"MyISAM"}, "enforce_storage_engine": {"MyISAM"},
	"session_track_system_variables": {"'*'"}, "session_track_transaction_info": {"STATE"}, "session_track_gtids": {"OWN_GTID"},
	"block_encryption_mode": {"'aes-256-cbc'"}, "default_regex_flags": {"'DOTALL'"},
	"system_versioning_asof": {"'2020-01-02 03:04:05'"}, "default_master_connection": {"'it''s \\\\ one'"},
	"log_slow_filter": {"'admin'"}, "log_slow_verbosity": {"'query_plan'"}, "log_slow_disabled_statements": {"'admin'"}, "note_verbosity": {"'basic'"},
	"completion_type": {"CHAIN"}, "binlog_format": {"STATEMENT"}, "binlog_row_image": {"MINIMAL"}, "binlog_row_value_options": {"PARTIAL_JSON"},
	"myisam_stats_method": {"nulls_equal"}, "aria_stats_method": {"nulls_equal"}, "use_stat_tables": {"never"}, "alter_algorithm": {"COPY"},
	"histogram_type": {"SINGLE_PREC_HB"}, "innodb_default_encryption_key_id": nil, "explain_format": {"JSON", "TREE"}, "use_secondary_engine": {"OFF", "FORCED"},
	"old_alter_table": {"ON", "INPLACE"}, "optimizer_adjust_secondary_key_costs": {"'disable_max_seek'", "1"},
	"system_versioning_alter_history": {"KEEP"}, "thread_pool_priority": {"high"}, "updatable_views_with_limit": {"NO"},
	"max_delayed_threads": {"0"}, "max_insert_delayed_threads": {"0"}, "optimizer_trace_offset": {"5"},
	"terminology_use_previous": {"BEFORE_8_0_26"}, "log_disabled_statements": {"'sp'", "'slave'", "''"},
	"rbr_exec_mode": {"IDEMPOTENT"}, "sql_slave_skip_counter": nil, "query_cache_type": nil, "tmp_memory_table_size": nil,
	"internal_tmp_mem_storage_engine": {"MEMORY"}, "gtid_next": {"'AUTOMATIC'"}, "resultset_metadata": {"NONE"},
	"max_session_mem_used": {"1073741824"},
	"wsrep_osu_method":     {"RSU"}, "wsrep_trx_fragment_unit": {"'rows'"}, "session_track_schema": nil, "innodb_ft_user_stopword_table": nil,
	"redirect_url": nil, "column_compression_zlib_strategy": {"FILTERED"}, "wsrep_reject_queries": nil, "innodb_tmpdir": {"'/tmp'"},
	"transaction_write_set_extraction": nil, "debug_set_operations_secondary_overflow_at": nil,
}

// candidates are values that a variable may take, as literals.
func candidates(name, value string) []string {
	if special, ok := others[name]; ok && special != nil {
		return special
	}
	switch value {
	case "ON", "1":
		return []string{"OFF", "0", "2"}
	case "OFF":
		return []string{"ON"}
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err == nil {
		return []string{strconv.FormatUint(n+1, 10), strconv.FormatUint(n/2, 10), strconv.FormatUint(n*2, 10), "1024", "16384", "5"}
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil {
		return []string{fmt.Sprint(f + 1.5), "2.5"}
	}
	return nil
}

// another returns an assignment that gives the variable another value on a connection without complaint; empty if none
// is known. The connection is not used again after it.
func another(t *testing.T, c *conn, name, value string) string {
	t.Helper()
	for _, literal := range candidates(name, value) {
		before, err := c.query("SELECT @@session." + name)
		if err != nil {
			return "" // global, or written only
		}
		sql := "SET SESSION " + name + " = " + literal
		if c.exec(sql) != nil {
			continue
		}
		after, err := c.query("SELECT @@session." + name + " LIMIT 1")
		if err == nil && after[0][0] != before[0][0] {
			return sql
		}
	}
	return ""
}

// A connection that is set up from a session's state has the variables of the one on which the client has set them, for
// every session variable that the server lists. Those that are kept on their connection are listed by name.
func TestPitfall25EveryVariableIsReplayed(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		srv := serverBefore(t, flavor, ToSource)
		probe := srv.open(t)
		p := srv.backends[0].pool(probe.poolKey, false)
		scratch := connected(t, p)
		start := variables(t, scratch)
		var followed, kept, unset []string
		maps.DeleteFunc(start, func(name, _ string) bool { return querycache.Known(name) }) // Weir's own
		for _, name := range slices.Sorted(maps.Keys(start)) {
			sql := another(t, scratch, name, start[name])
			if sql == "" {
				if scratch.exec("SET SESSION "+name+" = DEFAULT") == nil {
					unset = append(unset, name)
				}
				continue
			}
			scratch.quit()
			scratch = connected(t, p)
			if replays(t, srv, name, sql, start[name]) {
				followed = append(followed, name)
			} else {
				kept = append(kept, name)
			}
		}
		t.Logf("followed: %v; kept: %v", followed, kept)
		if unknown := slices.DeleteFunc(unset, func(n string) bool { return slices.Contains(oneValue, n) }); len(unknown) > 0 {
			t.Errorf("the test knows no other value for %v", unknown)
		}
		if len(followed) < 120 {
			t.Errorf("only %d variables are followed", len(followed))
		}
	})
}

func connected(t *testing.T, p *pool) *conn {
	t.Helper()
	c, err := p.connect(t.Context(), state{}, cache.Mark{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// replays sets one variable and reports whether it is followed. It fails the test if it is, and wrongly so.
func replays(t *testing.T, srv *Server, name, sql, before string) bool {
	t.Helper()
	s := srv.open(t)
	defer s.unpin()
	if code := s.say(sql); code != 0 {
		t.Errorf("%s: error %d", sql, code)
		return false
	}
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.bypass != "" {
		if unfollowed(name) == "" {
			t.Errorf("%s: kept on its connection: %s", sql, s.bypass)
		}
		return false
	}
	original, err := srv.borrow(t.Context(), s.session, false)
	if s.pinned != nil {
		original, err = s.pinned, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer original.quit()
	fresh, err := original.pool.connect(t.Context(), s.state, cache.Mark{})
	if err != nil {
		t.Errorf("%s: cannot be replayed as %s: %v", sql, s.state.settings.sql(), err)
		return false
	}
	defer fresh.quit()
	want, got := variables(t, original), variables(t, fresh)
	if want[name] == before {
		t.Errorf("%s: it has not changed from %q", sql, before)
	}
	for other := range want {
		if want[other] != got[other] && !slices.Contains(changing, other) {
			t.Errorf("%s, replayed as %s: %s is %q, want %q", sql, s.state.settings.sql(), other, got[other], want[other])
		}
	}
	return true
}
