package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// Suite is MariaDB's own test suite, from the Debian packages mariadb-test and mariadb-test-data: the client that plays
// test files, and the files. Its files are of the version of the packages, which is that of the server if both come
// from the same archive.
type Suite struct {
	Client string   // the program mariadb-test
	Dir    string   // with the folders main, include and std_data; the client has to run in it
	Env    []string // what the client needs in its environment, as NAME=VALUE
}

// FindSuite looks for the suite in the folder that WEIR_MARIADB_TEST names, in which usr/bin/mariadb-test is, / if the
// packages are installed; otherwise where install.sh unpacks them.
func FindSuite() (Suite, error) {
	root := os.Getenv("WEIR_MARIADB_TEST")
	if root == "" {
		cache, err := cacheDir()
		if err != nil {
			return Suite{}, err
		}
		root = filepath.Join(cache, "mariadb-test")
	}
	client := filepath.Join(root, "usr/bin/mariadb-test")
	if _, err := os.Stat(client); err != nil {
		return Suite{}, fmt.Errorf("no MariaDB test suite found: run `make servers` to install it, or set WEIR_MARIADB_TEST: %w", err)
	}
	mains, err := filepath.Glob(filepath.Join(root, "usr/share/*/*-test/main"))
	if err != nil {
		return Suite{}, err
	}
	if len(mains) != 1 {
		return Suite{}, fmt.Errorf("%s has %d folders with main test files below usr/share, not one: install mariadb-test-data there", root, len(mains))
	}
	libraries, err := filepath.Glob(filepath.Join(root, "usr/lib/*/libpcre2-posix.so.*"))
	if err != nil || len(libraries) == 0 {
		return Suite{Client: client, Dir: filepath.Dir(mains[0])}, err
	}
	return Suite{Client: client, Dir: filepath.Dir(mains[0]), Env: []string{"LD_LIBRARY_PATH=" + filepath.Dir(libraries[0])}}, nil
}
