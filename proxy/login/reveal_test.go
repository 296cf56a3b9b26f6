package login

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"weir/proxy/wire"
)

// testKey is made once: it takes a moment.
var testKey = sync.OnceValue(func() *KeyPair {
	key, err := NewKeyPair()
	if err != nil {
		panic(err)
	}
	return key
})

// revealing are options where "app" is remembered with the given passwords.
func revealing(remembered ...string) ServerOptions {
	return ServerOptions{Version: "8.4.0-test", ConnectionID: 7, Key: testKey(), Remembered: func(user string) []string {
		if user == "app" {
			return remembered
		}
		return nil
	}}
}

// TestPitfall37Reveal: what a client that knows the password is asked for, and what is known of it then.
func TestPitfall37Reveal(t *testing.T) {
	certificate, pool := selfSigned(t)
	over := &tls.Config{Certificates: []tls.Certificate{certificate}}
	client := ServerTLS{Config: &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}}
	for _, tc := range []struct {
		name, user, password string
		remembered           []string
		revealed             bool
	}{
		{"not remembered", "app", "secret", nil, true},
		{"remembered", "app", "secret", []string{"secret"}, false},
		{"another one remembered", "app", "secret", []string{"old"}, true},
		{"the second one remembered", "app", "old", []string{"secret", "old"}, false},
		{"remembered for somebody else", "other", "secret", []string{"secret"}, true},
		{"long password", "app", longPassword, nil, true},
		{"no password", "app", "", []string{"secret"}, true},
		{"no password, remembered", "app", "", []string{""}, true},
	} {
		for _, way := range []string{"TCP", "TLS", "Unix socket"} {
			t.Run(tc.name+"/"+way, func(t *testing.T) {
				o, c := revealing(tc.remembered...), ClientOptions{User: tc.user, Password: tc.password}
				a, b := loopback(t)
				switch way {
				case "TLS":
					o.TLS, c.TLS = over, client
				case "Unix socket":
					a, b = unixPair(t)
					c.Addr = "/socket"
				}
				wait := accepting(t.Context(), a, o, welcome)
				backend, err := logIn(t.Context(), b, c)
				s, acceptErr := wait()
				if err != nil || acceptErr != nil {
					t.Fatalf("client %v, server %v", err, acceptErr)
				}
				defer backend.Conn.Close()
				if s.User != tc.user || s.Password != tc.password || s.Revealed != tc.revealed {
					t.Errorf("user %q, password %q, revealed %v", s.User, s.Password, s.Revealed)
				}
			})
		}
	}
}

func unixPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if b, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if a, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// encrypted is what a client sends that has the public key.
func encrypted(t *testing.T, key *KeyPair, scramble []byte, text string) wire.Payload {
	t.Helper()
	plain := []byte(text)
	for i := range plain {
		plain[i] ^= scramble[i%len(scramble)]
	}
	b, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, &key.private.PublicKey, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPitfall37RevealAnswers: what a client may answer when it is asked for its password, packet by packet.
func TestPitfall37RevealAnswers(t *testing.T) {
	other, err := NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	denied := "Access denied for user 'app'@'127.0.0.1' (using password: YES)"
	for _, tc := range []struct {
		name string
		send func(t *testing.T, c *script, scramble []byte)
		want string // the error; empty if the password is learnt
	}{
		{"asks for the key", func(t *testing.T, c *script, scramble []byte) {
			c.write(wire.Payload{cachingKeyRequest})
			checkKey(t, c.read())
			c.write(encrypted(t, testKey(), scramble, "secret\x00"))
		}, ""},
		{"has the key", func(t *testing.T, c *script, scramble []byte) {
			c.write(encrypted(t, testKey(), scramble, "secret\x00"))
		}, ""},
		{"another key", func(t *testing.T, c *script, scramble []byte) { c.write(encrypted(t, other, scramble, "secret\x00")) }, denied},
		{"without a zero at its end", func(t *testing.T, c *script, scramble []byte) {
			c.write(encrypted(t, testKey(), scramble, "secret"))
		}, denied},
		{"nothing", func(_ *testing.T, c *script, _ []byte) { c.write(wire.Payload{}) }, denied},
		{"in clear, where everybody can listen", func(_ *testing.T, c *script, _ []byte) { c.write(wire.Payload("secret\x00")) }, denied},
		{"asks for the key twice", func(_ *testing.T, c *script, _ []byte) {
			c.write(wire.Payload{cachingKeyRequest})
			c.read()
			c.write(wire.Payload{cachingKeyRequest})
		}, denied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := loopback(t)
			wait := accepting(t.Context(), a, revealing(), welcome)
			c := newScript(t, b)
			h := c.readHandshake()
			c.write(response(CachingSHA2Password, proof(CachingSHA2Password, h.Scramble, "secret")))
			if got := c.read(); !bytes.Equal(got, []byte{wire.HeaderAuthMore, cachingFull}) {
				t.Fatalf("answer % x, want that the password is asked for", got)
			}
			tc.send(t, c, h.Scramble)
			if tc.want != "" {
				if e := c.readError(); e.Code != wire.CodeAccessDenied || e.Message != tc.want {
					t.Errorf("told %v, want %s", e, tc.want)
				}
				wait()
				return
			}
			c.readOK()
			if s, err := wait(); err != nil || s.Password != "secret" {
				t.Errorf("session %+v, %v", s, err)
			}
		})
	}
}

func checkKey(t *testing.T, payload []byte) {
	t.Helper()
	block, _ := pem.Decode(payload[1:])
	if payload[0] != wire.HeaderAuthMore || block == nil {
		t.Fatalf("% x is no key", payload)
	}
	if key, err := x509.ParsePKIXPublicKey(block.Bytes); err != nil || key.(*rsa.PublicKey).N.BitLen() != 2048 {
		t.Errorf("key %v, %v, want one of 2048 bits", key, err)
	}
}

// TestPitfall37RevealSwitch: with which plugin clients go on that begin with another one than was offered.
func TestPitfall37RevealSwitch(t *testing.T) {
	certificate, pool := selfSigned(t)
	for _, tc := range []struct {
		name, plugin, client string
		over                 bool
		want                 string
	}{
		{"native alone", NativePassword, "", false, CachingSHA2Password},
		{"native alone, over TLS", NativePassword, "", true, clearPassword},
		{"MariaDB's library, over TLS", NativePassword, "libmariadb", true, CachingSHA2Password},
		{"MySQL's library, over TLS", NativePassword, "libmysql", true, CachingSHA2Password},
		{"in clear", clearPassword, "", false, CachingSHA2Password},
		{"in clear, over TLS", clearPassword, "libmysql", true, clearPassword},
		{"ed25519, over TLS", ed25519Password, "", true, CachingSHA2Password},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := loopback(t)
			o := revealing()
			if tc.over {
				o.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			}
			wait := accepting(t.Context(), a, o, welcome)
			c := newScript(t, b)
			c.readHandshake()
			if tc.over {
				c.write(wire.SSLRequest{Capabilities: required | wire.ClientSSL})
				over := tls.Client(b, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
				c.peer = c.over(over)
			}
			r := response(tc.plugin, []byte("made for something else"))
			r.Attributes = wire.Attributes{{Name: "_client_name", Value: tc.client}}
			c.write(r)
			m := c.readSwitch()
			if m.Plugin != tc.want {
				t.Fatalf("switch to %s, want %s", m.Plugin, tc.want)
			}
			if tc.want == CachingSHA2Password {
				b.Close()
				if _, err := wait(); !errors.Is(err, ErrCannotReveal) {
					t.Errorf("error %v, want that it cannot reveal", err)
				}
				return
			}
			c.write(wire.Payload("secret\x00"))
			c.readOK()
			if s, err := wait(); err != nil || s.Password != "secret" || !s.Revealed {
				t.Errorf("session %+v, %v", s, err)
			}
		})
	}
}

// TestPitfall37RevealNoPlugins: a client without plugins is let in by what is remembered, or told what to do.
func TestPitfall37RevealNoPlugins(t *testing.T) {
	for _, known := range []bool{true, false} {
		a, b := pipe(t)
		o := revealing("secret")
		if !known {
			o = revealing()
		}
		wait := accepting(t.Context(), a, o, welcome)
		c := newScript(t, b)
		h := c.readHandshake()
		r := response("", proof(NativePassword, h.Scramble, "secret"))
		r.Capabilities = required
		c.write(r)
		if known {
			c.readOK()
		} else if e := c.readError(); e.Code != wire.CodeNotSupportedAuth || e.State != "08004" {
			t.Errorf("told %v, want 1251", e)
		}
		if s, err := wait(); known != (err == nil) || known && s.Password != "secret" {
			t.Errorf("session %+v, %v", s, err)
		}
	}
}

// TestPitfall37RevealDriver: go-sql-driver/mysql, which asks for the key by itself.
func TestPitfall37RevealDriver(t *testing.T) {
	certificate, pool := selfSigned(t)
	for _, over := range []bool{false, true} {
		o := revealing()
		c := mysql.NewConfig()
		if over {
			o.TLS, o.RequireTLS = &tls.Config{Certificates: []tls.Certificate{certificate}}, true
			c.TLS = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
		}
		addr, sessions := listening(t, o)
		c.Net, c.Addr, c.User, c.Passwd = "tcp", addr.String(), "app", "secret"
		ping(t, c)
		if had := sessions(); len(had) != 1 || had[0].Password != "secret" || !had[0].Revealed {
			t.Errorf("over TLS %v: sessions %+v", over, had)
		}
	}
}

// TestPitfall37ClearAtOnce: clients that send their password in clear, over TLS, in place of a proof.
func TestPitfall37ClearAtOnce(t *testing.T) {
	for _, listed := range []bool{true, false} {
		for _, password := range []string{"secret", "wrong"} {
			o, client := overTLS(t)
			if !listed {
				o.Remembered, o.Key = revealing().Remembered, testKey()
			}
			a, b := loopback(t)
			wait := accepting(t.Context(), a, o, welcome)
			c := newScript(t, b)
			c.readHandshake()
			c.write(wire.SSLRequest{Capabilities: required | wire.ClientSSL})
			c.peer = c.over(tls.Client(b, client.Config))
			c.write(response(CachingSHA2Password, []byte(password+"\x00")))
			if listed && password == "wrong" {
				if e := c.readError(); e.Code != wire.CodeAccessDenied {
					t.Errorf("told %v, want 1045", e)
				}
				wait()
				continue
			}
			c.readOK()
			if s, err := wait(); err != nil || s.Password != password {
				t.Errorf("session %+v, %v", s, err)
			}
		}
	}
}

// TestCertificateOfTheKeyPair: it can be used, by whoever does not ask whose it is.
func TestCertificateOfTheKeyPair(t *testing.T) {
	certificate, err := testKey().Certificate()
	if err != nil {
		t.Fatal(err)
	}
	o := revealing()
	o.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	addr, _ := listening(t, o)
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.TLS = "tcp", addr.String(), "app", "secret", &tls.Config{InsecureSkipVerify: true}
	ping(t, c)
}

// TestPitfall40RevealOnChange: COM_CHANGE_USER to an account whose password is not remembered.
func TestPitfall40RevealOnChange(t *testing.T) {
	a, b := loopback(t)
	wait := accepting(t.Context(), a, revealing("secret"), func(s *Session) error { return changing(t, s) })
	backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	c := &script{t: t, peer: peer{conn: b, reader: backend.Reader}}
	c.reader.Expect(0)
	c.write(wire.Payload(wire.ChangeUser{User: "other", Plugin: NativePassword}.AppendFor(nil, backend.Capabilities)))
	m := c.readSwitch()
	if m.Plugin != CachingSHA2Password {
		t.Fatalf("switch to %s", m.Plugin)
	}
	c.write(wire.Payload(proof(m.Plugin, m.Data[:scrambleSize], "another")))
	if got := c.read(); !bytes.Equal(got, []byte{wire.HeaderAuthMore, cachingFull}) {
		t.Fatalf("answer % x, want that the password is asked for", got)
	}
	c.write(encrypted(t, testKey(), m.Data[:scrambleSize], "another\x00"))
	c.readOK()
	if s, err := wait(); err != nil || s.User != "other" || s.Password != "another" || !s.Revealed {
		t.Errorf("session %+v, %v", s, err)
	}
}
