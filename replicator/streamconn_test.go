package replicator

import (
	"net"
	"testing"
	"time"
)

// TestStreamConnTakesADeadlineAfterItsEnd: a refused one would have go-mysql's syncer touch what somebody still reads.
func TestStreamConnTakesADeadlineAfterItsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	raw, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	raw.Close()
	if raw.SetReadDeadline(time.Now()) == nil {
		t.Fatal("a closed connection takes a deadline; the test shows nothing")
	}
	c := streamConn{raw}
	if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		t.Error(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a closed connection is read from")
	}
}
