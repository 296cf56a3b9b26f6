package daemon

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// What people get wrong, they are told in one line that says what to do, before anything is served.
func TestBadInput(t *testing.T) {
	weir := buildWeir(t)
	t.Run("arguments", func(t *testing.T) { badArguments(t, weir) })
	t.Run("files", func(t *testing.T) { badFiles(t, weir) })
	t.Run("addresses", func(t *testing.T) { badAddresses(t, weir) })
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		badAccounts(t, weir, w)
		badPorts(t, weir, w)
		goodStart(t, weir, w)
		goodFile(t, weir, w)
		badSettings(t, weir, w)
	})
}

func badArguments(t *testing.T, weir binary) {
	for _, c := range []struct {
		args  string
		words []string
	}{
		{"", []string{`expected one of "serve"`}},
		{"swim", []string{"unexpected argument swim"}},
		{"serve --color", []string{"unknown flag --color"}},
		{"serve", []string{"--config weir.yaml", "--source user:password@host:port"}},
		{"serve --source db.example", []string{"is not user:password@host:port"}},
		{"serve --source :secret@db.example", []string{"has no user"}},
		{"serve --source a:b@c:1 --config x", []string{"are both given"}},
		{"serve --source a:b@c:1 --listen 3307", []string{`"3307" is not host:port`}},
		{"serve --source a:b@c:1 --admin 0.0.0.0:9307", []string{"0.0.0.0:9307", "loopback"}},
		{"serve --config /no/such/file", []string{"/no/such/file", "no such file"}},
	} {
		weir.refuses(t, c.words, strings.Fields(c.args)...)
	}
	if stdout, _, code := weir.run(t, "version"); code != 0 || !strings.HasPrefix(stdout, "weir ") {
		t.Errorf("weir version says %q, exit code %d", stdout, code)
	}
}

func badFiles(t *testing.T, weir binary) {
	const source = "source:\n  addr: 127.0.0.1:3306\n  user: weir\n"
	for _, c := range []struct {
		text  string
		words []string
	}{
		{"", []string{"empty", "source.addr"}},
		{"sourse:\n  addr: x\n", []string{":1: ", `unknown key "sourse"`, "source, backends"}},
		{source + "  pasword: x\n", []string{":4: ", `unknown key "pasword" in source`, "password, password_file"}},
		{source + "cache:\n  size: 1\n", []string{":5: ", `unknown key "size" in cache`, "query_cache_size"}},
		{source + "ddl: {reads: 8.5}\n", []string{":4: ", `"8.5" is not a whole number`}},
		{source + "ddl: {refill: 1e3}\n", []string{":4: ", `"1e3" is not a whole number`}},
		{source + "ddl: {reads: 0}\n", []string{"ddl.reads is 0", "1 to 1024"}},
		{source + "ddl: {max_wait: 1ms}\n", []string{"ddl.max_wait is 1ms", "100ms to 1h"}},
		{source + "ddl: {refill: -1}\n", []string{"ddl.refill is -1", "0 to 10000"}},
		{source + "redis: {budget: 3ms}\n", []string{":4: ", "redis.addrs is missing"}},
		{source + "redis: {adrs: [a]}\n", []string{":4: ", `unknown key "adrs" in redis`, "addrs, cluster"}},
		{source + "redis: {addrs: [127.0.0.1]}\n", []string{":4: ", "redis.addrs", "not host:port"}},
		{source + "redis: {addrs: '127.0.0.1:6379'}\n", []string{":4: ", `redis.addrs is a list, also of a single one; write ["127.0.0.1:6379"]`}},
		{"source:\n  addrs: 127.0.0.1:3306\n", []string{":2: ", `source.addrs is a list, also of a single one; write ["127.0.0.1:3306"]`}},
		{source + "backends: 127.0.0.1:3306\n", []string{":4: ", "backends is a list", "with a dash, as in - addr: "}},
		{source + "backends: [127.0.0.1:3306]\n", []string{":4: ", "backends[0] is a section", "addr: "}},
		{source + "users: weir:secret\n", []string{":4: ", "users is a list", "- name: "}},
		{source + "redis:\n  addrs: {a: 6379}\n", []string{":5: ", "redis.addrs is a list; write [a, b]"}},
		{source + "redis: {tls: required}\n", []string{":4: ", "redis.tls is a section", "mode: "}},
		{source + "backends:\n- addr: a:1\n- addr: b:1\n  tls: required\n", []string{":7: ", "backends[1].tls is a section"}},
		{source + "redis:\n  db: [1]\n", []string{":5: ", "not a whole number"}},
		{"- a\n", []string{":1: ", "the file has no keys"}},
		{source + "redis: 127.0.0.1:6379\n", []string{":4: ", "redis is a section", "as in addrs: "}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  save_on_stop: 3\n", []string{":6: ", "redis.save_on_stop is neither true nor false"}},
		{source + "listen: [a, b]\n", []string{":4: ", "listen is a text"}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  min_cost: some\n", []string{":6: ", `"some" is not auto`}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  budget: 1m\n", []string{":6: ", "redis.budget is 1m0s", "1ms to 1s"}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  namespace: 'a{b}'\n", []string{":6: ", "redis.namespace"}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  max_value: 2M\n", []string{":6: ", "redis.max_value", "larger than query_cache_limit"}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  tls: {mode: preferred}\n", []string{":6: ", "redis.tls.mode", "cannot negotiate"}},
		{source + "redis:\n  addrs: ['127.0.0.1:6379']\n  tls: {mode: verify_ca}\n", []string{":6: ", "redis.tls.ca_file", "give the file"}},
		{source + "  server_id: 1.5\n", []string{":4: ", `"1.5" is not a server id`}},
		{source + "audit: 100000\n", []string{":4: ", "audit is 100000", "6000"}},
		{source + "max_connections: 2.5\n", []string{":4: ", `"2.5" is not a whole number`}},
		{source + "max_staleness: soon\n", []string{":4: ", `"soon" is not a duration`, "1s"}},
		{source + "max_staleness: 1ms\n", []string{":4: ", "too short", "20ms"}},
		{source + "cache:\n  query_cache_size: big\n", []string{":5: ", `"big" is not a size`, "256MiB"}},
		{source + "writes: maybe\n", []string{":4: ", "reject or source"}},
		{source + "cache:\n  precision: column\n", []string{":5: ", "row or table"}},
		{source + "cache:\n  transactions: all\n", []string{":5: ", "bypass or snapshot"}},
		{source + "listen: ''\n", []string{":4: ", "listen is empty"}},
		{source + "listen: 3307\n", []string{":4: ", "listen", "not host:port"}},
		{source + "backends:\n  - addr: 3306\n", []string{":4: ", "backends", "not host:port"}},
		{source + "cache:\n  query_cache_size: 1K\n  query_cache_limit: 2K\n", []string{":6: ", "larger than query_cache_size"}},
		{source + "cache:\n  history: 1000\n", []string{":5: ", "1024 to 1073741824"}},
		{source + "cache:\n  history: 1M\n", []string{":5: ", "not a whole number"}},
		{source + "max_connections: many\n", []string{":4: ", "many"}},
		{"source:\n  user: weir\n", []string{"source.addr is missing"}},
		{"source:\n  user: weir\n  addrs: []\n", []string{":3: ", "source.addrs is empty"}},
		{"source:\n  addr: 127.0.0.1\n  user: weir\n", []string{":2: ", "not host:port"}},
		{source + "  password: ${WEIR_NO_SUCH_VARIABLE}\n", []string{":4: ", "WEIR_NO_SUCH_VARIABLE is not set"}},
		{source + "  password_file: /no/such/file\n", []string{":4: ", "/no/such/file"}},
		{"source: [\n", []string{":1: "}},
		{"- a\n", []string{":1: "}},
	} {
		path := filepath.Join(t.TempDir(), "weir.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		weir.refuses(t, append(c.words, path), "serve", "--config", path)
	}
}

// badAddresses: nobody is there, or somebody who is no server.
func badAddresses(t *testing.T, weir binary) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	web := &http.Server{Handler: http.NotFoundHandler()}
	defer web.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go web.Serve(l)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, c := range []struct {
		addr  string
		words []string
	}{
		{gone.Addr().String(), []string{"cannot be reached", "connection refused", "source.addr"}},
		{silent.Addr().String(), []string{"does not answer as a MySQL or MariaDB server", "source.addr"}},
		{l.Addr().String(), []string{"does not answer as a MySQL or MariaDB server", "source.addr"}},
		{"no-such-host.invalid:3306", []string{"cannot be reached", "no-such-host.invalid", "source.addr"}},
	} {
		weir.refuses(t, append(c.words, c.addr), serveAs("weir", c.addr)...)
	}
}

// serveAs is a command line that is right but for the account or the address.
func serveAs(user, addr string) []string {
	return []string{"serve", "--source", user + ":" + user + "-secret@" + addr, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}
}

func badAccounts(t *testing.T, weir binary, w *world) {
	for _, c := range []struct {
		user, grants string
		words        []string
	}{
		{"nobody", "", []string{`refuses the account "nobody"`, "source.user and source.password"}},
		{"nothing", "USAGE", []string{"GRANT REPLICATION CLIENT"}},
		{"noslave", "SELECT, PROCESS, REPLICATION CLIENT", []string{`"noslave"`, "GRANT REPLICATION SLAVE"}},
		{"noclient", "SELECT, PROCESS, REPLICATION SLAVE", []string{`"noclient"`, "GRANT REPLICATION CLIENT"}},
		{"noselect", "PROCESS, REPLICATION SLAVE, REPLICATION CLIENT", []string{"GRANT SELECT"}},
		{"noprocess", "SELECT, REPLICATION SLAVE, REPLICATION CLIENT", []string{"GRANT SELECT, PROCESS"}},
	} {
		if c.grants != "" {
			w.must(w.source.CreateUser(t.Context(), c.user, c.user+"-secret", c.grants+" ON *.*"))
		}
		weir.refuses(t, c.words, serveAs(c.user, w.source.Addr())...)
	}
	wrong := serveAs("weir", w.source.Addr())
	wrong[2] = "weir:wrong@" + w.source.Addr()
	weir.refuses(t, []string{`refuses the account "weir"`, "source.password"}, wrong...)
}

func badPorts(t *testing.T, weir binary, w *world) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	defer taken.Close()
	for _, key := range []string{"listen", "admin"} {
		args := append(serveAs("weir", w.source.Addr()), "--"+key, taken.Addr().String())
		weir.refuses(t, []string{"cannot listen on " + taken.Addr().String(), key, "another program"}, args...)
	}
}

// badSettings: what only the server's configuration can mend. The server is of no use for anything else afterwards.
func badSettings(t *testing.T, weir binary, w *world) {
	for _, format := range []string{"STATEMENT", "MIXED"} {
		sandboxtest.Exec(t, w.source, fmt.Sprintf("SET GLOBAL binlog_format = '%s'", format))
		weir.refuses(t, []string{"binlog_format=" + format, "SET GLOBAL binlog_format='ROW'"}, serveAs("weir", w.source.Addr())...)
	}
	sandboxtest.Exec(t, w.source, "SET GLOBAL binlog_format = 'ROW'")
	if w.flavor == sandbox.MySQL {
		sandboxtest.Exec(t, w.source, "SET GLOBAL gtid_mode = ON_PERMISSIVE", "SET GLOBAL gtid_mode = OFF_PERMISSIVE")
		weir.refuses(t, []string{"gtid_mode=OFF_PERMISSIVE", "set gtid_mode=ON"}, serveAs("weir", w.source.Addr())...)
		sandboxtest.Exec(t, w.source, "SET GLOBAL gtid_mode = OFF")
		weir.refuses(t, []string{"gtid_mode=OFF", "set gtid_mode=ON"}, serveAs("weir", w.source.Addr())...)
	}
	bare := newSource(t, sandbox.Options{Flavor: w.flavor, NoBinlog: true})
	weir.refuses(t, []string{"writes no binlog", "log_bin"}, serveAs("weir", bare.source.Addr())...)
}

// goodStart: the same command line with nothing wrong serves. SIGTERM lets transactions finish, says goodbye to those
// who wait, and ends the program with exit code 0.
func goodStart(t *testing.T, weir binary, w *world) {
	r := weir.serve(t, serveAs("weir", w.source.Addr())[1:]...)
	body, code := get(t, r.admin, "/healthz")
	if code != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz: %d %q", code, body)
	}
	busy := w.connect(r.listen, "weir", "weir-secret", "")
	busy.run("START TRANSACTION READ ONLY")
	idle, err := login.Dial(t.Context(), login.ClientOptions{Addr: r.listen, User: "weir", Password: "weir-secret"})
	w.must(err)
	defer idle.Conn.Close()

	r.terminate()
	if e := farewellTo(t, idle); e.Code != wire.CodeServerShutdown {
		t.Errorf("an idle client is told %v", e)
	}
	busy.run("SELECT COUNT(*) FROM mysql.user")
	busy.run("COMMIT")
	r.exit()
}

// goodFile serves with a file that has every key.
func goodFile(t *testing.T, weir binary, w *world) {
	folder := t.TempDir()
	w.must(os.WriteFile(filepath.Join(folder, "password"), []byte("app-secret\n"), 0o600))
	path := filepath.Join(folder, "weir.yaml")
	w.must(os.WriteFile(path, []byte(fmt.Sprintf(`
listen: 127.0.0.1:0
admin: 127.0.0.1:0
source:
  addr: %[1]s
  user: weir
  password: ${WEIR_TEST_PASSWORD}
  server_id: 4711
backends:
  - addr: %[1]s
users:
  - name: app
    password_file: %[2]s/password
writes: source
max_staleness: 500ms
max_connections: 10
cache:
  query_cache_type: ON
  query_cache_size: 64MiB
  query_cache_limit: 1M
  max_age: 10m
  history: 65536
`, w.source.Addr(), folder)), 0o600))
	r := weir.serve(t, "--config", path)
	c := w.connect(r.listen, "app", "app-secret", "")
	c.run("CREATE DATABASE good")
	c.run("CREATE TABLE good.t (id INT PRIMARY KEY)")
	c.run("INSERT INTO good.t VALUES (7)")
	w.eventually("the row is answered from the cache", func() bool {
		if got := c.ask("SELECT id FROM good.t"); got != "id\n7\n" {
			t.Fatalf("Weir answers %q", got)
		}
		body, _ := get(t, r.admin, "/metrics")
		return !strings.Contains(body, `weir_statements_total{outcome="hit"} 0`)
	})
	r.terminate()
	r.exit()
}

// A transaction that does not end is cut off when the time for that is over.
func TestDrainEnds(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor})
		w.seams.proxy = func(c *proxy.Config) { c.DrainTimeout = 100 * time.Millisecond }
		w.start(nil)
		w.shop()
		c := (&clientWorld{world: w}).login(t)
		if got := c.query("BEGIN"); got != "OK" {
			t.Fatal(got)
		}
		w.stop()
		cutOff(t, c.conn)
	})
}

// farewellTo reads the error that a client gets which has asked for nothing.
func farewellTo(t *testing.T, c *login.Backend) *wire.Error {
	t.Helper()
	c.Reader.Expect(0)
	payload, err := c.Reader.ReadPacket(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	e, err := wire.DecodeError(payload)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func get(t testing.TB, addr, path string) (body string, code int) {
	t.Helper()
	response, err := http.Get("http://" + addr + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), response.StatusCode
}

// While the stream is broken clients are served, from the servers, and /readyz says why no cached result is.
func TestAdminPort(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, network := behind(t, flavor, false)
		_, p := w.shop()
		p.warm(one)
		admin := w.weir.AdminAddr()
		for path, words := range map[string]string{
			"/healthz": "ok",
			"/readyz":  "ok",
			"/metrics": `weir_statements_total{outcome="hit"} `,
		} {
			if body, code := get(t, admin, path); code != http.StatusOK || !strings.Contains(body, words) {
				t.Errorf("%s: %d %q", path, code, body)
			}
		}
		w.eventually("the page says that cached results are served", func() bool { // it is made once a second
			body, code := get(t, admin, "/")
			return code == http.StatusOK && strings.Contains(body, "Cached results are served")
		})
		if _, code := get(t, admin, "/nothing"); code != http.StatusNotFound {
			t.Errorf("/nothing: %d", code)
		}
		network.down()
		w.eventually("/readyz says that the stream is broken", func() bool {
			body, code := get(t, admin, "/readyz")
			return code == http.StatusServiceUnavailable && strings.Contains(body, "the binlog stream is broken: ")
		})
		if body, code := get(t, admin, "/healthz"); code != http.StatusOK {
			t.Errorf("/healthz: %d %q while the stream is broken", code, body)
		}
		if got := p.ask(one); got != "v\nold\n" {
			t.Errorf("while the stream is broken Weir answers %q", got)
		}
		network.lead(w.source.Addr())
		w.eventually("/readyz is well again", func() bool {
			_, code := get(t, admin, "/readyz")
			return code == http.StatusOK
		})
		p.warm(one)
	})
}
