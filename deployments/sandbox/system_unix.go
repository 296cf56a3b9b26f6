//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

const (
	sigTerminate = syscall.SIGTERM
	sigSuspend   = syscall.SIGSTOP
	sigResume    = syscall.SIGCONT
)

// errLocked says that somebody else holds the lock.
var errLocked = errors.New("locked by another process")

// tryLock takes f's lock or returns [errLocked]. Closing f, or the end of this process, gives it back.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// ownGroup keeps a Ctrl-C at the terminal away from the server: who started it decides when it stops.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
