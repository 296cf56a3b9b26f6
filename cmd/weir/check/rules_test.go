package check

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"weir/cmd/weir/daemon"
	"weir/replicator"
)

// healthy is a world in which nothing is to be said: a source and a replica of a flavour, and a Redis.
func healthy(mariaDB bool) *World {
	cfg := daemon.Default()
	cfg.Source.ServerID, cfg.MaxConnections = 99, 100
	cfg.Redis.Addrs = []string{"redis:6379"}
	source, replica := healthyServer(mariaDB, "source:3306", "1"), healthyServer(mariaDB, "replica:3306", "2")
	source.Source, source.Obstacles = true, map[string]error{}
	source.Schema = &Schema{Tables: 3, Triggers: true, Coarse: map[string]*Some{}}
	replica.Vars["read_only"] = "ON"
	prefix := "source_"
	running := "replica_"
	if mariaDB {
		prefix, running = "master_", "slave_"
	}
	replica.Following = []map[string]string{{
		prefix + "server_id": "1", prefix + "host": "source", prefix + "port": "3306", running + "io_running": "Yes", running + "sql_running": "Yes",
		"seconds_behind_" + prefix[:6]: "0", "sql_delay": "0",
	}}
	return &World{
		Config: cfg, File: "weir.yaml", Secret: true, Servers: []*Server{source, replica}, Errant: map[string]string{"replica:3306": ""},
		Ports: []Port{{Key: "listen", Addr: "127.0.0.1:3307"}, {Key: "admin", Addr: "127.0.0.1:9307"}},
		Redis: &Redis{Addrs: cfg.Redis.Addrs, Latency: time.Millisecond, Info: []map[string]string{{
			"redis_version": "7.0.15", "role": "master", "cluster_enabled": "0", "maxmemory": "1000", "maxmemory_policy": "allkeys-lru", "aof_enabled": "0",
		}}},
	}
}

func healthyServer(mariaDB bool, addr, id string) *Server {
	s := &Server{
		Addr: addr, Backend: true, MariaDB: mariaDB, Version: "9.7.0", TLS: true, Account: "'weir'@'%'", Plugin: mariaDB, Doubt: time.Millisecond,
		Accounts: []Account{{"app", "%", "mysql_native_password"}, {"root", "localhost", "unix_socket"}}, Logins: map[string]error{"app": nil},
		Grants: []string{
			"GRANT SELECT, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT, SHOW VIEW, TRIGGER ON *.* TO `weir`@`%`",
			"GRANT ALL PRIVILEGES ON `other`.* TO `weir`@`%`",
		},
		Status: map[string]string{"innodb_buffer_pool_read_requests": "5000000", "innodb_buffer_pool_reads": "100"},
		Vars: map[string]string{
			"server_id": id, "log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL", "binlog_expire_logs_seconds": "86400",
			"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1", "read_only": "OFF", "innodb_buffer_pool_size": "134217728",
			"transaction_isolation": "REPEATABLE-READ", "autocommit": "ON", "init_connect": "", "max_connections": "151", "wait_timeout": "28800",
			"max_allowed_packet": "67108864", "lower_case_table_names": "0", "sql_mode": "STRICT_TRANS_TABLES",
		},
	}
	if mariaDB {
		s.Version = "10.11.19"
		maps.Copy(s.Vars, map[string]string{"log_slave_updates": "ON", "slave_net_timeout": "60", "query_cache_type": "OFF", "query_cache_size": "1048576"})
	} else {
		maps.Copy(s.Vars, map[string]string{
			"log_replica_updates": "ON", "replica_net_timeout": "60", "gtid_mode": "ON", "enforce_gtid_consistency": "ON", "performance_schema": "ON",
			"binlog_row_value_options": "", "binlog_expire_logs_auto_purge": "ON",
		})
	}
	return s
}

// sick is a change to a healthy world, and what is to be said then.
type sick struct {
	id   string
	want Severity
	// of says on which flavour; both if it is empty.
	of     string
	change func(w *World, source, replica *Server)
}

func variable(on int, name, value string) func(w *World, source, replica *Server) {
	return func(w *World, _, _ *Server) { w.Servers[on].Vars[name] = value }
}

func obstacle(id string) func(w *World, source, replica *Server) {
	return func(_ *World, source, _ *Server) { source.Obstacles[id] = errors.New("so it is; do something") }
}

func following(name, value string) func(w *World, source, replica *Server) {
	return func(_ *World, _, replica *Server) { replica.Following[0][name] = value }
}

func info(name, value string) func(w *World, source, replica *Server) {
	return func(w *World, _, _ *Server) { w.Redis.Info[0][name] = value }
}

func counted(count func(*Schema) *Some) func(w *World, source, replica *Server) {
	return func(_ *World, source, _ *Server) { count(source.Schema).add("shop.t") }
}

func granted(on int, grants ...string) func(w *World, source, replica *Server) {
	return func(w *World, _, _ *Server) { w.Servers[on].Grants = grants }
}

// TestRules: each rule is silent in a healthy world, and speaks in each of these.
func TestRules(t *testing.T) {
	all := sicknesses()
	for _, c := range all {
		for _, mariaDB := range [...]bool{false, true} {
			if flavor := (&Server{MariaDB: mariaDB}).flavor(); c.of != "" && c.of != flavor {
				continue
			}
			w := healthy(mariaDB)
			c.change(w, w.Servers[0], w.Servers[1])
			worst := unseen
			for _, f := range Judge(w).Findings {
				if f.ID == c.id && f.Severity > worst {
					worst = f.Severity
				}
				if f.Severity > OK && f.Meaning == "" {
					t.Errorf("%s says nothing of what it means", f.ID)
				}
			}
			if worst != c.want {
				t.Errorf("%s: got %s, want %s (MariaDB: %v)", c.id, worst, c.want, mariaDB)
			}
		}
	}
	for _, id := range IDs() {
		if !slices.ContainsFunc(all, func(c sick) bool { return c.id == id && c.want > OK }) {
			t.Errorf("nothing shows that %s is found", id)
		}
	}
}

// TestRulesOfHealthy: nothing is said of a healthy world, and each rule has looked, but for those that speak only when
// something is unusual.
func TestRulesOfHealthy(t *testing.T) {
	rare := []string{"source", "semi-sync", "replica-delay", "init-connect"}
	said := map[string]bool{}
	for _, mariaDB := range [...]bool{false, true} {
		for _, f := range Judge(healthy(mariaDB)).Findings {
			said[f.ID] = true
			if f.Severity != OK {
				t.Errorf("%s of %s, which is healthy: %s, %s", f.ID, f.Where, f.Severity, f.Evidence)
			}
		}
	}
	for _, id := range IDs() {
		if said[id] == slices.Contains(rare, id) {
			t.Errorf("%s has looked: %v", id, said[id])
		}
	}
}

// TestRulesWithoutFacts: of a server that could not be asked, nothing is said but that.
func TestRulesWithoutFacts(t *testing.T) {
	w := healthy(false)
	for i, s := range w.Servers {
		w.Servers[i] = &Server{Addr: s.Addr, Source: s.Source, Backend: s.Backend, Err: errors.New("silence")}
	}
	for _, f := range Judge(w).Findings {
		if (f.Where == "source:3306" || f.Where == "replica:3306" || f.Where == aboutServers) && f.ID != "connect" {
			t.Errorf("%s of %s says %s", f.ID, f.Where, f.Evidence)
		}
	}
	empty := healthyServer(true, "empty:3306", "7")
	empty.Vars, empty.Status, empty.Grants, empty.Accounts, empty.Doubt = nil, nil, nil, nil, 0
	Judge(&World{Servers: []*Server{empty, {}}}) // does not panic
}

func sicknesses() []sick {
	return slices.Concat(sickBinlog(), sickReplicas(), sickAccounts(), sickServers(), sickRest())
}

func sickBinlog() []sick {
	return []sick{
		{"binlog-off", Error, "", obstacle(replicator.NoBinlog)},
		{"binlog-off", Error, "", func(_ *World, source, _ *Server) {
			source.Vars["log_bin"], source.Obstacles[replicator.NoBinlog] = "OFF", errors.New("no binlog")
		}},
		{"binlog-format", Error, "", obstacle(replicator.NoRows)}, // a start has seen it, whatever the variable says by now
		{"gtid-mode", Error, "MySQL", obstacle(replicator.NoGTIDs)},
		{"binlog-format", Error, "", func(_ *World, source, _ *Server) {
			source.Vars["binlog_format"], source.Obstacles[replicator.NoRows] = "MIXED", errors.New("no rows")
		}},
		{"row-image", Warning, "", variable(0, "binlog_row_image", "NOBLOB")},
		{"row-image", OK, "", variable(1, "binlog_row_image", "NOBLOB")}, // a replica's binlog is not read
		{"row-value-options", Note, "MySQL", variable(0, "binlog_row_value_options", "PARTIAL_JSON")},
		{"binlog-filter", Warning, "", func(_ *World, source, _ *Server) { source.DoDB = "shop" }},
		{"binlog-filter", Warning, "", func(_ *World, source, _ *Server) { source.IgnoreDB = "shop" }},
		{"binlog-expiry", Warning, "", variable(0, "binlog_expire_logs_seconds", "60")},
		{"binlog-expiry", Note, "", variable(0, "binlog_expire_logs_seconds", "0")},
		{"binlog-durability", Warning, "", variable(0, "sync_binlog", "0")},
		{"binlog-durability", Warning, "", variable(0, "innodb_flush_log_at_trx_commit", "2")},
		{"semi-sync", Note, "MySQL", variable(0, "rpl_semi_sync_source_enabled", "ON")},
		{"semi-sync", Warning, "MariaDB", func(_ *World, source, _ *Server) {
			source.Vars["rpl_semi_sync_master_enabled"], source.Status["rpl_semi_sync_master_clients"] = "ON", "0"
		}},
		{"heartbeat", Note, "MySQL", variable(1, "replica_net_timeout", "3600")},
		{"heartbeat", Note, "MariaDB", variable(1, "slave_net_timeout", "3600")},
		{"heartbeat", OK, "MySQL", variable(0, "replica_net_timeout", "3600")}, // it follows nobody
		{"gtid-mode", Error, "MySQL", variable(1, "gtid_mode", "OFF_PERMISSIVE")},
		{"gtid-consistency", Warning, "MySQL", variable(0, "enforce_gtid_consistency", "WARN")},
		{"server-id", Error, "", variable(1, "server_id", "1")},
		{"server-id", Error, "", variable(1, "server_id", "0")},
		{"server-id", Error, "", func(_ *World, source, _ *Server) { source.Others = []string{"2", "99"} }},
		{"server-id", OK, "", func(_ *World, source, _ *Server) { source.Others = []string{"2", "3"} }},
		{"log-replica-updates", Note, "MySQL", variable(1, "log_replica_updates", "OFF")},
		{"log-replica-updates", Warning, "MariaDB", func(w *World, source, _ *Server) {
			w.Config.Source.Addrs, source.Vars["log_slave_updates"] = []string{"source:3306", "replica:3306"}, "OFF"
		}},
	}
}

func sickReplicas() []sick {
	return []sick{
		{"errant-transactions", Error, "", func(w *World, _, _ *Server) { w.Errant["replica:3306"] = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1" }},
		{"replica", Error, "", func(_ *World, _, replica *Server) { replica.Following = nil }},
		{"replica", Note, "", func(_ *World, _, replica *Server) { replica.FollowingErr = errors.New("no") }},
		{"replica", Note, "MySQL", following("source_server_id", "8")},
		{"replica", Note, "MariaDB", following("master_server_id", "8")},
		{"replica-state", Error, "MySQL", following("replica_sql_running", "No")},
		{"replica-state", Error, "MariaDB", following("slave_io_running", "Connecting")},
		{"replica-lag", Warning, "MySQL", following("seconds_behind_source", "11")},
		{"replica-lag", OK, "MySQL", following("seconds_behind_source", "9")},
		{"replica-delay", Warning, "", following("sql_delay", "60")},
		{"replica-filter", Warning, "", following("replicate_wild_ignore_table", "shop.x%")},
		{"replica-writable", Warning, "", variable(1, "read_only", "OFF")},
		{"read-only-source", Note, "", variable(0, "read_only", "ON")},
		{"read-only-source", Warning, "", func(w *World, source, _ *Server) { w.Config.Writes, source.Vars["read_only"] = "source", "ON" }},
		{"source", Error, "", func(w *World, source, _ *Server) {
			w.Config.Source.Addrs, source.Vars["read_only"] = []string{"source:3306", "replica:3306"}, "ON"
		}},
		{"source", Warning, "", func(w *World, _, replica *Server) {
			w.Config.Source.Addrs, replica.Source, replica.Vars["read_only"] = []string{"source:3306", "replica:3306"}, true, "OFF"
		}},
		{"source", OK, "", func(w *World, _, replica *Server) {
			w.Config.Source.Addrs, replica.Source = []string{"source:3306", "replica:3306"}, true
		}},
	}
}

func sickAccounts() []sick {
	return []sick{
		{"grant-replication", Error, "", obstacle(replicator.NoReplicationGrant)},
		{"grant-position", Error, "", obstacle(replicator.NoPositionGrant)},
		{"grant-select", Error, "", granted(0, "GRANT PROCESS ON *.* TO `weir`@`%`", "GRANT SELECT ON `shop`.* TO `weir`@`%`")},
		{"grant-select", OK, "", granted(1)}, // no definitions are read from a replica
		{"grant-process", Error, "", granted(0, "GRANT SELECT ON *.* TO `weir`@`%`")},
		{"grant-process", Warning, "", granted(1, "GRANT SELECT ON *.* TO `weir`@`%`")},
		{"grant-show-view", Warning, "", granted(0, "GRANT SELECT, PROCESS, TRIGGER ON *.* TO `weir`@`%`")},
		{"grant-show-view", OK, "", granted(0, "GRANT ALL PRIVILEGES ON *.* TO `weir`@`%`")},
		{"grant-trigger", Warning, "", granted(0, "GRANT SELECT, PROCESS, SHOW VIEW ON *.* TO `weir`@`%`")},
		{"grants-unneeded", Note, "", granted(0, "GRANT ALL PRIVILEGES ON *.* TO `weir`@`%`")},
		{"users", Error, "", func(_ *World, _, replica *Server) { replica.Logins["app"] = errors.New("error 1045") }},
		{"account-plugins", Note, "", func(_ *World, source, _ *Server) {
			source.Accounts = append(source.Accounts, Account{"ops", "%", "pam"})
		}},
		{"accounts-differ", Warning, "", func(_ *World, _, replica *Server) { replica.Accounts = replica.Accounts[1:] }},
		{"accounts-differ", Warning, "", func(_ *World, source, _ *Server) { source.Accounts = source.Accounts[1:] }},
	}
}

func sickServers() []sick {
	return []sick{
		{"connect", Error, "", func(_ *World, _, replica *Server) {
			replica.Err = errors.New("it cannot be reached; check that it runs")
		}},
		{"tls", Note, "", func(_ *World, source, _ *Server) { source.TLS = false }},
		{"version", Error, "MySQL", func(_ *World, _, replica *Server) { replica.Version = "8.0.29" }},
		{"version", Error, "MariaDB", func(_ *World, _, replica *Server) { replica.Version = "10.5.9" }},
		{"version", OK, "MySQL", func(_ *World, _, replica *Server) { replica.Version = "8.4.0" }},
		{"flavours", Error, "", func(_ *World, source, replica *Server) { replica.MariaDB = !source.MariaDB }},
		{"performance-schema", Note, "MySQL", variable(1, "performance_schema", "OFF")},
		{"metadata-lock-info", Note, "MariaDB", func(_ *World, source, _ *Server) { source.Plugin = false }},
		{"native-query-cache", Warning, "MariaDB", variable(1, "query_cache_type", "DEMAND")},
		{"native-query-cache", OK, "MariaDB", func(_ *World, source, _ *Server) {
			source.Vars["query_cache_type"], source.Vars["query_cache_size"] = "ON", "0"
		}},
		{"buffer-pool", Note, "", func(_ *World, source, _ *Server) { source.Status["innodb_buffer_pool_reads"] = "500000" }},
		{"buffer-pool", OK, "", func(_ *World, source, _ *Server) {
			source.Status["innodb_buffer_pool_read_requests"], source.Status["innodb_buffer_pool_reads"] = "100", "90" // too young
		}},
		{"clock", Note, "", func(_ *World, source, _ *Server) { source.Clock = -2 * time.Second }},
		{"clock", Warning, "", func(_ *World, source, _ *Server) { source.Clock = time.Hour }},
		{"clock", OK, "", func(_ *World, source, _ *Server) { source.Clock, source.Doubt = 2*time.Second, 1500*time.Millisecond }},
		{"isolation", Warning, "", variable(1, "transaction_isolation", "READ-UNCOMMITTED")},
		{"autocommit", Warning, "", variable(1, "autocommit", "OFF")},
		{"init-connect", Note, "", variable(1, "init_connect", "SET @a = 1")},
		{"max-connections", Note, "", variable(1, "max_connections", "99")},
		{"wait-timeout", Note, "", variable(1, "wait_timeout", "10")},
		{"max-allowed-packet", Warning, "", variable(1, "max_allowed_packet", "1024")},
		{"lower-case-table-names", Error, "", variable(1, "lower_case_table_names", "1")},
		{"defaults-differ", Warning, "", variable(1, "sql_mode", "ANSI")},
	}
}

func sickRest() []sick {
	return []sick{
		{"tables", Warning, "", func(_ *World, source, _ *Server) {
			source.Schema, source.SchemaErr = nil, errors.New("it took too long")
		}},
		{"tables-uncached", Note, "", counted(func(s *Schema) *Some { return &s.Uncached })},
		{"tables-not-transactional", Note, "", counted(func(s *Schema) *Some { return &s.Untransactional })},
		{"tables-no-primary-key", Note, "", counted(func(s *Schema) *Some { return &s.Unkeyed })},
		{"tables-cascade", Note, "", counted(func(s *Schema) *Some { return &s.Cascading })},
		{"tables-trigger", Note, "", counted(func(s *Schema) *Some { return &s.Triggered })},
		{"tables-trigger", unseen, "", func(_ *World, source, _ *Server) { source.Schema.Triggers = false }},
		{"collations", Note, "", func(_ *World, source, _ *Server) { source.Schema.Coarse["x_ci"] = some([]string{"shop.t.c"}) }},
		{"config", Error, "", func(w *World, _, _ *Server) { w.FileErr = errors.New("weir.yaml:3: unknown key") }},
		{"config-readable", Warning, "", func(w *World, _, _ *Server) { w.Readable = true }},
		{"config-readable", unseen, "", func(w *World, _, _ *Server) { w.Readable, w.Secret = true, false }},
		{"cache-off", Note, "", func(w *World, _, _ *Server) { w.Config.Cache.Type = "OFF" }},
		{"cache-off", Note, "", func(w *World, _, _ *Server) { w.Config.Cache.Type = "observe" }},
		{"max-age", Note, "", func(w *World, _, _ *Server) { w.Config.Cache.MaxAge = 0 }},
		{"ports", Error, "", func(w *World, _, _ *Server) { w.Ports[0].Taken = true }},
		{"ports", Error, "", func(w *World, _, _ *Server) { w.Ports[1].Err = errors.New("cannot assign requested address") }},
		{"ports", Note, "", func(w *World, _, _ *Server) { w.Ports[0].Taken, w.Ports[0].Weir = true, true }},
		{"redis", Warning, "", func(w *World, _, _ *Server) { w.Redis.Err = errors.New("no route") }},
		{"redis", Error, "", func(w *World, _, _ *Server) { w.Redis.Err, w.Redis.Streams = errors.New("no route"), true }},
		{"redis-version", Warning, "", info("redis_version", "5.0.7")},
		{"redis-version", OK, "", info("valkey_version", "8.0.1")},
		{"redis-role", Error, "", info("role", "slave")},
		{"redis-role", Error, "", info("cluster_enabled", "1")},
		{"redis-role", Error, "", func(w *World, _, _ *Server) { w.Config.Redis.Cluster = true }},
		{"redis-role", Error, "", func(w *World, _, _ *Server) { w.Redis.Cluster = "fail" }},
		{"redis-memory", Warning, "", info("maxmemory", "0")},
		{"redis-memory", Warning, "", info("maxmemory_policy", "noeviction")},
		{"redis-persistence", Note, "", info("aof_enabled", "1")},
		{"redis-persistence", Note, "", info("save", "3600 1")},
		{"redis-latency", Warning, "", func(w *World, _, _ *Server) { w.Redis.Latency = 4 * time.Millisecond }},
	}
}
