package daemon

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/replicator"
)

var suiteFlag = flag.String("suite", "", "the test files of MariaDB that TestSuite plays: all, or names with commas between them; by default those with a plus in testdata/suite")

// TestSuite plays test files of MariaDB's own suite with MariaDB's own client, each at two servers at once: straight at
// one, and through a Weir with writes: source at the other. What the client records must be equal, byte for byte, but for
// what the server counts of its own work. The servers have the same history, and each SELECT is asked twice on both
// sides, see repeater: what the client records is the second answer, so that most of it comes from the cache.
//
// testdata/suite has a list for each flavor, whose lines are a file and how it is played:
//
//	text      statements as text
//	ps        prepared statements
//
// One with a plus, as in +text, is played by make test, the others by make suite. Where a session does something that
// turns its caching off, so that there can be no hits, the line says so: "no hits".
//
// On MySQL the client goes on after errors, and records them: the files were written for another server.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, flavor := range []sandbox.Flavor{sandbox.MariaDB, sandbox.MySQL} {
		t.Run(string(flavor), func(t *testing.T) {
			s := newSuite(t, flavor)
			for _, p := range plays(t, flavor) {
				t.Run(p.file+"/"+p.mode, func(t *testing.T) { s.play(t, p) })
			}
			t.Logf("%d of %d results are also the ones that came with the files", s.shipped, s.played)
		})
	}
}

// suiteZone is the time zone that the files expect.
const suiteZone = "GMT-3"

// play is one file, played in one way.
type play struct {
	file, mode string
	noHits     bool
	at         string // the file itself, if it is not the suite's
}

// path is where the file is below the suite's folder. Of one with a slash in its name the first part is a suite beside the
// main one.
func (p play) path(dir string) string {
	if p.at != "" {
		return p.at
	}
	if other, file, ok := strings.Cut(p.file, "/"); ok {
		return filepath.Join(dir, "suite", other, "t", file+".test")
	}
	return filepath.Join(dir, "main", p.file+".test")
}

// plays reads the list of a flavor.
func plays(t *testing.T, flavor sandbox.Flavor) (all []play) {
	b, err := os.ReadFile("testdata/suite/" + strings.ToLower(string(flavor)) + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		line, noHits := strings.CutSuffix(strings.TrimSpace(line), " no hits")
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		for _, mode := range words[1:] {
			mode, quick := strings.CutPrefix(mode, "+")
			if *suiteFlag == "" && quick || *suiteFlag == "all" || slices.Contains(strings.Split(*suiteFlag, ","), words[0]) {
				all = append(all, play{file: words[0], mode: mode, noHits: noHits})
			}
		}
	}
	return all
}

// suite is two servers with the same history, a Weir in front of one, and MariaDB's client.
type suite struct {
	sandbox.Suite
	plain, behind *suiteServer

	played, shipped int
}

func newSuite(t *testing.T, flavor sandbox.Flavor) *suite {
	found, err := sandbox.FindSuite()
	if err != nil {
		t.Fatal(err)
	}
	if flavor == sandbox.MySQL {
		found.Dir = without(t, found.Dir, "have_sequence.inc")
	}
	return &suite{Suite: found, plain: newSuiteServer(t, found, flavor), behind: newSuiteServer(t, found, flavor)}
}

// without returns a copy of the suite in which some of the files that others include are empty: those that skip a file, or
// wait for what there is not here, although its statements before and after are worth playing.
func without(t *testing.T, dir string, empty ...string) string {
	t.Helper()
	mine := t.TempDir()
	if err := os.Mkdir(filepath.Join(mine, "include"), 0o755); err != nil {
		t.Fatal(err)
	}
	includes, err := filepath.Glob(filepath.Join(dir, "include", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(includes, filepath.Join(dir, "main"), filepath.Join(dir, "suite"), filepath.Join(dir, "std_data")) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(empty, filepath.Base(name)) {
			err = os.WriteFile(filepath.Join(mine, name), nil, 0o644)
		} else {
			err = os.Symlink(path, filepath.Join(mine, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return mine
}

// play plays a file at both servers, and compares.
func (s *suite) play(t *testing.T, p play) {
	s.plain.begin(t)
	s.behind.begin(t)
	w := s.behind.world
	w.start(func(c *Config) {
		c.Users = nil // the files make accounts
		c.Writes = "source"
	})
	probeOften(t, w.weir)
	plain := newRepeater(t, s.plain.source.Addr(), false, func() {})
	behind := newRepeater(t, w.weir.Addr(), false, func() { settle(w) })

	var direct, through recorded
	var both sync.WaitGroup
	both.Go(func() { direct = s.record(s.plain, plain, p) })
	both.Go(func() { through = s.record(s.behind, behind, p) })
	both.Wait()
	hits := w.counter("weir_statements_total", "outcome", "hit")
	t.Logf("%v hits; %s", hits, w.counters())
	s.compare(t, p, direct, through)
	if hits == 0 && !p.noHits {
		t.Error("nothing was answered from the cache, so that nothing was shown")
	}
}

func (s *suite) compare(t *testing.T, p play, direct, through recorded) {
	switch {
	case direct.err != nil:
		t.Errorf("straight at the server: %v\n%s", direct.err, direct.said)
	case through.err != nil:
		t.Errorf("through Weir: %v\n%s", through.err, through.said)
	case !bytes.Equal(direct.result, through.result):
		t.Error(firstDifference(direct.result, through.result))
		os.WriteFile(filepath.Join(t.ArtifactDir(), "direct"), direct.result, 0o644)
		os.WriteFile(filepath.Join(t.ArtifactDir(), "through"), through.result, 0o644)
	}
	s.played++
	if expected, err := os.ReadFile(filepath.Join(s.Dir, "main", p.file+".result")); err == nil && bytes.Equal(counted.ReplaceAll(expected, []byte("$1\t#")), direct.result) {
		s.shipped++
	}
}

// firstDifference shows where two texts begin to differ.
func firstDifference(direct, through []byte) string {
	a, b := bytes.Split(direct, []byte("\n")), bytes.Split(through, []byte("\n"))
	for i := 0; i < min(len(a), len(b)); i++ {
		if !bytes.Equal(a[i], b[i]) {
			before := bytes.Join(a[max(0, i-10):i], []byte("\n"))
			return fmt.Sprintf("line %d: after\n%s\nthe server answers\n%s\nWeir answers\n%s", i+1, before, a[i], b[i])
		}
	}
	return fmt.Sprintf("the server answers %d lines, Weir %d", len(a), len(b))
}

// recorded is what the client has written.
type recorded struct {
	result, said []byte
	err          error
}

// record plays a file, and returns what the client has recorded.
func (s *suite) record(server *suiteServer, r *repeater, p play) recorded {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	result := filepath.Join(server.dir, "tmp", "recorded")
	os.Remove(result)
	args := []string{
		"--no-defaults", "--silent", "--protocol=tcp", "--host=127.0.0.1", "--port=" + r.port(), "--user=root", "--password=", "--skip-ssl",
		"--database=test", "--basedir=" + s.Dir, "--tmpdir=" + filepath.Join(server.dir, "tmp"), "--logdir=" + filepath.Join(server.dir, "tmp"),
		"--record", "--test-file=" + p.path(s.Dir), "--result-file=" + result,
	}
	if p.mode != "text" {
		args = append(args, "--"+p.mode+"-protocol")
	}
	if server.flavor == sandbox.MySQL {
		args = append(args, "--continue-on-error")
	}
	client := exec.CommandContext(ctx, s.Client, args...)
	client.Dir = s.Dir
	client.Env = append(slices.Concat(os.Environ(), s.Env), "LC_ALL=C", "TZ="+suiteZone, "MYSQL_TEST_DIR="+s.Dir, "MYSQLTEST_VARDIR="+server.dir,
		"MYSQL_TMP_DIR="+filepath.Join(server.dir, "tmp"), "MASTER_MYPORT="+r.port(), "DEFAULT_MASTER_PORT="+r.port(), "MASTER_MYSOCK=", "BIG_TEST=")
	said, err := client.CombinedOutput()
	b, _ := os.ReadFile(result) // if there is none, said says why
	if err == nil && len(b) == 0 {
		err = fmt.Errorf("nothing was recorded")
	}
	return recorded{counted.ReplaceAll(b, []byte("$1\t#")), said, err}
}

// counted are lines of SHOW STATUS that say what the server did for the session's statements. It does nothing for a hit,
// so these are not compared.
var counted = regexp.MustCompile(`(?m)^((?:Handler|Created|Sort|Select|Subquery_cache|Empty|Slow|Last_query|Key|Rows|Opened|Com)_\w+)\t[0-9.]+$`)

// probeOften asks where the binlog ends every few milliseconds, so that settle need not wait for Weir's own probe.
func probeOften(t *testing.T, d *Daemon) {
	cfg := d.cfg.replicator()
	cfg.MaxStaleness = 20 * time.Millisecond
	p := replicator.NewProbe(cfg, d.ledger, d.reader, d.log)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { p.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// settle waits until what was written so far is no reason any more to ask a server rather than the cache, but for no
// longer than a moment: this is about hits, not about what is right.
func settle(w *world) {
	l := w.weir.ledger
	for now, deadline := l.Now(), time.Now().Add(time.Second); time.Now().Before(deadline); {
		if at, ok := l.CompleteAsOf(); ok && at >= now && w.weir.notReady() == "" {
			return
		}
		time.Sleep(200 * time.Microsecond) //nolint:forbidigo // polls, with a deadline
	}
}
