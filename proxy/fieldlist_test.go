package proxy

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"weir/proxy/virtual"
	"weir/proxy/wire"
)

// listener is a client that keeps what it is sent.
type listener struct {
	net.Conn
	got bytes.Buffer
}

func (l *listener) SetWriteDeadline(time.Time) error { return nil }

func (l *listener) Write(b []byte) (int, error) { return l.got.Write(b) }

// The mysql client asks so for the columns of each table of the schema that it is in.
func TestFieldListOfWeirsTable(t *testing.T) {
	s, _, _ := hitSession(t)
	client := &listener{}
	s.net = client
	s.server.tables = virtual.NewSet([]virtual.Table{{Schema: virtual.Schema, Name: "things", Columns: []virtual.Column{{Name: "a"}, {Name: "b", Kind: virtual.Double}}}})
	s.within = virtual.Schema
	if err := s.fieldList(context.Background(), []byte("Things\x00")); err != nil {
		t.Fatal(err)
	}
	rest := client.got.Bytes()
	for _, want := range []string{"a", "b"} {
		var packet []byte
		var err error
		if packet, rest, err = wire.Split(rest); err != nil {
			t.Fatal(err)
		}
		c, err := wire.DecodeColumn(packet[wire.HeaderSize:])
		if err != nil || c.Name != want || c.OrgTable != "things" || c.Default != nil || packet[len(packet)-1] != nullDefault {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if last, rest, err := wire.Split(rest); err != nil || len(rest) > 0 || last[wire.HeaderSize] != 0xfe {
		t.Errorf("it ends with % x, %v", last, err)
	}
}
