package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is a server program that was found on this machine.
type program struct {
	argv    []string // the program and the options it always needs
	path    string   // the program itself
	version string   // 10.11.19
	build   string   // what --version prints: a data directory is reused only for the same build
}

// command is the program with more options.
func (p program) command(args ...string) []string { return slices.Concat(p.argv, args) }

// findProgram looks for flavor's server: where the environment says, then in the private root that install.sh makes,
// then where packages put it. The private root comes first among those because it exists only where the system's own
// MySQL is missing or may not read our folders.
func findProgram(ctx context.Context, flavor Flavor) (program, error) {
	variable := map[Flavor]string{MySQL: "WEIR_MYSQLD", MariaDB: "WEIR_MARIADBD"}[flavor]
	if path := os.Getenv(variable); path != "" {
		p, err := probe(ctx, flavor, []string{path, "--no-defaults"}, path)
		if err != nil {
			return p, fmt.Errorf("%s: %w", variable, err)
		}
		return p, nil
	}
	if flavor == MySQL {
		if p, err := privateProgram(ctx); err == nil || !errors.Is(err, os.ErrNotExist) {
			return p, err
		}
	}
	for _, path := range installed(flavor) {
		if p, err := probe(ctx, flavor, []string{path, "--no-defaults"}, path); err == nil {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("no %s server found: run `make servers` to install it, or set %s to its program", flavor, variable)
}

var versionNumber = regexp.MustCompile(`Ver ([0-9]+\.[0-9]+\.[0-9]+)`)

// probe asks the program for its version and checks whose it is: on many systems mysqld is MariaDB.
func probe(ctx context.Context, flavor Flavor, argv []string, path string) (program, error) {
	out, err := exec.CommandContext(ctx, argv[0], append(slices.Clone(argv[1:]), "--version")...).Output()
	if err != nil {
		return program{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	build := strings.TrimSpace(string(out))
	if isMariaDB := strings.Contains(build, "MariaDB"); isMariaDB != (flavor == MariaDB) {
		return program{}, fmt.Errorf("%s is not %s: it says %q", path, flavor, build)
	}
	match := versionNumber.FindStringSubmatch(build)
	if match == nil {
		return program{}, fmt.Errorf("%s prints no version that Weir understands: %q", path, build)
	}
	return program{argv: argv, path: path, version: match[1], build: build}, nil
}

// privateProgram is the MySQL that install.sh unpacked into the cache folder. It was built for a newer system than
// this one may be, so it is started through its own loader with its own libraries, and told where its files are.
// The error is [os.ErrNotExist] if there is none.
func privateProgram(ctx context.Context) (program, error) {
	cache, err := cacheDir()
	if err != nil {
		return program{}, err
	}
	root := filepath.Join(cache, "mysql")
	if _, err := os.Stat(filepath.Join(root, ".installed")); err != nil {
		return program{}, err
	}
	loader, libraries, err := loaderOf(root)
	if err != nil {
		return program{}, err
	}
	path := filepath.Join(root, "usr/sbin/mysqld")
	share := filepath.Join(root, "usr/share/mysql")
	return probe(ctx, MySQL, []string{
		loader, "--library-path", libraries, path, "--no-defaults",
		"--basedir=" + filepath.Join(root, "usr"),
		"--character-sets-dir=" + filepath.Join(share, "charsets"),
		"--lc-messages-dir=" + share,
		"--plugin-dir=" + filepath.Join(root, "usr/lib/mysql/plugin"),
	}, path)
}

// loaderOf finds the dynamic loader in root and the folders with the libraries, whatever the architecture.
func loaderOf(root string) (loader, libraries string, err error) {
	loaders, err := filepath.Glob(filepath.Join(root, "usr/lib/*-linux-gnu/ld-linux-*.so.*"))
	if err != nil {
		return "", "", err
	}
	old, err := filepath.Glob(filepath.Join(root, "lib/*-linux-gnu/ld-linux-*.so.*"))
	if err != nil {
		return "", "", err
	}
	loaders = append(loaders, old...)
	if len(loaders) == 0 {
		return "", "", fmt.Errorf("%s holds no dynamic loader: remove the folder and run `make servers`", root)
	}
	dir := filepath.Base(filepath.Dir(loaders[0]))
	paths := []string{filepath.Join(root, "usr/lib", dir), filepath.Join(root, "lib", dir)}
	return loaders[0], strings.Join(paths, string(os.PathListSeparator)), nil
}

// installed lists the places where packages put flavor's server, and what is in PATH.
func installed(flavor Flavor) []string {
	names, formula := []string{"mysqld"}, "mysql"
	if flavor == MariaDB {
		names, formula = []string{"mariadbd", "mysqld"}, "mariadb"
	}
	dirs := append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/usr/local/bin",
		"/usr/local/mysql/bin", "/opt/homebrew/opt/"+formula+"/bin", "/usr/local/opt/"+formula+"/bin")
	return executables(dirs, names)
}

func executables(dirs, names []string) []string {
	var found []string
	for _, dir := range dirs {
		for _, name := range names {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
				found = append(found, path)
			}
		}
	}
	return found
}
