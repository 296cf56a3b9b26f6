package sandbox_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// ask sends one inline command on a connection of its own and returns the first line of the reply.
func ask(t *testing.T, r *sandbox.Redis, commands ...string) (reply string) {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := bufio.NewReader(conn)
	for _, command := range commands {
		if _, err := io.WriteString(conn, command+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if reply, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return reply
}

func TestRedis(t *testing.T) {
	t.Parallel()
	r := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "secret", MaxMemory: 8 << 20, Debug: true, Users: []sandbox.RedisUser{
		{Name: "weir", Password: "weir-secret", Rules: []string{"~weir:*", "+@all"}},
	}})
	for _, c := range []struct {
		name     string
		commands []string
		want     string
	}{
		{"ping", []string{"AUTH secret", "PING"}, "+PONG\r\n"},
		{"set", []string{"AUTH secret", "SET k v"}, "+OK\r\n"},
		{"get", []string{"AUTH secret", "GET k"}, "$1\r\n"},
		{"no password", []string{"PING"}, "-NOAUTH Authentication required.\r\n"},
		{"account", []string{"AUTH weir weir-secret", "SET weir:k v"}, "+OK\r\n"},
		{"account's limits", []string{"AUTH weir weir-secret", "GET k"}, "-NOPERM this user has no permissions"},
		{"debug", []string{"AUTH secret", "DEBUG SLEEP 0"}, "+OK\r\n"},
	} {
		if got := ask(t, r, c.commands...); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}

	r.Kill()
	must(t, r.Restart(t.Context()))
	if got := do(t, r, "GET", "k"); got != nil {
		t.Errorf("after a restart: %v, want nothing", got)
	}
	must(t, r.Suspend())
	r.Stop() // also ends a suspended server
	r.Stop()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do runs a command that must succeed.
func do(t testing.TB, r *sandbox.Redis, words ...any) any {
	t.Helper()
	reply, err := r.Do(t.Context(), words...)
	must(t, err)
	return reply
}

// TestRedisDump: an old state comes back, and a restart after that is empty all the same.
func TestRedisDump(t *testing.T) {
	t.Parallel()
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	do(t, r, "SET", "k", "old")
	dump, err := r.SaveDump(t.Context())
	must(t, err)
	do(t, r, "SET", "k", "new")
	must(t, r.RestoreDump(t.Context(), dump))
	if got := do(t, r, "GET", "k"); got != "old" {
		t.Errorf("after the dump was restored: %v, want old", got)
	}
	must(t, r.Restart(t.Context()))
	if got := do(t, r, "GET", "k"); got != nil {
		t.Errorf("after a restart: %v, want nothing", got)
	}
}

// TestRedisReplica: a server that is made a replica has what the other one has, and keeps it as a master.
func TestRedisReplica(t *testing.T) {
	t.Parallel()
	one := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "secret"})
	other := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "secret"})
	do(t, one, "SET", "k", "one")
	do(t, other, "SET", "k", "other")
	do(t, other, "SET", "l", "other")
	must(t, one.MakeReplicaOf(t.Context(), other))
	if got := do(t, one, "MGET", "k", "l"); !reflect.DeepEqual(got, []any{"other", "other"}) {
		t.Errorf("the replica has %v", got)
	}
	if _, err := one.Do(t.Context(), "SET", "k", "one"); err == nil || !strings.Contains(err.Error(), "READONLY") {
		t.Errorf("a write to the replica: %v, want READONLY", err)
	}
	must(t, one.MakeReplicaOf(t.Context(), nil))
	do(t, one, "SET", "k", "one")
	if got := do(t, one, "MGET", "k", "l"); !reflect.DeepEqual(got, []any{"one", "other"}) {
		t.Errorf("the master has %v", got)
	}
}

// TestRedisTLS: a server with TLS speaks nothing else, and asks for certificates if it is to.
func TestRedisTLS(t *testing.T) {
	t.Parallel()
	files := certificate(t)
	files.Clients = true
	one := sandboxtest.Redis(t, sandbox.RedisOptions{TLS: &files, Password: "secret"})
	do(t, one, "SET", "k", "v")
	conn, err := tls.Dial("tcp", one.Addr(), &tls.Config{InsecureSkipVerify: true})
	if err == nil {
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1)) // the server's refusal comes after the handshake
	}
	if err == nil || !strings.Contains(err.Error(), "certificate required") {
		t.Errorf("without a certificate: %v", err)
	}
	other := sandboxtest.Redis(t, sandbox.RedisOptions{TLS: &files, Password: "secret"})
	must(t, other.MakeReplicaOf(t.Context(), one))
	if got := do(t, other, "GET", "k"); got != "v" {
		t.Errorf("the replica has %v, want v", got)
	}
}

// certificate makes an authority that is also a server and a client.
func certificate(t *testing.T) sandbox.RedisTLS {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	files := sandbox.RedisTLS{Cert: filepath.Join(t.TempDir(), "cert.pem"), Key: filepath.Join(t.TempDir(), "key.pem")}
	files.CA = files.Cert
	must(t, os.WriteFile(files.Cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(files.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	return files
}
