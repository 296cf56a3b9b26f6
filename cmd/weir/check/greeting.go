package check

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"time"

	"weir/cmd/weir/daemon"
)

// FlavoursOf says of which flavour the source is, or both if it does not say. The account need not be there yet: a server gives
// its version in the first packet, before it asks who is there.
func FlavoursOf(ctx context.Context, cfg daemon.Config) []string {
	both := []string{"MySQL", "MariaDB"}
	access, err := cfg.Access()
	if err != nil || len(access) == 0 {
		return both
	}
	version := greeting(ctx, access[0].Addr)
	switch {
	case version == "":
		return both
	case strings.Contains(strings.ToLower(version), "mariadb"):
		return both[1:]
	}
	return both[:1]
}

// greeting is the version in the server's first packet: a header of four bytes, the number of the protocol, and text up to a zero.
func greeting(ctx context.Context, addr string) string {
	network := "tcp"
	if strings.HasPrefix(addr, "/") {
		network = "unix"
	}
	d := net.Dialer{Timeout: 2 * time.Second}
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	header := make([]byte, 4)
	if _, err := io.ReadFull(conn, header); err != nil {
		return ""
	}
	packet := make([]byte, min(int(header[0])|int(header[1])<<8, 256))
	if _, err := io.ReadFull(conn, packet); err != nil || len(packet) < 2 || packet[0] != 10 {
		return ""
	}
	version, _, ok := bytes.Cut(packet[1:], []byte{0})
	if !ok {
		return ""
	}
	return string(version)
}
