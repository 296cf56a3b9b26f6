package check

import (
	"fmt"
	"strings"
	"time"

	"weir/replicator"
)

func binlogRules() []rule {
	return []rule{
		{id: replicator.NoBinlog, server: judgeBinlog},
		{id: replicator.NoRows, server: judgeFormat},
		{id: "row-image", server: judgeImage},
		{id: "row-value-options", server: judgePartial},
		{id: "binlog-filter", server: judgeFilter},
		{id: "binlog-expiry", server: judgeExpiry},
		{id: "binlog-durability", server: judgeDurability},
		{id: "semi-sync", server: judgeSemiSync},
		{id: "heartbeat", server: judgeHeartbeat},
	}
}

// logs reports whether the server is a source that has a binlog: of others its settings do not matter.
func (s *Server) logs() bool { return s.Source && s.asked() && s.on("log_bin") }

func judgeBinlog(_ *World, s *Server) verdict {
	switch {
	case s.obstacle(replicator.NoBinlog) != nil && !s.on("log_bin"):
		return fail(s.seen("log_bin"), "Without a binlog Weir does not hear of changes, and does not start.",
			configure("log_bin = binlog", "binlog_format = ROW", fmt.Sprintf("server_id = %s", orNumber(s.variable("server_id"))))...)
	case s.clear(replicator.NoBinlog):
		return fine("%s", s.seen("log_bin"))
	}
	return verdict{}
}

func orNumber(id string) string {
	if id == "" || id == "0" {
		return "1"
	}
	return id
}

func judgeFormat(_ *World, s *Server) verdict {
	switch {
	case !s.logs():
		return verdict{}
	case s.obstacle(replicator.NoRows) != nil && !strings.EqualFold(s.variable("binlog_format"), "ROW"):
		return fail(s.seen("binlog_format"), "The binlog has statements in place of the rows that they changed. Weir does not start.",
			append(s.set("'ROW'", "binlog_format"), "Sessions that are open keep the old format until they connect again.")...)
	}
	return s.unless(replicator.NoRows, fine("%s", s.seen("binlog_format")))
}

func judgeImage(_ *World, s *Server) verdict {
	image := s.variable("binlog_row_image")
	switch {
	case !s.logs() || image == "":
		return verdict{}
	case strings.EqualFold(image, "FULL") || strings.EqualFold(image, "FULL_NODUP"):
		return fine("%s", s.seen("binlog_row_image"))
	}
	return warn(s.seen("binlog_row_image"),
		"What is not logged cannot be told: an update ends more results than it must, on MariaDB nearly always those of the whole table.",
		s.set("'FULL'", "binlog_row_image")...)
}

func judgePartial(_ *World, s *Server) verdict {
	options, ok := s.Vars["binlog_row_value_options"]
	switch {
	case !s.logs() || !ok:
		return verdict{}
	case options == "":
		return fine("binlog_row_value_options is empty")
	}
	return note(s.seen("binlog_row_value_options"), "Updates of JSON columns are logged in part, so that they count for the whole table.",
		s.set("''", "binlog_row_value_options")...)
}

func judgeFilter(_ *World, s *Server) verdict {
	if !s.logs() || s.obstacle(replicator.NoPositionGrant) != nil {
		return verdict{}
	}
	var seen []string
	for _, f := range [...][2]string{{"binlog_do_db", s.DoDB}, {"binlog_ignore_db", s.IgnoreDB}} {
		if f[1] != "" {
			seen = append(seen, f[0]+"="+f[1])
		}
	}
	if seen == nil {
		return fine("the binlog is not filtered")
	}
	return warn(strings.Join(seen, ", "),
		"Writes to the databases that are left out are in no binlog: results of their tables are served until cache.max_age, whatever changes.",
		"Take binlog_do_db and binlog_ignore_db out of the option file and restart the server; or read those tables with SQL_NO_CACHE.")
}

// A Weir that was down for longer than the binlog is kept starts with an empty cache, and so does one that looks for a warm start.
const shortExpiry = 3600

func judgeExpiry(w *World, s *Server) verdict {
	seconds, ok := s.number("binlog_expire_logs_seconds")
	switch {
	case !s.logs() || !ok:
		return verdict{}
	case seconds == 0 && (s.MariaDB || s.on("binlog_expire_logs_auto_purge")):
		return note(s.seen("binlog_expire_logs_seconds"), "Binlog files are kept for ever, which is well for Weir, until the disk is full.",
			s.set("604800", "binlog_expire_logs_seconds")...)
	case seconds > 0 && seconds < max(shortExpiry, int64(time.Duration(w.Config.Redis.WarmWindow).Seconds())):
		return warn(fmt.Sprintf("binlog_expire_logs_seconds=%d (%s)", seconds, time.Duration(seconds)*time.Second),
			"A Weir that loses its connection for longer finds the binlog gone, and begins with an empty cache. So does one that starts from Redis.",
			s.set("604800", "binlog_expire_logs_seconds")...)
	}
	return fine("%s", s.seen("binlog_expire_logs_seconds"))
}

func judgeDurability(_ *World, s *Server) verdict {
	if !s.logs() {
		return verdict{}
	}
	seen := s.seen("sync_binlog") + ", " + s.seen("innodb_flush_log_at_trx_commit")
	if s.variable("sync_binlog") == "1" && s.variable("innodb_flush_log_at_trx_commit") == "1" {
		return fine("%s", seen)
	}
	return warn(seen,
		"A crash of this server can lose commits that Weir and the replicas have seen. Weir then begins with an empty cache and finds no warm start; a replica that is ahead of the source gives answers that nobody can prove, and they are not kept.",
		append(s.set("1", "sync_binlog"), s.set("1", "innodb_flush_log_at_trx_commit")...)...)
}

func judgeSemiSync(_ *World, s *Server) verdict {
	enabled := s.name("rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled")
	if !s.logs() || enabled == "" || !s.on(enabled) {
		return verdict{}
	}
	seen := s.seen(enabled) + ", " + s.seen("rpl_semi_sync_source_wait_point", "rpl_semi_sync_master_wait_point")
	clients := s.Status["rpl_semi_sync_source_clients"] + s.Status["rpl_semi_sync_master_clients"]
	if clients == "0" {
		return warn(seen+", and no replica that acknowledges",
			"Each commit waits for an acknowledgement until the timeout. Weir reads the binlog and does not acknowledge.",
			"Connect a semi-synchronous replica, or: SET GLOBAL "+enabled+" = OFF;")
	}
	return note(seen, "Weir reads the binlog and does not acknowledge. With AFTER_SYNC it hears of a change before the change can be read; results from in between are not kept.")
}

// slowHeartbeat is the default of MySQL and MariaDB, in seconds.
const slowHeartbeat = 60

func judgeHeartbeat(w *World, s *Server) verdict {
	if !s.asked() {
		return verdict{}
	}
	timeout, ok := s.number("replica_net_timeout", "slave_net_timeout")
	if s.replica() && ok && timeout > slowHeartbeat {
		return note(s.seen("replica_net_timeout", "slave_net_timeout"),
			"A replica whose connection to the source has died without a word notices only after that many seconds. Until then it lags, and its answers are not kept.",
			s.set("60", "replica_net_timeout", "slave_net_timeout")...)
	}
	if !s.Source {
		return verdict{}
	}
	return fine("Weir asks for a heartbeat within max_staleness (%s), whatever the server's own setting", time.Duration(w.Config.MaxStaleness))
}
