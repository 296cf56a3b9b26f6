package proxy

import (
	"bytes"
	"net"
)

const (
	// tlsRecordHeader is a record's type, version and length.
	tlsRecordHeader = 5
	tlsAlert        = 21
	tlsData         = 23
	// tlsSealedAlert is the length of a close_notify under TLS 1.3, where records do not show that they are alerts: two
	// bytes, the type, and 16 of authentication. No command is so short: it has a header of four bytes and one of its own.
	tlsSealedAlert = 2 + 1 + 16
)

// quitPacket is COM_QUIT. Client libraries send it before they close, also in the middle of a statement.
var quitPacket = []byte("\x01\x00\x00\x00\x01")

// takesLeave reports whether what a client has sent while its statement runs says that it is not there any more, rather
// than what it wants next.
func takesLeave(sent []byte, encrypted bool) bool {
	if !encrypted {
		return bytes.Equal(sent, quitPacket)
	}
	for len(sent) >= tlsRecordHeader {
		size := int(sent[3])<<8 | int(sent[4])
		if sent[0] == tlsAlert || sent[0] == tlsData && size == tlsSealedAlert {
			return true
		}
		if len(sent) < tlsRecordHeader+size {
			return false
		}
		sent = sent[tlsRecordHeader+size:]
	}
	return false
}

// rawConn finds the socket below what wraps it, such as TLS, and tells whether there is something in between.
func rawConn(c net.Conn) (raw net.Conn, wrapped bool) {
	for {
		w, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c, wrapped
		}
		c, wrapped = w.NetConn(), true
	}
}
