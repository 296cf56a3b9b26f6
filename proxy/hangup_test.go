//go:build unix

package proxy

import (
	"net"
	"testing"
)

// wrapped is a connection with something around it, as TLS is.
type wrapped struct{ net.Conn }

func (w wrapped) NetConn() net.Conn { return w.Conn }

func TestPitfall42HungUp(t *testing.T) {
	const (
		ping        = "\x01\x00\x00\x00\x0e"
		quit        = "\x01\x00\x00\x00\x01"
		command     = "\x17\x03\x03\x00\x16...5 bytes and 17 more" // of 22 bytes
		sealedAlert = "\x17\x03\x03\x00\x13..................."    // of 19 bytes
		alert       = "\x15\x03\x03\x00\x1a"
	)
	for _, c := range []struct {
		name   string
		sends  string
		closes bool
		tls    bool
		hungUp bool
	}{
		{"waits", "", false, false, false},
		{"has sent its next command", ping, false, false, false},
		{"has sent half of it", "\x17\x00\x00\x00\x03SELECT", false, false, false},
		{"has closed", "", true, false, true},
		{"has said goodbye", quit, false, false, true},
		{"has said goodbye and closed", quit, true, false, true},
		{"waits, in TLS", "", false, true, false},
		{"has sent its next command, in TLS", command, false, true, false},
		{"has sent a part of it, in TLS", command[:9], false, true, false},
		{"has closed, in TLS", "", true, true, true},
		{"has ended TLS 1.2", alert, false, true, true},
		{"has ended TLS 1.3", sealedAlert, false, true, true},
		{"has said goodbye and ended TLS 1.3", command + sealedAlert, false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			mine, theirs := pair(t)
			if _, err := theirs.Write([]byte(c.sends)); err != nil {
				t.Fatal(err)
			}
			if c.closes {
				theirs.Close()
			}
			var client net.Conn = mine
			if c.tls {
				client = wrapped{wrapped{mine}}
			}
			for c.hungUp && !hungUp(client) || c.sends != "" && alive(mine) { // until it has arrived
			}
			if got := hungUp(client); got != c.hungUp {
				t.Errorf("hung up: %v, want %v", got, c.hungUp)
			}
			if buf := make([]byte, len(c.sends)+1); c.sends != "" {
				if n, err := mine.Read(buf); string(buf[:n]) != c.sends {
					t.Errorf("what the client has sent is %q afterwards (%v)", buf[:n], err)
				}
			}
		})
	}
	if a, _ := net.Pipe(); hungUp(a) {
		t.Error("a client that cannot be asked counts as gone")
	}
}

// pair is a connection over loopback.
func pair(t *testing.T) (mine, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mine, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mine.Close() })
	theirs, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	return mine, theirs
}
