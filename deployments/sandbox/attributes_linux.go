package sandbox

import "syscall"

// attributes of a server process. The system kills it when the thread that started it ends, so that a test run that
// is killed leaves no server behind.
func attributes() *syscall.SysProcAttr {
	attr := ownGroup()
	attr.Pdeathsig = syscall.SIGKILL
	return attr
}
