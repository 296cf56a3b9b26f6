//go:build !linux

package sandbox

import "syscall"

// attributes of a server process. Here the system has no way to tie it to its parent's life: a server outlives a
// parent that is killed.
func attributes() *syscall.SysProcAttr { return ownGroup() }
