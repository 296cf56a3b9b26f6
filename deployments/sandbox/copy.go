package sandbox

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copyTree copies the folder from to the new folder to, with the permissions. Everything else in a data directory than
// files and folders would be a mistake, and is an error.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyEntry(filepath.Join(to, name), path, entry)
	})
}

func copyEntry(to, from string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	switch {
	case entry.IsDir():
		return os.Mkdir(to, info.Mode().Perm())
	case info.Mode().IsRegular():
		return copyFile(to, from, info.Mode().Perm())
	}
	return &fs.PathError{Op: "copy", Path: from, Err: fs.ErrInvalid}
}

func copyFile(to, from string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
