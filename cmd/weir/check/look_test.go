package check

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"weir/cmd/weir/daemon"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// afterwards has things go wrong with servers that were well, and looks for what is found.
func afterwards(t *testing.T, source, replica *sandbox.Server, cache *sandbox.Redis, cfg daemon.Config) {
	t.Helper()
	if got := FlavoursOf(t.Context(), cfg); !slices.Equal(got, []string{string(source.Flavor)}) {
		t.Errorf("the server is %s, and says that it is %v", source.Flavor, got)
	}
	if err := replica.StopReplica(t.Context(), "SQL"); err != nil {
		t.Fatal(err)
	}
	sandboxtest.Exec(t, replica, "SET GLOBAL read_only = OFF", "CREATE USER errant IDENTIFIED BY 'x'", "SET GLOBAL sql_mode = 'ANSI'")
	cache.Stop()
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	cfg.Users = append(cfg.Users, daemon.User{Name: "app2", Password: "hush"})
	want := []string{"accounts-differ", "defaults-differ", "errant-transactions", "ports", "redis", "replica-state", "replica-writable", "users"}
	if source.Flavor == sandbox.MariaDB {
		want = slices.DeleteFunc(want, func(id string) bool { return id == "errant-transactions" })
	}
	if got := troubles(t, cfg); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	cfg.Source.Password = "wrong"
	if got, want := troubles(t, cfg), []string{"connect", "ports", "redis"}; !slices.Equal(got, want) {
		t.Errorf("with a wrong password found %v, want %v", got, want)
	}
}

// troubles are the ids of warnings and errors.
func troubles(t *testing.T, cfg daemon.Config) (ids []string) {
	t.Helper()
	for _, f := range Judge(Look(t.Context(), cfg, "", silent)).Findings {
		if f.Severity > Note {
			ids = append(ids, f.ID)
		}
		if strings.Contains(f.Evidence+f.Meaning+strings.Join(f.Mend, ""), "hush") {
			t.Errorf("%s has a password: %s", f.ID, f.Evidence)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// TestPorts: a port is free, somebody's, or a Weir's.
func TestPorts(t *testing.T) {
	weir := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("# HELP weir_cache_entries Results.\n"))
	}))
	defer weir.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	for _, c := range []struct {
		admin       string
		taken, weir bool
	}{
		{strings.TrimPrefix(weir.URL, "http://"), true, true},
		{strings.TrimPrefix(other.URL, "http://"), true, false},
		{freePort(t), false, false},
	} {
		got := lookAtPorts(t.Context(), daemon.Config{Listen: freePort(t), Admin: c.admin})
		if got[0].Taken || got[1].Taken != c.taken || got[1].Weir != c.weir {
			t.Errorf("got %+v, want %+v", got, c)
		}
	}
}

// TestGreeting: what is no server, or says nothing, has no version.
func TestGreeting(t *testing.T) {
	for sent, want := range map[string]string{
		"\x0c\x00\x00\x00\x0a8.4.0\x00rest..": "8.4.0",
		"HTTP/1.1 400 Bad Request\r\n\r\n":    "",
		"\x03\x00\x00\x00\x0a8.":              "",
		"\x05\x00\x00\x00\xff\x10\x04no":      "", // too many connections
		"":                                    "",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() {
			defer close(served)
			if c, err := l.Accept(); err == nil {
				_, _ = c.Write([]byte(sent))
				c.Close()
			}
		}()
		if got := greeting(t.Context(), l.Addr().String()); got != want {
			t.Errorf("%q: got %q, want %q", sent, got, want)
		}
		l.Close()
		<-served
	}
}

// TestRedisRoles: what Redis says of itself, in each way of running it.
func TestRedisRoles(t *testing.T) {
	t.Parallel()
	master := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "hush", MaxMemory: 1 << 26})
	follower := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "hush", MaxMemory: 1 << 26})
	if err := follower.MakeReplicaOf(t.Context(), master); err != nil {
		t.Fatal(err)
	}
	node := sandboxtest.Redis(t, sandbox.RedisOptions{Extra: []string{"--cluster-enabled", "yes"}, MaxMemory: 1 << 26})
	for _, c := range []struct {
		name, addr, password string
		want                 []string
	}{
		{"the master", master.Addr(), "hush", nil},
		{"a replica", follower.Addr(), "hush", []string{"redis-role"}},
		{"a wrong password", master.Addr(), "guess", []string{"redis"}},
		{"a node of a Cluster", node.Addr(), "", []string{"redis-role"}},
	} {
		cfg := daemon.Default()
		cfg.Redis.Addrs, cfg.Redis.Password = []string{c.addr}, daemon.Secret(c.password)
		var found []string
		for _, f := range Judge(&World{Config: cfg, Redis: lookAtRedis(t.Context(), &cfg)}).Findings {
			if f.Where == aboutRedis && f.Severity > Note && f.ID != "redis-latency" {
				found = append(found, f.ID)
			}
			if strings.Contains(f.Evidence, "hush") || strings.Contains(f.Evidence, "guess") {
				t.Errorf("%s: a password is printed: %s", c.name, f.Evidence)
			}
		}
		if !slices.Equal(found, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, found, c.want)
		}
	}
}
