package proxy

import (
	"net"
	"testing"

	"weir/proxy/wire"
)

// repreparing is a server that cannot prepare a statement anew so many times.
type repreparing struct {
	refuse                     int
	prepared, executed, closed int
}

func (s *repreparing) serve(c net.Conn) {
	r := wire.NewReader(c)
	for {
		r.Expect(0)
		p, err := r.ReadPacket(1 << 16)
		if err != nil {
			return
		}
		switch wire.Command(p[0]) {
		case wire.ComStmtPrepare:
			s.prepared++
			write(c, wire.Prepared{StatementID: uint32(s.prepared)})
		case wire.ComStmtExecute:
			if s.executed++; s.executed <= s.refuse {
				write(c, wire.Errorf(wire.CodeNeedReprepare, "Prepared statement needs to be re-prepared"))
			} else {
				write(c, wire.OK{Status: wire.StatusAutocommit})
			}
		case wire.ComStmtClose:
			s.closed++
		}
	}
}

// A server that gives up to prepare a statement anew, since its tables are changed all the time, is asked again, a few
// times; nothing stays prepared that nobody knows.
func TestPitfall34PreparedAnewWhileTablesChange(t *testing.T) {
	for refuse, want := range map[int]wire.Kind{0: wire.KindOK, 1: wire.KindOK, maxPrepareAgain: wire.KindOK, maxPrepareAgain + 1: wire.KindError} {
		client, server := net.Pipe()
		s, done := &repreparing{refuse: refuse}, make(chan struct{})
		go func() { s.serve(server); close(done) }()
		c := &conn{net: client, reader: wire.NewReader(client), backend: newBackend("here", nil)}
		x := &execution{handle: &handle{text: []byte("SELECT v FROM t")}}
		r := response{hold: maxOwn}
		if err := c.execute(x, wire.NoCursor, &r); err != nil || r.kind != want {
			t.Errorf("refused %d times: %v, %v, want %v", refuse, r.kind, err, want)
		}
		client.Close()
		<-done
		if s.prepared != s.executed || s.closed != s.prepared-1 || len(c.remotes) != 1 {
			t.Errorf("refused %d times: prepared %d times, executed %d, closed %d, %d left", refuse, s.prepared, s.executed, s.closed, len(c.remotes))
		}
	}
}
