//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// hungUp reports whether a client that waits for an answer has gone: its socket has ended, or says goodbye. It takes
// nothing from the socket, does not wait, and may be called beside the goroutine that serves the client. A client that
// has sent its next command is there, and so is one whose connection was silently cut, for all that can be known.
func hungUp(c net.Conn) bool {
	c, wrapped := rawConn(c)
	socket, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	gone := false
	err = raw.Control(func(fd uintptr) {
		var b [128]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch err {
		case nil:
			gone = n == 0 || takesLeave(b[:n], wrapped)
		case syscall.EAGAIN, syscall.EINTR:
		default:
			gone = true
		}
	})
	return gone || err != nil
}
