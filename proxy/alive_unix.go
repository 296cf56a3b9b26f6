//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// alive reports whether nothing has come on a connection on which nothing is expected: neither its end nor a farewell,
// such as MySQL's error 4031 after wait_timeout. It does not wait. A connection that was silently cut looks alive.
func alive(c net.Conn) bool {
	if over, ok := c.(interface{ Silent() bool }); ok { // TLS
		return over.Silent()
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var peeked error
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, peeked = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	return err == nil && (peeked == syscall.EAGAIN || peeked == syscall.EWOULDBLOCK)
}
