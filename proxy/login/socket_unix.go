//go:build unix

package login

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// readNow reads what is there. If that is nothing, the error is the one of a deadline that has passed: TLS can go on
// after it.
func readNow(c net.Conn, b []byte) (n int, err error) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0, os.ErrDeadlineExceeded
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0, err
	}
	if readErr := raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), b)
		return true
	}); readErr != nil {
		return 0, readErr
	}
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return 0, os.ErrDeadlineExceeded
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
