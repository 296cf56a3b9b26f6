package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"weir/proxy/wire"
)

// A server that asks for a file though nobody has offered one gets none, and the client an error, at once.
func TestPitfall41ServerAsksForAFile(t *testing.T) {
	mine, theirs := pair(t)
	got := make(chan []byte, 1)
	go answerWithFileRequest(theirs, got)
	c := &conn{net: mine, reader: wire.NewReader(mine), backend: &backend{addr: "fake"}}
	r := response{hold: maxOwn}
	err := c.roundTrip(wire.ComQuery, []byte("LOAD DATA LOCAL INFILE 'x' INTO TABLE t"), &r)
	var said *wire.Error
	if !errors.As(err, &said) || said.Code != wire.CodeNotAllowedCommand || errors.Is(err, errLost) {
		t.Errorf("the answer is %v", err)
	}
	if len(r.buf) > 0 || !c.broken {
		t.Errorf("passed on: %q; connection given up: %v", r.buf, c.broken)
	}
	c.close()
	if b := <-got; len(b) > 0 {
		t.Errorf("the server is sent %q", b)
	}
}

// answerWithFileRequest reads one command, asks for a file, and hands on what else it is sent.
func answerWithFileRequest(c net.Conn, got chan<- []byte) {
	_, _ = wire.NewReader(io.LimitReader(c, 4+1+39)).ReadPacket(1 << 10)
	b, _ := wire.AppendPacket(nil, 1, wire.Payload("\xfb/etc/passwd"))
	_, _ = c.Write(b)
	rest, _ := io.ReadAll(c)
	got <- rest
}

// The same through a session: its client is told, and its connection is as good as before.
func TestPitfall41SessionGoesOn(t *testing.T) {
	s, client, _ := hitSession(t)
	if err := s.backendError(errLocalInfile, &response{}); err != nil || client.written == 0 {
		t.Errorf("the session ends with %v after %d bytes", err, client.written)
	}
	if err := s.backendError(context.Canceled, &response{started: true}); err == nil {
		t.Error("the session goes on in the middle of an answer")
	}
}
