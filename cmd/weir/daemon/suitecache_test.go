package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weir/deployments/sandbox"
)

// TestSuiteQueryCache plays the files of MariaDB's suite that are about its query cache: at a server that has it on, and
// through a Weir before one that has it off. It is for people: the lines that differ are what docs/query-cache.md explains, and
// are written to files for them. Played by make suite, or with -suite and names of these files.
func TestSuiteQueryCache(t *testing.T) {
	if *suiteFlag == "" {
		return
	}
	found, err := sandbox.FindSuite()
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{
		Suite:  found,
		plain:  newSuiteServer(t, found, sandbox.MariaDB, "--query-cache-type=1", "--query-cache-size=1M"),
		behind: newSuiteServer(t, found, sandbox.MariaDB),
	}
	files, err := filepath.Glob(filepath.Join(found.Dir, "main", "query_cache*.test"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file := strings.TrimSuffix(filepath.Base(path), ".test")
		if *suiteFlag != "all" && !strings.Contains(","+*suiteFlag+",", ","+file+",") {
			continue
		}
		t.Run(file, func(t *testing.T) { s.playOnce(t, play{file: file, mode: "text"}) })
	}
}

// playOnce plays a file at both servers, asking each statement once, since the files count hits themselves.
func (s *suite) playOnce(t *testing.T, p play) {
	s.plain.begin(t)
	s.behind.begin(t)
	w := s.behind.world
	w.start(func(c *Config) {
		c.Users = nil
		c.Writes, c.Cache.Size, c.Cache.Limit = "source", 1<<20, 1<<20
	})
	probeOften(t, w.weir)
	plain := newRepeater(t, s.plain.source.Addr(), func() {})
	behind := newRepeater(t, w.weir.Addr(), func() { settle(w) })
	plain.once, behind.once = true, true
	var direct, through recorded
	var both sync.WaitGroup
	both.Go(func() { direct = s.record(s.plain, plain, p) })
	both.Go(func() { through = s.record(s.behind, behind, p) })
	both.Wait()
	t.Logf("straight at the server: %v %s; through Weir: %v %s; equal: %v", direct.err, direct.said, through.err, through.said, string(direct.result) == string(through.result))
	w.must(os.WriteFile(filepath.Join(t.ArtifactDir(), p.file+".direct"), direct.result, 0o644))
	w.must(os.WriteFile(filepath.Join(t.ArtifactDir(), p.file+".through"), through.result, 0o644))
}
