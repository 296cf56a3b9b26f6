package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// candidates are a source and its replica, which may change places. Both come up read-only.
type candidates struct {
	*world // its source is the server that is the source now
	other  *sandbox.Server

	promoted time.Time // when the last promotion began, and the epoch that ended with it
	epoch    uint64
}

// readOnlyAtStart is for a server that takes writes only when it is told to.
func readOnlyAtStart(o sandbox.Options) sandbox.Options {
	o.Extra = append(o.Extra, "--read-only=ON")
	return o
}

// newCandidates starts two servers with the table shop.t, and an account whose writes a read-only server refuses.
func newCandidates(t *testing.T, flavor sandbox.Flavor) *candidates {
	t.Helper()
	p := &candidates{world: newSource(t, readOnlyAtStart(sandbox.Options{Flavor: flavor}))}
	p.takesWrites(p.source, true)
	p.must(p.source.CreateUser(t.Context(), "writer", "writer-secret", "SELECT, INSERT, UPDATE, CREATE, ALTER ON shop.*"))
	p.other = sandboxtest.Server(t, readOnlyAtStart(sandbox.Options{Flavor: flavor, ReplicaOf: p.source}))
	p.must(p.other.CatchUp(t.Context()))
	sandboxtest.Exec(t, p.source, "CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB",
		"INSERT INTO shop.t VALUES (1, 'old'), (2, 'other')")
	p.must(p.other.CatchUp(t.Context()))
	return p
}

// bothMayBe lets both servers be the source. Without backends the source answers reads.
func (p *candidates) bothMayBe(c *Config) {
	c.Source.Addr, c.Source.Addrs = "", []string{p.source.Addr(), p.other.Addr()}
}

func (p *candidates) takesWrites(s *sandbox.Server, yes bool) {
	p.t.Helper()
	p.must(s.Exec(p.t.Context(), "SET GLOBAL read_only = "+map[bool]string{true: "OFF", false: "ON"}[yes]))
}

// swap promotes the replica: first the old source becomes read-only, then the new one has all, then it takes writes, and at
// last the old one follows it.
func (p *candidates) swap() {
	p.t.Helper()
	p.takesWrites(p.source, false)
	p.must(p.other.CatchUp(p.t.Context()))
	p.promote()
	p.follows()
}

// promote lets the replica take writes, with what it has.
func (p *candidates) promote() {
	p.t.Helper()
	p.must(p.other.Promote(p.t.Context()))
	p.promoted, p.epoch = time.Now(), p.weir.ledger.Epoch()
	p.takesWrites(p.other, true)
	p.source, p.other = p.other, p.source
}

// fails kills the source and promotes the replica once it has applied what it had got.
func (p *candidates) fails() {
	p.t.Helper()
	p.source.Kill()
	p.applied(p.other)
	p.promote()
}

// applied waits until a replica whose source is dead has applied what it had got.
func (p *candidates) applied(s *sandbox.Server) {
	p.t.Helper()
	state := map[sandbox.Flavor]string{sandbox.MariaDB: "Slave_SQL_Running_State", sandbox.MySQL: "Replica_SQL_Running_State"}[p.flavor]
	p.eventually("the replica has applied everything", func() bool {
		status, err := s.ReplicaStatus(p.t.Context())
		return err == nil && strings.Contains(status[state], "has read all relay log")
	})
}

// follows makes the server that is not the source its replica. What it has of its own stays.
func (p *candidates) follows() {
	p.t.Helper()
	if p.flavor == sandbox.MariaDB {
		row := p.connect(p.source.Addr(), "app", "app-secret", "").ask("SELECT @@global.gtid_slave_pos")
		place := strings.TrimSpace(strings.TrimPrefix(string(row), "@@global.gtid_slave_pos\n"))
		p.must(p.other.Exec(p.t.Context(), fmt.Sprintf("SET GLOBAL gtid_slave_pos = '%s'", place)))
	}
	p.must(p.other.Follow(p.t.Context(), p.source))
}

// isFollowed waits until Weir follows the source, and serves from the cache.
func (p *candidates) isFollowed() {
	p.t.Helper()
	p.eventually("Weir follows "+p.source.Addr(), func() bool {
		return p.servesAgain()
	})
	p.complete()
}

// servesAgain reports whether Weir follows the source in an epoch of it, and may serve from the cache.
func (p *candidates) servesAgain() bool {
	return p.weir.sourceAddr() == p.source.Addr() && p.weir.ledger.Epoch() > p.epoch && p.weir.notReady() == ""
}

// at connects to a server as the account whose writes a read-only server refuses.
func (p *candidates) at(s *sandbox.Server) *client {
	return p.connect(s.Addr(), "writer", "writer-secret", "shop")
}
