package daemon

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"weir/deployments/sandbox"
)

// cacheFile is a file of MariaDB's suite that is about its query cache, and how it is played.
type cacheFile struct {
	play

	quick bool // in make test, too
	mysql bool // also through a Weir before MySQL: it is about variables, which are Weir's alone there
	plain bool // with tables in place of temporary ones, after which a session has no hits any more
	lower bool // the servers have lower_case_table_names=1, as the suite's runner has it for this file
	on    bool // the cache is on from the start, as the suite's runner has it for this file; else it is OFF, as by default
}

// cacheFiles are all of them, but for those that testdata/suite/querycache.txt says why they are not.
var cacheFiles = []cacheFile{
	{play: play{file: "query_cache", mode: "text"}},
	{play: play{file: "query_cache", mode: "text"}, plain: true},
	{play: play{file: "query_cache_28249", mode: "text"}},
	{play: play{file: "query_cache_innodb", mode: "text"}, quick: true},
	{play: play{file: "query_cache_merge", mode: "text"}},
	{play: play{file: "query_cache_notembedded", mode: "text"}, on: true},
	{play: play{file: "query_cache_partition", mode: "text"}},
	{play: play{file: "query_cache_ps_no_prot", mode: "text"}},
	{play: play{file: "query_cache_ps_ps_prot", mode: "ps"}},
	{play: play{file: "query_cache_with_views", mode: "text"}, quick: true},
	{play: play{file: "ctype_ucs2_query_cache", mode: "text"}},
	{play: play{file: "init_connection_query_cache", mode: "text"}},
	{play: play{file: "lowercase_table_qcache", mode: "text"}, lower: true},
	{play: play{file: "innodb/innodb_query_cache", mode: "text"}},
	{play: play{file: "perfschema/query_cache", mode: "text"}},
	{play: play{file: "plugins/qc_info", mode: "text"}},
	{play: play{file: "plugins/qc_info_priv", mode: "text"}},
	{play: play{file: "vcol/query_cache", mode: "text"}},
	{play: play{file: "sys_vars/have_query_cache_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_limit_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_limit_func", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_min_res_unit_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_size_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_strip_comments_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_type_basic", mode: "text"}, mysql: true, quick: true},
	{play: play{file: "sys_vars/query_cache_type_func", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_wlock_invalidate_basic", mode: "text"}, mysql: true},
	{play: play{file: "sys_vars/query_cache_wlock_invalidate_func", mode: "text"}, mysql: true},
}

// TestSuiteQueryCache plays the files of MariaDB's suite that are about its query cache, statement by statement: at a
// MariaDB that has it on, and through a Weir before a server that has it off, or has none. What differs has to be what
// testdata/suite/querycache.txt says, with the reason, and nothing may be there that does not differ any more. Make test
// plays a few files on MariaDB, make suite all.
func TestSuiteQueryCache(t *testing.T) {
	t.Parallel()
	found, err := sandbox.FindSuite()
	if err != nil {
		t.Fatal(err)
	}
	// Who counts or awaits connections at the server counts those that Weir shares out.
	found.Dir = without(t, found.Dir, "count_sessions.inc", "wait_until_count_sessions.inc")
	everybody := []string{"--plugin-load-add=query_cache_info"}
	native := newSuiteServer(t, found, sandbox.MariaDB, everybody...)
	for _, flavor := range []sandbox.Flavor{sandbox.MariaDB, sandbox.MySQL} {
		files := slices.Collect(func(yield func(cacheFile) bool) {
			for _, f := range cacheFiles {
				if f.played(flavor) && !yield(f) {
					return
				}
			}
		})
		if len(files) > 0 {
			t.Run(string(flavor), func(t *testing.T) { playCacheFiles(t, found, native, flavor, files) })
		}
	}
}

func (f cacheFile) played(flavor sandbox.Flavor) bool {
	if *suiteFlag == "" {
		return f.quick && flavor == sandbox.MariaDB
	}
	return (flavor == sandbox.MariaDB || f.mysql) && (*suiteFlag == "all" || slices.Contains(strings.Split(*suiteFlag, ","), f.name()))
}

func playCacheFiles(t *testing.T, found sandbox.Suite, native *suiteServer, flavor sandbox.Flavor, files []cacheFile) {
	options := nativeOff(flavor)
	s := &suite{Suite: found, plain: native, behind: newSuiteServer(t, found, flavor, options...)}
	for _, f := range files {
		t.Run(f.name(), func(t *testing.T) {
			s := s
			if f.lower {
				options := append(slices.Clone(options), "--lower-case-table-names=1")
				s = &suite{Suite: found, plain: newSuiteServer(t, found, flavor, options...), behind: newSuiteServer(t, found, flavor, options...)}
			}
			if f.plain {
				f.at = withoutTemporaryTables(t, f.path(found.Dir))
			}
			list := expectedDifferences(t, flavor, f.name())
			list.check(t, s.playOnce(t, f))
		})
	}
}

// name is what the list of differences calls the file.
func (f cacheFile) name() string {
	if f.plain {
		return f.file + "+plain"
	}
	return f.file
}

// withoutTemporaryTables makes a copy of the file. A temporary table that would hide another is left out, with what is done
// to it.
func withoutTemporaryTables(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), filepath.Base(path))
	b = regexp.MustCompile(`(?ms)^# hiding real table.*?^drop table t1;\n(drop table t1;\n)?`).ReplaceAll(b, nil)
	b = regexp.MustCompile(`(?i)\b(create|drop) temporary table\b`).ReplaceAll(b, []byte("$1 table"))
	if err := os.WriteFile(mine, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return mine
}

// nativeOff: MariaDB's own query cache is OFF by default. The files about its table look for the plugin that has it.
func nativeOff(flavor sandbox.Flavor) []string {
	if flavor == sandbox.MySQL {
		return nil
	}
	return []string{"--plugin-load-add=query_cache_info"}
}

// playOnce plays a file at both servers, asking each statement once, since the files count hits themselves, and returns
// what differs.
func (s *suite) playOnce(t *testing.T, f cacheFile) []cacheDifference {
	s.plain.begin(t)
	s.behind.begin(t)
	w := s.behind.world
	w.start(func(c *Config) {
		c.Users = nil
		c.Writes, c.Cache.Type, c.Cache.Size, c.Cache.Limit = "source", "OFF", 1<<20, 1<<20
		if f.on {
			c.Cache.Type = "ON"
		}
	})
	if f.on {
		s.plain.do("SET GLOBAL query_cache_type = ON")
	}
	probeOften(t, w.weir)
	plain := newRepeater(t, s.plain.source.Addr(), true, func() {})
	behind := newRepeater(t, w.weir.Addr(), true, func() { settle(w) })
	var direct, through recorded
	var both sync.WaitGroup
	both.Go(func() { direct = s.record(s.plain, plain, f.play) })
	both.Go(func() { through = s.record(s.behind, behind, f.play) })
	both.Wait()
	w.must(os.WriteFile(filepath.Join(t.ArtifactDir(), filepath.Base(f.file)+".direct"), direct.result, 0o644))
	w.must(os.WriteFile(filepath.Join(t.ArtifactDir(), filepath.Base(f.file)+".through"), through.result, 0o644))
	if direct.err != nil || through.err != nil {
		t.Fatalf("straight at the server: %v\n%s\nthrough Weir: %v\n%s", direct.err, direct.said, through.err, through.said)
	}
	return cacheDifferences(t, stepsOf(direct.result, plain.texts), stepsOf(through.result, behind.texts))
}
