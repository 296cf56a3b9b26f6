package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// template returns the folder with an initialised data directory for this program, to be copied and never to be used
// in place. The first caller on a machine makes it, in seconds; processes that come at the same time wait for it.
func template(ctx context.Context, p program, o Options) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "data", templateName(p, o))
	held, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer held.Close()
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	fmt.Fprintf(o.Log, "making a data directory for %s %s\n", o.Flavor, p.version)
	return dir, makeTemplate(ctx, p, o, dir)
}

// templateName differs where the content would: another build, another account in it, an option that is fixed when a
// data directory is made.
func templateName(p program, o Options) string {
	content := fmt.Sprint(p.build, p.path, o.LowerCaseTableNames, baseArgs(o.Flavor, &folder{}), accountStatements(o.Flavor))
	return fmt.Sprintf("%s-%s-%x", o.Flavor, p.version, sha256.Sum256([]byte(content)))[:len(o.Flavor)+len(p.version)+14]
}

// makeTemplate works in a folder of its own and renames the result, so that dir is either complete or not there.
func makeTemplate(ctx context.Context, p program, o Options, dir string) error {
	work, err := newFolder("")
	if err != nil {
		return err
	}
	defer work.remove()
	if err := initialize(ctx, p, o, work); err != nil {
		return fmt.Errorf("initialise a data directory for %s: %w", o.Flavor, err)
	}
	if err := createAccounts(ctx, p, o, work); err != nil {
		return fmt.Errorf("create accounts in a new data directory for %s: %w", o.Flavor, err)
	}
	// The server's identity: each copy gets one of its own at its first start.
	if err := os.Remove(work.in("data/auto.cnf")); unless(err, fs.ErrNotExist) != nil {
		return err
	}
	return install(work.in("data"), dir)
}

// install moves a finished data directory to its place, across file systems if need be.
func install(data, dir string) error {
	half := dir + ".new"
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	if err := copyTree(half, data); err != nil {
		return err
	}
	return os.Rename(half, dir)
}

func initialize(ctx context.Context, p program, o Options, work *folder) error {
	argv, err := initializeCommand(p, o, work)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = work.path
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w; it printed:\n%s", err, out)
	}
	return nil
}

func initializeCommand(p program, o Options, work *folder) ([]string, error) {
	if o.Flavor == MySQL {
		return append(p.command(baseArgs(MySQL, work)...), "--initialize-insecure", lowerCaseArg(o)), nil
	}
	script, base, err := installScript(p.path)
	if err != nil {
		return nil, err
	}
	argv := []string{script, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"}
	if base != "" {
		argv = append(argv, "--basedir="+base)
	}
	return append(argv, baseArgs(MariaDB, work)...), nil
}

func lowerCaseArg(o Options) string {
	return fmt.Sprintf("--lower-case-table-names=%d", o.LowerCaseTableNames)
}

// installScript finds the script that comes with the MariaDB server at path, and the base directory it needs if the
// server is not in the system's own folders.
func installScript(path string) (script, base string, err error) {
	dir := filepath.Dir(path)
	dirs := []string{dir, filepath.Join(dir, "../bin"), filepath.Join(dir, "../scripts")}
	found := executables(dirs, []string{"mariadb-install-db", "mysql_install_db"})
	if len(found) == 0 {
		return "", "", fmt.Errorf("no mariadb-install-db beside %s: install the whole server package", path)
	}
	if dir != "/usr/sbin" && dir != "/usr/bin" && dir != "/usr/libexec" {
		base = filepath.Dir(dir)
	}
	return found[0], base, nil
}

// createAccounts runs the server once, without a network and without a binlog: servers that are copied from the
// result have an empty history, and a replica has nothing of its own.
func createAccounts(ctx context.Context, p program, o Options, work *folder) error {
	argv := append(p.command(baseArgs(o.Flavor, work)...), "--skip-networking", "--skip-log-bin", lowerCaseArg(o))
	proc := newProcess(argv, work)
	if err := proc.start(); err != nil {
		return err
	}
	defer proc.stop(time.Minute)
	socket, fresh := work.in("sock"), Account{User: "root"}
	if err := awaitLogin(ctx, proc, socket, fresh); err != nil {
		return err
	}
	return execAs(ctx, socket, fresh, accountStatements(o.Flavor)...)
}
