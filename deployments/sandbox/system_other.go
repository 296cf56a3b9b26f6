//go:build !unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// There are no such signals here: a server is ended with force, and Suspend returns the system's error.
const (
	sigTerminate = syscall.SIGKILL
	sigSuspend   = syscall.SIGTRAP
	sigResume    = syscall.SIGTRAP
)

var errLocked = errors.New("locked by another process")

func tryLock(*os.File) error {
	return errors.New("the sandbox needs file locks, which it knows on Unix systems only")
}

func ownGroup() *syscall.SysProcAttr { return nil }
