package proxy

import (
	"context"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weir/proxy/wire"
)

// completes keeps the ledger complete until the test ends, as a probe does.
func completes(t *testing.T, srv *Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		for ledger := srv.cache.Ledger(); ctx.Err() == nil; {
			ledger.SetComplete(ledger.Epoch(), ledger.Now())
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() { stop(); all.Wait() })
}

// TestAudit: what a backend answers is compared only if nothing that the result depends on has changed meanwhile, and a
// difference counts only if the answer is the same twice.
func TestAudit(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	for _, tt := range []struct {
		want  auditOutcome
		after string // what a client gets afterwards
		asks  int    // how often the audit asks
		does  func(t *testing.T, srv *Server, asked int64, c net.Conn) bool
	}{
		{auditEqual, "1;2", 1, func(_ *testing.T, _ *Server, _ int64, c net.Conn) bool { return rows(c, "1", "2") }},
		{auditOrder, "1;2", 1, func(_ *testing.T, _ *Server, _ int64, c net.Conn) bool { return rows(c, "2", "1") }},
		{auditDifferent, "1;3", 2, func(_ *testing.T, _ *Server, _ int64, c net.Conn) bool { return rows(c, "1", "3") }},
		{auditUndetermined, "1;2", 2, func(_ *testing.T, _ *Server, n int64, c net.Conn) bool { return rows(c, strconv.FormatInt(n, 10)) }},
		{auditUnread, "1;2", 1, func(_ *testing.T, _ *Server, _ int64, c net.Conn) bool {
			return write(c, wire.Errorf(wire.CodeNoSuchTable, "no"))
		}},
		{auditChanged, "1;3", 1, func(_ *testing.T, srv *Server, n int64, c net.Conn) bool {
			if n == 1 {
				touch(srv, "t", 95)
			}
			return rows(c, "1", "3")
		}},
	} {
		t.Run(string(tt.want), func(t *testing.T) {
			srv, _, only, addr := gated(t, func(c net.Conn) bool { return rows(c, "1", "2") })
			completes(t, srv)
			client := dialFake(t, addr)
			outcomeOf(client, text)
			e := srv.cache.Get(keyOf(t, srv, text), srv.cfg.MaxStaleness)
			var asked atomic.Int64
			only.setScript(func(c net.Conn) bool { return tt.does(t, srv, asked.Add(1), c) })
			if got := srv.Audit(t.Context(), e); got != string(tt.want) || asked.Load() != int64(tt.asks) {
				t.Errorf("the audit says %s and asked %d times", got, asked.Load())
			}
			if got := outcomeOf(client, text); got != tt.after {
				t.Errorf("afterwards a client gets %s, want %s", got, tt.after)
			}
			if n := srv.usedConnections(); n != 0 {
				t.Errorf("%d connections are still used", n)
			}
		})
	}
}

// TestAuditStoresNothing: it is no miss of a client's, nothing that it reads is stored, and it joins nobody.
func TestAuditStoresNothing(t *testing.T) {
	const text = "SELECT v FROM t WHERE v = 1"
	srv, _, _, addr := gated(t, fakeAnswers)
	completes(t, srv)
	outcomeOf(dialFake(t, addr), text)
	key := keyOf(t, srv, text)
	e := srv.cache.Get(key, srv.cfg.MaxStaleness)
	misses := srv.metrics.total(missesOf)
	if got := srv.Audit(t.Context(), e); got != string(auditEqual) {
		t.Errorf("the audit says %s", got)
	}
	if again := srv.cache.Get(key, srv.cfg.MaxStaleness); again != e || srv.metrics.total(missesOf) != misses {
		t.Error("the audit has stored what it read, or counts as a client's miss")
	}
}
