package redistier

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// allowed are the commands that docs/configuration.md says an account needs.
const allowed = "+getrange +set +hset +hgetall +hdel +pexpire"

// An account that may do no more than the documentation says can do everything, and nothing outside of its namespace.
func TestServersACL(t *testing.T) {
	docs, err := os.ReadFile("../../docs/configuration.md")
	must(t, err)
	if !strings.Contains(string(docs), "~weir:* "+allowed+"`") {
		t.Error("docs/configuration.md says that other commands are needed than ", allowed)
	}
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, ctx := newHistory(), t.Context()
	must(t, allow(ctx, raw(t, r), allowed))
	cfg := testConfig(r)
	cfg.Username, cfg.Password = "weir", "secret"
	tier := startTier(t, cfg, h)
	everything(t, tier, h)
	await(t, "the probe, too", func() bool { return tier.nodes.well(ctx, tier.nodes.root, tier.names.probe()) })

	cfg.Namespace = "other"
	outside := startTier(t, cfg, h)
	sicken(t, outside)
	cfg.Password = "wrong"
	sicken(t, startTier(t, cfg, h))
}

func allow(ctx context.Context, admin *redis.Client, commands string) error {
	args := []any{"ACL", "SETUSER", "weir", "on", ">secret", "~weir:*"}
	for c := range strings.FieldsSeq(commands) {
		args = append(args, c)
	}
	return admin.Do(ctx, args...).Err()
}

// everything that a tier does, once.
func everything(t *testing.T, tier *Tier, h *history) {
	t.Helper()
	keep(t, tier, entry("q", "rows", h.mark(7)))
	if writes(tier, writeDone) != 1 {
		t.Fatal("not written: ", counts(tier))
	}
	await(t, "it is found", func() bool { // the first one may have been late, for the connection was not there yet
		_, ok := find(t, tier, "q")
		return ok
	})
	wantMissing(t, tier, "none", lookupMiss)
	must(t, tier.Leave(t.Context(), "positions", "a", []byte("here"), time.Minute))
	if left, err := tier.Left(t.Context(), "positions"); err != nil || string(left["a"]) != "here" {
		t.Errorf("left are %q, %v", left, err)
	}
	must(t, tier.Drop(t.Context(), "positions", "a"))
}

// Over TLS a server is believed if its certificate is for the host that it is reached by.
func TestServersTLS(t *testing.T) {
	cert, key, roots := certificate(t)
	port := freePort(t)
	sandboxtest.Redis(t, sandbox.RedisOptions{Extra: []string{
		"--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no",
	}})
	cfg, h := DefaultConfig(), newHistory()
	cfg.Addrs, cfg.Budget, cfg.MinCost = []string{"127.0.0.1:" + port}, testBudget, 0
	cfg.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	everything(t, startTier(t, cfg, h), h)

	cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	sicken(t, startTier(t, cfg, h))
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	must(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return certFile, keyFile, roots
}

// twoMasters starts a Cluster of two, each with half of the slots.
func twoMasters(t *testing.T) (a, b *sandbox.Redis) {
	t.Helper()
	bus := freePort(t)
	master := func(bus string) *sandbox.Redis { // the usual one, 10,000 above the other, may be taken
		return sandboxtest.Redis(t, sandbox.RedisOptions{Extra: []string{"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no", "--cluster-port", bus}})
	}
	a, b = master(freePort(t)), master(bus)
	ctx := t.Context()
	must(t, raw(t, a).Do(ctx, "CLUSTER", "ADDSLOTSRANGE", 0, 8191).Err())
	must(t, raw(t, b).Do(ctx, "CLUSTER", "ADDSLOTSRANGE", 8192, 16383).Err())
	must(t, raw(t, b).Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", 2).Err())
	must(t, raw(t, a).Do(ctx, "CLUSTER", "MEET", "127.0.0.1", b.Port, bus).Err())
	for _, r := range []*sandbox.Redis{a, b} {
		await(t, "the Cluster is complete", func() bool {
			slots, err := raw(t, r).Do(ctx, "CLUSTER", "SLOTS").Slice()
			return err == nil && len(slots) == 2 && strings.Contains(raw(t, r).ClusterInfo(ctx).Val(), "cluster_state:ok")
		})
	}
	return a, b
}

// TestPitfall50OneSickMaster: one master of a Cluster stands still. What the other one has is found as before, and when it is
// over all is well. The account may do what the documentation says.
func TestPitfall50OneSickMaster(t *testing.T) {
	a, b := twoMasters(t)
	h, ctx := newHistory(), t.Context()
	cfg := testConfig(a)
	cfg.Cluster, cfg.Username, cfg.Password = true, "weir", "secret"
	for _, r := range []*sandbox.Redis{a, b} {
		must(t, allow(ctx, raw(t, r), allowed+" +cluster|slots +asking"))
	}
	tier := startTier(t, cfg, h)
	everything(t, tier, h)
	of := map[string]string{} // a key by the address that has it
	for i := 0; len(of) < 2; i++ {
		key := fmt.Sprintf("key %d", i)
		master, err := tier.nodes.of(ctx, tier.names.value("server-one", []byte(key)))
		must(t, err)
		of[master.addr] = key
	}
	for _, key := range of {
		keep(t, tier, entry(key, "rows", h.mark(7)))
		await(t, "it is found", func() bool { _, ok := find(t, tier, key); return ok })
	}
	must(t, b.Suspend())
	await(t, "the sick one is out", func() bool {
		_, _ = find(t, tier, of[b.Addr()])
		wantFound(t, tier, of[a.Addr()], "rows")
		return tier.nodes.open() == 1
	})
	wantMissing(t, tier, of[b.Addr()], lookupOpen)
	wantFound(t, tier, of[a.Addr()], "rows")
	must(t, b.Resume())
	await(t, "it is back", func() bool { _, ok := find(t, tier, of[b.Addr()]); return ok })
}

// Batches in a Cluster are found whole, and follow a slot that has another master by now.
func TestPitfall49Moved(t *testing.T) {
	a, b := twoMasters(t)
	h, ctx := newHistory(), t.Context()
	cfg := testConfig(a)
	cfg.Addrs = []string{a.Addr(), b.Addr()}
	tier := startTier(t, cfg, h)
	everything(t, tier, h)
	name := tier.names.value("server-one", []byte("q"))
	slot := raw(t, a).ClusterKeySlot(ctx, name).Val()
	from, to := a, b
	if slot > 8191 {
		from, to = b, a
	}
	move(t, slot, from, to, name)
	await(t, "it is found where it is now", func() bool { _, ok := find(t, tier, "q"); return ok })
	replies := tier.nodes.read(ctx, []string{name, tier.names.value("server-one", []byte("none")), name})
	for i, want := range []bool{true, false, true} {
		if r := replies[i]; r.err != nil || (len(r.value) > 0) != want {
			t.Errorf("%d of a batch: %d bytes, %v", i, len(r.value), r.err)
		}
	}
}

// move gives a slot with one key in it to another master.
func move(t *testing.T, slot int64, from, to *sandbox.Redis, key string) {
	t.Helper()
	ctx, f, o := t.Context(), raw(t, from), raw(t, to)
	id := func(c *redis.Client) string { return c.Do(ctx, "CLUSTER", "MYID").Val().(string) }
	must(t, o.Do(ctx, "CLUSTER", "SETSLOT", slot, "IMPORTING", id(f)).Err())
	must(t, f.Do(ctx, "CLUSTER", "SETSLOT", slot, "MIGRATING", id(o)).Err())
	must(t, f.Migrate(ctx, "127.0.0.1", strconv.Itoa(to.Port), key, 0, 5*time.Second).Err())
	must(t, o.Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", id(o)).Err())
	must(t, f.Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", id(o)).Err())
}
