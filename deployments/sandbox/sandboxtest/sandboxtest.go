// Package sandboxtest gives tests servers that end with the test. It is not for programs: every failure is the test's.
//
// A server that is missing on the machine fails the test rather than skipping it: a skipped test looks like one that
// passed.
package sandboxtest

import (
	"database/sql"
	"testing"

	"weir/deployments/sandbox"
)

// Server starts a server for the test and ends it when the test ends. If the test failed, the end of the server's log
// is part of its output.
func Server(t testing.TB, o sandbox.Options) *sandbox.Server {
	t.Helper()
	s, err := sandbox.StartServer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		report(t, string(s.Flavor)+" on "+s.Addr(), s.LogTail())
		s.Kill() // nobody needs the data any more, and an orderly end takes a second
		s.Stop()
	})
	return s
}

// Redis starts a Redis server for the test and ends it when the test ends.
func Redis(t testing.TB, o sandbox.RedisOptions) *sandbox.Redis {
	t.Helper()
	r, err := sandbox.StartRedis(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		report(t, "Redis on "+r.Addr(), r.LogTail())
		r.Stop()
	})
	return r
}

// Prometheus starts a Prometheus with the configuration for the test and ends it when the test ends.
func Prometheus(t testing.TB, config string) *sandbox.Prometheus {
	t.Helper()
	p, err := sandbox.StartPrometheus(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		report(t, "Prometheus on "+p.URL(), p.LogTail())
		p.Stop()
	})
	return p
}

// RedisCluster starts a Redis Cluster for the test and ends it when the test ends.
func RedisCluster(t testing.TB, o sandbox.RedisClusterOptions) *sandbox.RedisCluster {
	t.Helper()
	c, err := sandbox.StartRedisCluster(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		report(t, "Redis Cluster", c.LogTail())
		c.Stop()
	})
	return c
}

// RedisSentinel starts a Redis master with replicas and sentinels for the test and ends them when the test ends.
func RedisSentinel(t testing.TB, o sandbox.RedisSentinelOptions) *sandbox.RedisSentinel {
	t.Helper()
	s, err := sandbox.StartRedisSentinel(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		report(t, "Redis with sentinels", s.LogTail())
		s.Stop()
	})
	return s
}

func report(t testing.TB, server, log string) {
	if t.Failed() {
		t.Logf("the log of %s ends with:\n%s", server, log)
	}
}

// Each runs f as a subtest for each flavor, both at once, and beside other tests: most of such a test is waiting. They run
// after the test's own function has returned, so that the call belongs at its end.
func Each(t *testing.T, f func(t *testing.T, flavor sandbox.Flavor)) {
	t.Parallel()
	EachAlone(t, f)
}

// EachAlone is Each for a test that measures what is the process's, such as its memory: no other test runs meanwhile.
func EachAlone(t *testing.T, f func(t *testing.T, flavor sandbox.Flavor)) {
	for _, flavor := range []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB} {
		t.Run(string(flavor), func(t *testing.T) {
			t.Parallel()
			f(t, flavor)
		})
	}
}

// Exec runs the statements as root, as [sandbox.Server.Exec] does.
func Exec(t testing.TB, s *sandbox.Server, statements ...string) {
	t.Helper()
	if err := s.Exec(t.Context(), statements...); err != nil {
		t.Fatal(err)
	}
}

// RootDB opens a pool for root that is closed when the test ends. An empty schema selects none.
func RootDB(t testing.TB, s *sandbox.Server, schema string) *sql.DB {
	t.Helper()
	db, err := s.RootDB(schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
