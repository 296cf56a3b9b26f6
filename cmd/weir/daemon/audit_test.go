package daemon

import (
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestAuditFindsWhatTheBinlogDoesNotSay: somebody changes a row and keeps it from the binlog. Nobody could tell Weir; the
// auditor sees it, counts it, and the old result goes. Before that it finds no fault, though rows change all the time.
func TestAuditFindsWhatTheBinlogDoesNotSay(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) { c.Audit = 6000 })
		d, p := w.shop()
		const other = "SELECT v FROM t WHERE id = 2"
		p.warm(other)
		w.eventually("results were audited while rows changed", func() bool {
			d.run("UPDATE t SET v = CONCAT('v', LENGTH(v)) WHERE id = 1")
			p.ask(one)
			p.ask(other)
			return w.counter("weir_audit_total", "outcome", "equal") > 2
		})
		if n := w.counter("weir_audit_total", "outcome", "different"); n != 0 {
			t.Fatalf("%v results are said to differ, and none does", n)
		}
		p.warm(other)
		sandboxtest.Exec(t, w.source, "SET sql_log_bin = 0", "UPDATE shop.t SET v = 'unsaid' WHERE id = 2")
		w.eventually("the auditor finds it", func() bool { p.ask(other); return w.counter("weir_audit_total", "outcome", "different") > 0 })
		if got, hit := p.asked(other); got != "v\nunsaid\n" || !hit {
			t.Errorf("a client gets %q, hit %v", got, hit)
		}
	})
}
