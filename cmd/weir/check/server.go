package check

import (
	"fmt"
	"math"
	"time"
)

func serverRules() []rule {
	return []rule{
		{id: "performance-schema", server: judgePerformanceSchema},
		{id: "metadata-lock-info", server: judgePlugin},
		{id: "native-query-cache", server: judgeQueryCache},
		{id: "buffer-pool", server: judgePool},
		{id: "clock", server: judgeClock},
	}
}

func judgePerformanceSchema(_ *World, s *Server) verdict {
	switch {
	case !s.asked() || s.MariaDB:
		return verdict{}
	case s.on("performance_schema"):
		return fine("%s", s.seen("performance_schema"))
	}
	return note(s.seen("performance_schema"), "Metadata locks and the progress of schema changes are not seen; who blocks one is guessed.",
		configure("performance_schema = ON")...)
}

func judgePlugin(_ *World, s *Server) verdict {
	switch {
	case !s.asked() || !s.MariaDB:
		return verdict{}
	case s.Plugin:
		return fine("the plugin METADATA_LOCK_INFO is active")
	}
	return note("the plugin METADATA_LOCK_INFO is not there", "Metadata locks are not seen; who blocks a schema change is guessed.",
		"INSTALL SONAME 'metadata_lock_info';")
}

func judgeQueryCache(_ *World, s *Server) verdict {
	size, ok := s.number("query_cache_size")
	switch {
	case !s.asked() || !ok:
		return verdict{}
	case size == 0 || s.variable("query_cache_type") == "OFF":
		return fine("off")
	}
	means := "Results are kept twice. Each write waits for the server's query cache to be cleared, and each read for its one lock."
	if s.replica() {
		means += " On a replica the applier clears it, and lags for that."
	}
	return warn(s.seen("query_cache_type")+", "+s.seen("query_cache_size"), means+" It does no harm to what Weir promises.",
		append(s.set("OFF", "query_cache_type"), s.set("0", "query_cache_size")...)...)
}

// A pool that has had fewer reads than this is not judged.
const poolRequests = 1e6

func judgePool(_ *World, s *Server) verdict {
	requests, reads := s.counter("innodb_buffer_pool_read_requests"), s.counter("innodb_buffer_pool_reads")
	size, ok := s.number("innodb_buffer_pool_size")
	if !s.asked() || !ok || requests < poolRequests {
		return verdict{}
	}
	ratio := 1 - reads/requests
	seen := fmt.Sprintf("%.2f %% of page reads were in the buffer pool of %s", 100*math.Min(ratio, 0.9999), sizeText(size))
	if ratio >= 0.98 {
		return fine("%s", seen)
	}
	return note(seen, "Misses go to the disk. After schema changes Weir lets reads in as the pool bears it, which takes longer here.",
		s.set(fmt.Sprint(2*size), "innodb_buffer_pool_size")...)
}

func sizeText(n int64) string {
	for _, u := range [...]struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func judgeClock(_ *World, s *Server) verdict {
	if !s.asked() || s.Doubt == 0 {
		return verdict{}
	}
	off := max(0, s.Clock.Abs()-s.Doubt).Round(time.Millisecond)
	way := "behind"
	if s.Clock > 0 {
		way = "ahead of"
	}
	seen := fmt.Sprintf("the server's clock is %s %s Weir's", off, way)
	const means = "No promise depends on clocks, but the measured lag is off by that much: weir_commit_to_ledger_seconds, and the dashboards."
	switch {
	case off < time.Second:
		return fine("the clocks agree within a second")
	case off < 10*time.Second:
		return note(seen, means, "Let both machines set their clocks by NTP.")
	}
	return warn(seen, means, "Let both machines set their clocks by NTP.")
}
