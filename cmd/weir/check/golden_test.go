package check

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir/cmd/weir/daemon"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// everything is a schema with each feature that the check counts.
func everything(flavor sandbox.Flavor) []string {
	collation := "utf8mb4_ja_0900_as_cs_ks"
	if flavor == sandbox.MariaDB {
		collation = "utf8mb4_uca1400_swedish_ai_ci"
	}
	return []string{
		"CREATE DATABASE shop",
		"CREATE TABLE shop.plain (id INT PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_bin)",
		"CREATE TABLE shop.parent (id INT PRIMARY KEY)",
		"CREATE TABLE shop.child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES shop.parent (id) ON DELETE CASCADE)",
		"CREATE TABLE shop.restricted (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES shop.parent (id))",
		"CREATE TABLE shop.keyless (v INT)",
		"CREATE TABLE shop.old (id INT PRIMARY KEY) ENGINE=MyISAM",
		"CREATE TABLE shop.volatile (id INT PRIMARY KEY) ENGINE=MEMORY",
		"CREATE TABLE shop.worded (id INT PRIMARY KEY, a VARCHAR(20) COLLATE " + collation + ", b VARCHAR(20) COLLATE " + collation + ")",
		"CREATE TRIGGER shop.watched BEFORE INSERT ON shop.plain FOR EACH ROW SET NEW.name = 'x'",
		"CREATE VIEW shop.seen AS SELECT id FROM shop.plain",
	}
}

// TestCheckGolden: a source with each feature, set up as the README says, with a replica and a Redis.
func TestCheckGolden(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		source := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, SyncBinlog: 1, Extra: []string{"--innodb-flush-log-at-trx-commit=1", "--binlog-expire-logs-seconds=604800"}})
		replica := sandboxtest.Server(t, sandbox.Options{Flavor: flavor, ReplicaOf: source, Extra: []string{"--read-only=ON"}})
		cache := sandboxtest.Redis(t, sandbox.RedisOptions{MaxMemory: 1 << 26})
		sandboxtest.Exec(t, source, everything(flavor)...)
		makeAccount(t, source, flavor)
		sandboxtest.Exec(t, source, "CREATE USER app IDENTIFIED BY 'app'", "GRANT SELECT ON shop.* TO app")
		if err := replica.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		cfg := config(t, source.Addr())
		cfg.Backends = []daemon.Backend{{Addr: source.Addr()}, {Addr: replica.Addr()}}
		cfg.Users = []daemon.User{{Name: "app", Password: "app"}}
		cfg.Redis.Addrs = []string{cache.Addr()}
		compare(t, "good", flavor, cfg, map[string]string{
			source.Addr(): "source:3306", replica.Addr(): "replica:3306", cache.Addr(): "redis:6379",
		})
		afterwards(t, source, replica, cache, cfg)
	})
}

// TestCheckGoldenMisconfigured: whatever can be wrong with a sandbox's source.
func TestCheckGoldenMisconfigured(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		o := sandbox.Options{Flavor: flavor, BinlogFormat: "STATEMENT", RowImage: "MINIMAL", NoGTID: true, Extra: []string{
			"--binlog-ignore-db=hidden", "--binlog-expire-logs-seconds=60", "--wait-timeout=10", "--init-connect=SET @a=1",
			"--transaction-isolation=READ-UNCOMMITTED", "--autocommit=OFF", "--max-connections=50", "--read-only=ON",
		}}
		if flavor == sandbox.MariaDB {
			o.Extra = append(o.Extra, "--query-cache-type=ON", "--query-cache-size=1M", "--log-slave-updates=OFF")
		} else {
			o.Extra = append(o.Extra, "--binlog-row-value-options=PARTIAL_JSON", "--performance-schema=OFF", "--log-replica-updates=OFF")
		}
		source := sandboxtest.Server(t, o)
		sandboxtest.Exec(t, source, "CREATE USER weir IDENTIFIED BY 'weir'", "GRANT PROCESS ON *.* TO weir")
		cfg := config(t, source.Addr())
		cfg.Cache.MaxAge, cfg.Writes = 0, "source"
		compare(t, "bad", flavor, cfg, map[string]string{source.Addr(): "source:3306"})
		if err := start(t, cfg); !daemon.Unfit(err) {
			t.Errorf("the check finds errors, and a start finds %v", err)
		}
		mend(t, source, cfg)
		if err := start(t, cfg); err != nil {
			t.Errorf("the check finds no errors, and a start finds %v", err)
		}
	})
}

// start starts a Weir, and ends it at once.
func start(t *testing.T, cfg daemon.Config) error {
	t.Helper()
	d, err := daemon.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return d.Run(ctx)
}

// mend runs what the check says, as root, and looks again: nothing is left but what no statement mends.
func mend(t *testing.T, s *sandbox.Server, cfg daemon.Config) {
	t.Helper()
	for _, f := range Judge(Look(t.Context(), cfg, "", silent)).Findings {
		for _, m := range f.Mend {
			if statement, _, ends := strings.Cut(m, ";"); ends && strings.ToUpper(m[:3]) == m[:3] && !strings.HasPrefix(m, "-- ") && !strings.Contains(m, "...") {
				sandboxtest.Exec(t, s, statement)
			}
		}
	}
	var left []string
	for _, f := range Judge(Look(t.Context(), cfg, "", silent)).Findings {
		if f.Severity > Note {
			left = append(left, f.ID)
		}
	}
	slices.Sort(left)
	// A filter is seen only now that the account may ask for it.
	if want := []string{"binlog-filter", "read-only-source"}; !slices.Equal(left, want) {
		t.Errorf("what was said mends all but %v, want %v", left, want)
	}
}

func silent(string) {}

// makeAccount runs what --print-grants prints.
func makeAccount(t *testing.T, s *sandbox.Server, flavor sandbox.Flavor) {
	t.Helper()
	for _, statement := range grantStatements("'weir'@'%'", flavor == sandbox.MariaDB) {
		if !strings.HasPrefix(statement, "--") {
			sandboxtest.Exec(t, s, strings.Replace(statement, placeholder, "weir", 1))
		}
	}
}

func config(t *testing.T, source string) daemon.Config {
	t.Helper()
	cfg := daemon.Default()
	cfg.Listen, cfg.Admin = freePort(t), freePort(t)
	if err := cfg.SetSource("weir:weir@" + source); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// compare looks, and holds what is printed against the file of that name and flavour. Names are put in place of what varies.
func compare(t *testing.T, name string, flavor sandbox.Flavor, cfg daemon.Config, names map[string]string) {
	t.Helper()
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	report := Judge(Look(context.WithoutCancel(t.Context()), cfg, "", silent))
	for i := range report.Findings {
		normalise(&report.Findings[i], names)
	}
	for _, s := range report.World.Servers {
		s.Addr, s.Version = names[s.Addr], "X.Y.Z"
	}
	var got bytes.Buffer
	if err := report.Print(&got, false); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+"-"+strings.ToLower(string(flavor))+".txt")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the output is not that of %s (-update writes it anew):\n%s", file, &got)
	}
}

var (
	versions  = regexp.MustCompile(`\b(\d+\.\d+\.\d+)\b`)
	serverIDs = regexp.MustCompile(`server_id = \d+`)
)

func normalise(f *Finding, names map[string]string) {
	for _, text := range append([]*string{&f.Where, &f.Evidence, &f.Meaning}, pointers(f.Mend)...) {
		for addr, name := range names {
			*text = strings.ReplaceAll(*text, addr, name)
		}
		*text = serverIDs.ReplaceAllString(versions.ReplaceAllString(*text, "X.Y.Z"), "server_id = N")
	}
}

func pointers(texts []string) (all []*string) {
	for i := range texts {
		all = append(all, &texts[i])
	}
	return all
}
