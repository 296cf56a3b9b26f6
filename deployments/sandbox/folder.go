package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// folder is what one server may write to. It is locked for as long as somebody cares about it, so that what a killed
// process left behind can be told from what is in use.
type folder struct {
	path string
	lock *os.File
}

const (
	folderPattern  = "weir-sandbox-*"
	folderLockName = "lock"
	// longestSocket is what fits into a Unix socket's address on every system, in bytes.
	longestSocket = 100
)

// newFolder makes a folder in parent, empty for the system's temporary folder, and sweeps parent first.
func newFolder(parent string) (*folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	if err := sweep(parent); err != nil {
		return nil, fmt.Errorf("sweep %s: %w", parent, err)
	}
	path, err := os.MkdirTemp(parent, folderPattern)
	if err != nil {
		return nil, err
	}
	lock, err := furnish(path)
	if err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	return &folder{path: path, lock: lock}, nil
}

// furnish makes what every server's folder has. The lock gets its name when it is held: a sweep that finds it free
// knows that its owner has gone.
func furnish(path string) (*os.File, error) {
	if socket := filepath.Join(path, "sock"); len(socket) > longestSocket {
		return nil, fmt.Errorf("socket path %s is longer than %d bytes: choose a shorter folder", socket, longestSocket)
	}
	if err := os.Mkdir(filepath.Join(path, "tmp"), 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(path, folderLockName)
	f, err := openLockFile(name + ".new")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(tryLock(f), os.Rename(f.Name(), name)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the folders in parent whose owner was killed before it could.
func sweep(parent string) error {
	names, err := filepath.Glob(filepath.Join(parent, folderPattern, folderLockName))
	if err != nil {
		return err
	}
	for _, name := range names {
		sweepOne(name)
	}
	return nil
}

// sweepOne does nothing if the lock is held, belongs to somebody else, or goes in this moment.
func sweepOne(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if tryLock(f) == nil {
		os.RemoveAll(filepath.Dir(name))
	}
}

// in is the path of a file in the folder.
func (f *folder) in(name string) string { return filepath.Join(f.path, name) }

// remove removes the folder with everything in it. What cannot be removed is left to the next sweep.
func (f *folder) remove() {
	os.RemoveAll(f.path)
	f.lock.Close()
}
