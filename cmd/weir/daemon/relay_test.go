package daemon

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// relay is a network between Weir and a server, with faults that a test switches on.
type relay struct {
	l net.Listener

	mu     sync.Mutex
	target string
	holds  map[string]*gate // by direction
	conns  map[net.Conn]*link
	dumps  bool   // hold only what carries a binlog dump
	words  []byte // hold only what has these words in it, and what comes after
}

// gate lets bytes through while it is open.
type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	shut bool
}

func newGate() *gate {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	g.cond.Broadcast()
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut {
		g.cond.Wait()
	}
}

const (
	toServer = "to server"
	toClient = "to client"
)

func newRelay(t testing.TB, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{l: l, target: target, holds: map[string]*gate{toServer: newGate(), toClient: newGate()}, conns: map[net.Conn]*link{}}
	var all sync.WaitGroup
	all.Go(func() { r.accept(&all) })
	t.Cleanup(func() {
		l.Close()
		r.pass()
		r.cut()
		all.Wait()
	})
	return r
}

func (r *relay) addr() string { return r.l.Addr().String() }

// hold keeps what is on its way, in both directions, without a word to either side: everything, or only dumps.
func (r *relay) hold() { r.holds[toServer].set(true); r.holds[toClient].set(true) }

// holdAll does so to all connections.
func (r *relay) holdAll() {
	r.onlyDumps(false)
	r.hold()
}

// holdAnswers keeps what servers send.
func (r *relay) holdAnswers() { r.holds[toClient].set(true) }

// holdDumps does so to connections that carry a binlog dump.
func (r *relay) holdDumps() {
	r.onlyDumps(true)
	r.hold()
}

// holdWords does so to what has these words in it.
func (r *relay) holdWords(words string) {
	r.mu.Lock()
	r.words = []byte(words)
	r.mu.Unlock()
	r.hold()
}

func (r *relay) onlyDumps(only bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dumps = only
}

// pass lets everything through again.
func (r *relay) pass() { r.holds[toServer].set(false); r.holds[toClient].set(false) }

// lead sends further connections to another server; to none if target is empty.
func (r *relay) lead(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}

// down cuts everything, and refuses what comes until lead says where it goes.
func (r *relay) down() {
	r.lead("")
	r.cut()
}

// cut closes all connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.Close()
	}
}

// cutDumps closes the connections that carry a binlog dump.
func (r *relay) cutDumps() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, link := range r.conns {
		if link.carriesDump() {
			c.Close()
		}
	}
}

func (r *relay) accept(all *sync.WaitGroup) {
	for {
		c, err := r.l.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		target := r.target
		r.mu.Unlock()
		s, err := net.Dial("tcp", target)
		if err != nil {
			c.Close()
			continue
		}
		link := &link{relay: r}
		r.mu.Lock()
		r.conns[c], r.conns[s] = link, link
		r.mu.Unlock()
		all.Go(func() { link.copy(s, c, toServer) })
		all.Go(func() { link.copy(c, s, toClient) })
	}
}

// link is one connection through the relay.
type link struct {
	relay *relay
	mu    sync.Mutex
	dump  bool
}

func (l *link) copy(dst, src net.Conn, direction string) {
	defer dst.Close()
	defer src.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			l.look(buf[:n], direction)
			if l.held(buf[:n]) {
				l.relay.holds[direction].pass()
			}
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				return
			}
			return
		}
	}
}

// look finds the commands COM_BINLOG_DUMP and COM_BINLOG_DUMP_GTID, each the first byte of a packet.
func (l *link) look(b []byte, direction string) {
	if direction == toServer && len(b) > 5 && (b[4] == 0x12 || b[4] == 0x1e) && bytes.IndexByte(b[3:4], 0) == 0 {
		l.mu.Lock()
		l.dump = true
		l.mu.Unlock()
	}
}

func (l *link) held(b []byte) bool {
	l.relay.mu.Lock()
	dumps, words := l.relay.dumps, l.relay.words
	l.relay.mu.Unlock()
	return (!dumps || l.carriesDump()) && bytes.Contains(b, words)
}

func (l *link) carriesDump() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dump
}
