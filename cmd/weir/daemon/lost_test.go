package daemon

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// loss is a way to lose the place in the binlog. It leaves the network as it should be and returns the value that the
// row then has on the source.
type loss struct {
	name string
	do   func(l *lossWorld) (value string)
	kept bool // the place need not be lost: the stream may go on
}

type lossWorld struct {
	*world
	network *relay
	d       *client
}

// Each loss comes while an answer is cached that the change makes wrong: the stream must not be resumed as if the
// change had been seen.
func TestPitfall14LostPlace(t *testing.T) {
	losses := []loss{
		{name: "purged", do: (*lossWorld).purged},
		{name: "reset", do: (*lossWorld).reset},
		{name: "reset and grown", do: (*lossWorld).resetAndGrown},
		{name: "reset to the same length", do: (*lossWorld).resetToTheSameLength},
		{name: "reset while connected", do: (*lossWorld).resetWhileConnected},
		{name: "reset and grown while connected", do: (*lossWorld).resetAndGrownWhileConnected},
		{name: "reset to the same length while connected", do: (*lossWorld).resetToTheSameLengthWhileConnected},
		{name: "restarted", do: (*lossWorld).restarted, kept: true},
		{name: "killed", do: (*lossWorld).killed, kept: true},
	}
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network := behind(t, flavor, false)
		d, p := w.shop()
		d.run("CREATE TABLE shop.filler (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(200))")
		l := &lossWorld{world: w, network: network, d: d}
		w.works(l.d, p, "before")
		for _, c := range losses {
			before := w.counter("weir_stream_lost_total", "", "")
			value := c.do(l)
			at := time.Now()
			if t.Failed() {
				t.Fatalf("%s: see above", c.name)
			}
			p.rightAfter(at, one, answer("v\n"+value+"\n"))
			w.complete()
			p.rightAfter(at, one, answer("v\n"+value+"\n"))
			w.works(l.d, p, "after")
			if n := w.counter("weir_stream_lost_total", "", ""); n == before && !c.kept {
				t.Errorf("%s: weir_stream_lost_total did not rise", c.name)
			}
			if t.Failed() {
				t.Fatalf("%s: see above", c.name)
			}
		}
	})
}

// disconnect takes the network down and waits until the source has noticed.
func (l *lossWorld) disconnect() {
	l.network.down()
	l.eventually("the source sends its binlog to nobody", func() bool {
		n := l.d.ask("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%'")
		return strings.HasSuffix(string(n), "\n0\n")
	})
}

func (l *lossWorld) reconnect() { l.network.lead(l.source.Addr()) }

func (l *lossWorld) forgetBinlogs() {
	l.d.run(l.say("RESET BINARY LOGS AND GTIDS", "RESET MASTER"))
}

func (l *lossWorld) update(value string) {
	l.d.run(fmt.Sprintf("UPDATE shop.t SET v = '%s' WHERE id = 1", value))
}

// grow writes until the binlog is longer than before, in bytes and in transactions.
func (l *lossWorld) grow(before sandbox.Position) {
	for i := 0; i < 60; i++ {
		l.d.run("INSERT INTO shop.filler (v) VALUES (REPEAT('x', 200))")
	}
	if now := l.position(); now.File != before.File || now.Pos <= before.Pos {
		l.t.Errorf("the binlog ends at %+v, before at %+v; the test shows nothing", now, before)
	}
}

func (l *lossWorld) position() sandbox.Position {
	p, err := l.source.Position(l.t.Context())
	l.must(err)
	return p
}

func (l *lossWorld) purged() string {
	l.disconnect()
	l.update("purged")
	l.d.run("FLUSH BINARY LOGS")
	l.d.run("FLUSH BINARY LOGS")
	l.eventually("all but the last binlog are purged", func() bool { // MariaDB keeps what a crash might need, for a while
		l.d.run("PURGE BINARY LOGS TO '" + l.position().File + "'")
		return strings.Count(string(l.d.ask("SHOW BINARY LOGS")), "binlog.") == 1
	})
	l.reconnect()
	return "purged"
}

func (l *lossWorld) reset() string {
	l.disconnect()
	l.forgetBinlogs()
	l.update("reset")
	l.reconnect()
	return "reset"
}

func (l *lossWorld) resetAndGrown() string {
	before := l.position()
	l.disconnect()
	l.forgetBinlogs()
	l.update("grown")
	l.grow(before)
	l.reconnect()
	return "grown"
}

// resetToTheSameLength makes a second history that has the same file, position and GTIDs as the first.
func (l *lossWorld) resetToTheSameLength() string {
	l.update("same 0")
	l.disconnect()
	l.forgetBinlogs()
	l.reconnect()
	l.complete()
	l.update("same 1")
	l.update("same 2")
	l.complete()
	l.proxy("app", "shop").warm(one)
	before := l.position()
	<-time.After(1100 * time.Millisecond) // another second: binlogs say when they were begun
	l.disconnect()
	l.forgetBinlogs()
	l.update("same 3")
	l.update("same 4")
	if now := l.position(); now.File != before.File || now.Pos != before.Pos {
		l.t.Errorf("the binlog ends at %+v, before at %+v; the test shows nothing", now, before)
	}
	l.reconnect()
	return "same 4"
}

func (l *lossWorld) resetWhileConnected() string {
	l.forgetBinlogs()
	l.update("reset")
	return "reset"
}

// resetAndGrownWhileConnected: nothing gets through while it happens, so that nobody sees the position go back.
func (l *lossWorld) resetAndGrownWhileConnected() string {
	before := l.position()
	l.network.holdAll()
	l.forgetBinlogs()
	l.update("grown")
	l.grow(before)
	l.network.pass()
	return "grown"
}

func (l *lossWorld) restarted() string {
	l.must(l.source.Restart(l.t.Context()))
	l.d = l.direct("app", "shop")
	l.update("restarted")
	return "restarted"
}

func (l *lossWorld) killed() string {
	l.source.Kill()
	l.must(l.source.Restart(l.t.Context()))
	l.d = l.direct("app", "shop")
	l.update("killed")
	return "killed"
}

// Another server answers at the address, with other rows in the same tables; and then the first one again.
func TestPitfall14AnotherServerBehindTheAddress(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		other := newSource(t, sandbox.Options{Flavor: flavor})
		elsewhere := other.direct("app", "")
		elsewhere.run("CREATE DATABASE shop")
		elsewhere.run("CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB")
		elsewhere.run("INSERT INTO shop.t VALUES (1, 'elsewhere')")

		w, network := behind(t, flavor, true)
		d, p := w.shop()
		p.warm(one)
		w.moves(network, other.source, p, "elsewhere")
		w.works(elsewhere, p, "still elsewhere")
		w.moves(network, w.source, p, "old")
		w.works(d, p, "back")
	})
}

// moves lets the address lead to another server.
func (w *world) moves(network *relay, to *sandbox.Server, p *client, value string) {
	w.t.Helper()
	before := w.counter("weir_stream_lost_total", "", "")
	network.lead(to.Addr())
	network.cut()
	p.rightAfter(time.Now(), one, answer("v\n"+value+"\n"))
	w.eventually("the place is lost", func() bool { return w.counter("weir_stream_lost_total", "", "") > before })
}

// A replica that has a transaction of its own takes the source's place.
func TestPitfall14PromotionWithAnErrantTransaction(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network := behind(t, flavor, true)
		_, p := w.shop()
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: w.source})
		w.must(replica.CatchUp(t.Context()))
		p.warm(one)
		sandboxtest.Exec(t, replica, "UPDATE shop.t SET v = 'errant' WHERE id = 1")
		w.must(replica.StopReplica(t.Context(), ""))
		w.moves(network, replica, p, "errant")
		w.works(w.connect(replica.Addr(), "app", "app-secret", "shop"), p, "promoted")
	})
}

// The stream alone breaks, and the address leads elsewhere by then. The connection for questions still leads to the
// first server; Weir must not stay with two opinions for ever.
func TestPitfall14OnlyTheStreamMoves(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		other := newSource(t, sandbox.Options{Flavor: flavor})
		w, network := behind(t, flavor, false)
		_, p := w.shop()
		p.warm(one)
		first := w.weir.reader.Following()
		network.lead(other.source.Addr())
		network.cutDumps()
		w.eventually("Weir follows the other server", func() bool {
			return w.weir.reader.Following() != first && w.weir.notReady() == ""
		})
	})
}

// The server restarts while Weir keeps idle connections to it. Nobody who asks afterwards gets to hear of them.
func TestIdleConnectionsOutlivedByTheirServer(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		_, p := w.shop()
		var all sync.WaitGroup
		for range 10 {
			c := w.proxy("app", "shop")
			all.Go(func() { c.ask("SELECT SLEEP(0.3)") })
		}
		all.Wait()
		w.must(w.source.Restart(t.Context()))
		for range 10 {
			if got := p.ask("SELECT SQL_NO_CACHE v FROM t WHERE id = 1"); got != "v\nold\n" {
				t.Errorf("after the restart Weir answers %q", got)
			}
		}
		w.works(w.direct("app", "shop"), p, "after")
	})
}

// resetToTheSameLengthWhileConnected makes, between two questions of the probe, a second history that has the same file,
// position and GTIDs as the first. The stream hears nothing of it.
func (l *lossWorld) resetToTheSameLengthWhileConnected() string {
	l.update("like 0")
	l.forgetBinlogs()
	l.complete()
	l.update("like 1")
	l.update("like 2")
	l.complete()
	l.proxy("app", "shop").warm(one)
	before := l.position()
	l.network.holdAll()
	l.forgetBinlogs()
	l.update("like 3")
	l.update("like 4")
	if now := l.position(); now.File != before.File || now.Pos != before.Pos {
		l.t.Errorf("the binlog ends at %+v, before at %+v; the test shows nothing", now, before)
	}
	l.network.pass()
	return "like 4"
}
