package daemon

import (
	"context"
	"crypto/tls"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// newTLSSource is a source with a certificate for host.
func newTLSSource(t *testing.T, flavor sandbox.Flavor, a *authority, host string) *world {
	t.Helper()
	p := a.issue("server-"+host, host)
	w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--ssl-ca=" + a.file, "--ssl-cert=" + p.cert, "--ssl-key=" + p.key}})
	return w
}

// Everything that Weir connects for works with a server that lets nobody in without TLS: the stream, the probe, the
// samplers, the catalogue, and the pools.
func TestTLSTowardsServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		a := newAuthority(t)
		w := newTLSSource(t, flavor, a, "127.0.0.1")
		d := w.direct("app", "")
		for _, statement := range []string{
			"CREATE DATABASE shop", "USE shop", "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB",
			"INSERT INTO t VALUES (1, 'old')", "SET GLOBAL require_secure_transport = ON",
		} {
			d.run(statement)
		}
		if got := w.direct("app", "").ask("SELECT 1"); !strings.HasPrefix(string(got), "error") {
			t.Fatalf("the server lets in who comes without TLS: %s", got)
		}
		for _, mode := range []ServerTLS{{Mode: tlsPreferred}, {Mode: tlsVerifyIdentity, CAFile: a.file}} {
			t.Run(mode.Mode, func(t *testing.T) {
				w.start(func(c *Config) { c.Source.TLS = mode })
				p := w.proxy("app", "shop")
				d.run("UPDATE t SET v = 'old'")
				w.caughtUp()
				p.warm(one)
				d.run("UPDATE t SET v = 'new'")
				w.caughtUp()
				if got := p.ask(one); got != "v\nnew\n" {
					t.Errorf("after a change: %s", got)
				}
				p.warm(one)
				w.stop()
			})
		}
		t.Run("disabled", func(t *testing.T) {
			refusesToOpen(t, w, func(c *Config) { c.Source.TLS.Mode = tlsDisabled }, "source.tls")
		})
	})
}

// refusesToOpen: such a Weir does not start, and says all the words.
func refusesToOpen(t *testing.T, w *world, configure func(*Config), words ...string) {
	t.Helper()
	cfg := Default()
	cfg.Listen, cfg.Admin = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = w.source.Addr(), "weir", "weir-secret"
	configure(&cfg)
	_, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Fatal("it starts")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("it says %q; it is to say %q", err, word)
		}
	}
}

// The modes differ in what they take for the server.
func TestTLSModesTowardsServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		right, other := newAuthority(t), newAuthority(t)
		elsewhere := newTLSSource(t, flavor, right, "db.example")
		for _, c := range []struct {
			name  string
			tls   ServerTLS
			words []string // none if it opens
		}{
			{"verify_ca", ServerTLS{Mode: tlsVerifyCA, CAFile: right.file}, nil},
			{"verify_ca, another authority", ServerTLS{Mode: tlsVerifyCA, CAFile: other.file}, []string{"over TLS", "unknown authority", "source.tls"}},
			{"verify_identity", ServerTLS{Mode: tlsVerifyIdentity, CAFile: right.file}, []string{"over TLS", "127.0.0.1", "source.tls"}},
			{"verify_identity, the system's authorities", ServerTLS{Mode: tlsVerifyIdentity}, []string{"over TLS", "source.tls"}},
			{"required", ServerTLS{Mode: tlsRequired}, nil},
			{"a file that is none", ServerTLS{Mode: tlsVerifyCA, CAFile: "/no/such/file"}, []string{"source.tls.ca_file", "/no/such/file"}},
			{"half a pair", ServerTLS{Mode: tlsRequired, CertFile: right.file}, []string{"source.tls.cert_file", "source.tls.key_file"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				use := func(cfg *Config) { cfg.Source.TLS = c.tls }
				if c.words != nil {
					refusesToOpen(t, elsewhere, use, c.words...)
					return
				}
				elsewhere.start(use)
				elsewhere.stop()
			})
		}
	})
	t.Run("a server without TLS", func(t *testing.T) {
		w := newSource(t, sandbox.Options{Flavor: sandbox.MariaDB})
		refusesToOpen(t, w, func(c *Config) { c.Source.TLS.Mode = tlsRequired }, "does not offer TLS", "source.tls")
		w.start(func(c *Config) { c.Source.TLS.Mode = tlsPreferred })
		w.stop()
	})
}

// A server may ask for a certificate.
func TestTLSWithACertificateTowardsServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		a := newAuthority(t)
		w := newTLSSource(t, flavor, a, "127.0.0.1")
		sandboxtest.Exec(t, w.source, "ALTER USER weir@'%' REQUIRE X509", "ALTER USER app@'%' REQUIRE X509")
		show := a.issue("weir", "weir")
		refusesToOpen(t, w, func(c *Config) { c.Source.TLS = ServerTLS{Mode: tlsRequired} }, "refuses the account")
		w.start(func(c *Config) { c.Source.TLS = ServerTLS{Mode: tlsRequired, CertFile: show.cert, KeyFile: show.key} })
		if got := w.proxy("app", "").ask("SELECT 1"); got != "1\n1\n" {
			t.Errorf("through Weir: %s", got)
		}
	})
}

// over opens a connection to Weir over TLS, and returns the certificate that Weir shows.
func (w *world) over(addr string, config *tls.Config, user string) (c *client, subject string) {
	w.t.Helper()
	config = config.Clone()
	config.VerifyConnection = func(s tls.ConnectionState) error {
		subject = s.PeerCertificates[0].Subject.CommonName
		return nil
	}
	m := mysql.NewConfig()
	m.Net, m.Addr, m.User, m.Passwd, m.DBName, m.TLS = "tcp", addr, user, user+"-secret", "", config
	connector, err := mysql.NewConnector(m)
	w.must(err)
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	w.t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		return &client{world: w, refused: err, hangUp: func() {}}, subject
	}
	w.t.Cleanup(func() { conn.Close() })
	return &client{world: w, conn: conn, hangUp: func() { conn.Close(); db.Close() }}, subject
}

const inShop = "SELECT v FROM shop.t WHERE id = 1"

// Clients get hits over TLS, and keep their connections when the certificate is reloaded.
func TestTLSTowardsClients(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		a := newAuthority(t)
		first := a.issue("first", "127.0.0.1")
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) {
			c.TLS.CertFile, c.TLS.KeyFile = first.cert, first.key
		})
		w.shop()
		trusting := &tls.Config{RootCAs: a.pool(), ServerName: "127.0.0.1"}
		p, subject := w.over(w.weir.Addr(), trusting, "app")
		p.warm(inShop)
		if got, hit := p.asked(inShop); got != "v\nold\n" || !hit || subject != "first" {
			t.Fatalf("over TLS: %s, hit %v, certificate %q", got, hit, subject)
		}

		replace(t, first, a.issue("second", "127.0.0.1"))
		w.weir.Reload()
		if got, hit := p.asked(inShop); got != "v\nold\n" || !hit {
			t.Errorf("after the certificate changed, on an open connection: %s, hit %v", got, hit)
		}
		q, subject := w.over(w.weir.Addr(), trusting, "app")
		if got, hit := q.asked(inShop); got != "v\nold\n" || !hit || subject != "second" {
			t.Errorf("after the certificate changed: %s, hit %v, certificate %q", got, hit, subject)
		}

		w.must(os.WriteFile(first.cert, []byte("nothing of use"), 0o600))
		w.weir.Reload()
		if r, subject := w.over(w.weir.Addr(), trusting, "app"); r.refused != nil || subject != "second" {
			t.Errorf("after a bad certificate: %v, certificate %q, want the one before", r.refused, subject)
		}
	})
}

// replace puts the second pair's files in the place of the first's.
func replace(t *testing.T, first, second pair) {
	t.Helper()
	for from, to := range map[string]string{second.cert: first.cert, second.key: first.key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
}

// Clients may have to use TLS, and to show a certificate.
func TestTLSRequiredOfClients(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		a, other := newAuthority(t), newAuthority(t)
		mine := a.issue("weir", "127.0.0.1")
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) {
			c.TLS = TLS{Mode: tlsRequired, CertFile: mine.cert, KeyFile: mine.key, ClientCAFile: a.file}
		})
		const plain = "Error 3159 (HY000): Connections using insecure transport are prohibited while --require_secure_transport=ON."
		if c := w.proxy("app", ""); c.refused == nil || c.refused.Error() != plain {
			t.Errorf("without TLS: %v", c.refused)
		}
		show := func(of *authority) *tls.Config {
			config := &tls.Config{RootCAs: a.pool(), ServerName: "127.0.0.1"}
			if of != nil {
				p := of.issue("client", "client")
				certificate, err := tls.LoadX509KeyPair(p.cert, p.key)
				w.must(err)
				config.Certificates = []tls.Certificate{certificate}
			}
			return config
		}
		for name, of := range map[string]*authority{"none": nil, "another authority's": other} {
			if c, _ := w.over(w.weir.Addr(), show(of), "app"); c.refused == nil {
				t.Errorf("with certificate %s a client is let in", name)
			}
		}
		if c, _ := w.over(w.weir.Addr(), show(a), "app"); c.ask("SELECT 1") != "1\n1\n" {
			t.Errorf("with a certificate: %v", c.refused)
		}
	})
}

// SIGHUP reloads the certificate of a running Weir.
func TestTLSReloadOnHangup(t *testing.T) {
	weir := buildWeir(t)
	w := newSource(t, sandbox.Options{Flavor: sandbox.MariaDB})
	a := newAuthority(t)
	first := a.issue("first", "127.0.0.1")
	path := filepath.Join(t.TempDir(), "weir.yaml")
	w.must(os.WriteFile(path, []byte("listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nsource:\n  addr: "+w.source.Addr()+
		"\n  user: weir\n  password: weir-secret\ntls:\n  cert_file: "+first.cert+"\n  key_file: "+first.key+"\n"), 0o600))
	r := weir.serve(t, "--config", path)
	trusting := &tls.Config{RootCAs: a.pool(), ServerName: "127.0.0.1"}
	before, subject := w.over(r.listen, trusting, "app")
	if subject != "first" || before.ask("SELECT 1") != "1\n1\n" {
		t.Fatalf("certificate %q, %v", subject, before.refused)
	}
	replace(t, first, a.issue("second", "127.0.0.1"))
	w.must(r.process.Signal(syscall.SIGHUP))
	for subject != "second" { // the signal takes its time
		var c *client
		if c, subject = w.over(r.listen, trusting, "app"); c.refused != nil {
			t.Fatal(c.refused)
		}
		c.hangUp()
	}
	if got := before.ask("SELECT 1"); got != "1\n1\n" {
		t.Errorf("on a connection from before: %s", got)
	}
	before.hangUp()
	r.terminate()
	r.exit()
}
