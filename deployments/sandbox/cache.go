package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// cacheDir is the folder for what is made once and used by every run: MySQL's private root, data directories to copy,
// reserved ports. install.sh computes the same place.
func cacheDir() (string, error) {
	if dir := os.Getenv("WEIR_SANDBOX_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder (set WEIR_SANDBOX_CACHE to choose one): %w", err)
	}
	return filepath.Join(dir, "weir"), nil
}

// openLockFile opens the lock file at path, making it and its folder if need be. The file is never removed: a lock on
// a removed file excludes nobody.
func openLockFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
}

// lock waits for the lock at path until ctx ends. Closing the file gives it back.
func lock(ctx context.Context, path string) (*os.File, error) {
	f, err := openLockFile(path)
	if err != nil {
		return nil, err
	}
	err = poll(ctx, func() (bool, error) {
		err := tryLock(f)
		return err == nil, unless(err, errLocked)
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

// unless returns err, or nil if err is the expected one.
func unless(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// pollInterval is how often a state is looked at that nobody announces.
const pollInterval = 20 * time.Millisecond

// poll calls check until it is done or fails, or ctx ends; then it returns ctx's cause.
func poll(ctx context.Context, check func() (done bool, err error)) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if done, err := check(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
