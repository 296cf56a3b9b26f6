//go:build unix

package proxy

import (
	"net"
	"testing"
)

func TestAlive(t *testing.T) {
	for _, c := range []struct {
		name string
		peer func(net.Conn)
		want bool
	}{
		{"silent", func(net.Conn) {}, true},
		{"closed", func(c net.Conn) { c.Close() }, false},
		{"says goodbye", func(c net.Conn) { c.Write([]byte("\x17\x00\x00\x00\xff\xbf\x0f#HY000inactivity")) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			mine, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer mine.Close()
			theirs, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			c.peer(theirs)
			for !c.want && alive(mine) { // until it has arrived
			}
			if got := alive(mine); got != c.want {
				t.Errorf("alive: %v, want %v", got, c.want)
			}
		})
	}
	if a, _ := net.Pipe(); !alive(a) {
		t.Error("a connection that cannot be asked counts as dead")
	}
}
