package login

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"

	"weir/proxy/wire"
)

// scramble is what the scripted servers send.
var scramble = []byte("12345678901234567890")

// greeting is the handshake of a server that prefers the plugin.
func greeting(plugin string) wire.Handshake {
	return wire.Handshake{Version: "8.4.6", ConnectionID: 9, Scramble: scramble, Plugin: plugin,
		Capabilities: Offered | wire.ClientDeprecateEOF | wire.ClientSSL}
}

// dialing logs in to a scripted server.
func dialing(t *testing.T, o ClientOptions, serve func(s *script)) (*Backend, error) {
	t.Helper()
	a, b := pipe(t)
	var backend *Backend
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		backend, err = logIn(t.Context(), b, o)
	}()
	serve(newScript(t, a))
	<-done
	return backend, err
}

// readResponse reads a client's login.
func (s *script) readResponse() wire.HandshakeResponse {
	s.t.Helper()
	r, err := wire.DecodeHandshakeResponse(s.read())
	s.must(err)
	return r
}

// expect reads a message and compares it.
func (s *script) expect(want []byte) {
	s.t.Helper()
	if got := s.read(); !bytes.Equal(got, want) {
		s.t.Errorf("client sent % x, want % x", []byte(got), want)
	}
}

// expectFirst reads a login and compares its plugin and proof.
func (s *script) expectFirst(plugin string, auth []byte) {
	s.t.Helper()
	if r := s.readResponse(); r.Plugin != plugin || !bytes.Equal(r.Auth, auth) {
		s.t.Errorf("client answered with %s, % x, want %s, % x", r.Plugin, r.Auth, plugin, auth)
	}
}

// expectEncrypted reads a password and decrypts it.
func (s *script) expectEncrypted(password string) {
	s.t.Helper()
	got, err := rsa.DecryptOAEP(sha1.New(), nil, serverKey(), s.read(), nil)
	s.must(err)
	if want := mysql.Xor(withZero(password), scramble); !bytes.Equal(got, want) {
		s.t.Errorf("client sent password % x, want % x", got, want)
	}
}

// serverKey is made once: that takes a while.
var serverKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// publicKey is a key as servers send it.
func publicKey(t *testing.T, key any) wire.AuthMoreData {
	t.Helper()
	b, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})
}

func switchTo(plugin string) wire.AuthSwitchRequest {
	return wire.AuthSwitchRequest{Plugin: plugin, Data: withZero(scramble)}
}

// TestPitfall37Plugins: the accounts that servers may have, as the client side sees them.
func TestPitfall37Plugins(t *testing.T) {
	native, caching := proof(NativePassword, scramble, "secret"), proof(CachingSHA2Password, scramble, "secret")
	signScramble := []byte("12345678901234567890123456789012")
	signature, err := mysql.CalcEd25519Password(signScramble, "secret")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		options ClientOptions
		serve   func(s *script)
	}{
		{"native", ClientOptions{}, func(s *script) {
			s.write(greeting(NativePassword))
			s.expectFirst(NativePassword, native)
		}},
		{"caching, known to the server", ClientOptions{}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.expectFirst(CachingSHA2Password, caching)
			s.write(wire.AuthMoreData{cachingFast})
		}},
		{"caching, full, over TCP", ClientOptions{}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.expectFirst(CachingSHA2Password, caching)
			s.write(wire.AuthMoreData{cachingFull})
			s.expect([]byte{cachingKeyRequest})
			s.write(publicKey(t, serverKey().Public()))
			s.expectEncrypted("secret")
		}},
		{"caching, full, over a Unix socket", ClientOptions{Addr: "/socket"}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.expectFirst(CachingSHA2Password, caching)
			s.write(wire.AuthMoreData{cachingFull})
			s.expect([]byte("secret\x00"))
		}},
		{"switch from caching to native", ClientOptions{}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.expectFirst(CachingSHA2Password, caching)
			s.write(switchTo(NativePassword))
			s.expect(native)
		}},
		{"switch to sha256, over TCP", ClientOptions{}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.expectFirst(CachingSHA2Password, caching)
			s.write(switchTo(sha256Password))
			s.expect([]byte{sha256KeyRequest})
			s.write(publicKey(t, serverKey().Public()))
			s.expectEncrypted("secret")
		}},
		{"sha256 from the start, over a Unix socket", ClientOptions{Addr: "/socket"}, func(s *script) {
			s.write(greeting(sha256Password))
			s.expectFirst(sha256Password, []byte{sha256KeyRequest})
			s.write(publicKey(t, serverKey().Public()))
			s.expectEncrypted("secret")
		}},
		{"sha256 without password", ClientOptions{Password: "-"}, func(s *script) {
			s.write(greeting(sha256Password))
			s.expectFirst(sha256Password, []byte{0})
		}},
		{"switch to MariaDB's ed25519", ClientOptions{}, func(s *script) {
			s.write(greeting(NativePassword))
			s.expectFirst(NativePassword, native)
			s.write(wire.AuthSwitchRequest{Plugin: ed25519Password, Data: withZero(signScramble)})
			s.expect(signature)
		}},
		{"password in clear, allowed", ClientOptions{AllowCleartext: true}, func(s *script) {
			s.write(greeting(clearPassword))
			s.expectFirst(NativePassword, native)
			s.write(wire.AuthSwitchRequest{Plugin: clearPassword})
			s.expect([]byte("secret\x00"))
		}},
		{"server without plugins", ClientOptions{}, func(s *script) {
			h := greeting("")
			h.Capabilities = required
			s.write(h)
			s.expectFirst("", native)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := tc.options
			o.User = "app"
			switch o.Password {
			case "":
				o.Password = "secret"
			case "-":
				o.Password = ""
			}
			b, err := dialing(t, o, func(s *script) {
				tc.serve(&script{t: t, peer: s.peer})
				s.write(wire.OK{Status: wire.StatusAutocommit})
			})
			if err != nil || b.Status != wire.StatusAutocommit || b.ConnectionID != 9 {
				t.Errorf("backend %+v, %v", b, err)
			}
		})
	}
}

// TestDialRefused: servers that do not let Weir in, or that cannot be spoken to.
func TestDialRefused(t *testing.T) {
	old := greeting("")
	old.Capabilities = wire.ClientProtocol41
	_, notRSA, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(m wire.Message) func(s *script) {
		return func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.readResponse()
			s.write(m)
		}
	}
	keyed := func(key wire.Message) func(s *script) {
		return func(s *script) {
			asked(wire.AuthMoreData{cachingFull})(s)
			s.expect([]byte{cachingKeyRequest})
			s.write(key)
		}
	}
	tests := []struct {
		name    string
		options ClientOptions
		serve   func(s *script)
		code    wire.Code
		want    string
	}{
		{"too many connections", ClientOptions{}, func(s *script) {
			s.write(wire.Payload(wire.Errorf(wire.CodeTooManyConnections, "Too many connections").AppendBare(nil)))
		}, 1040, "server error 1040: Too many connections"},
		{"wrong password", ClientOptions{}, asked(wire.Errorf(wire.CodeAccessDenied, "Access denied")), 1045,
			"server error 1045 (28000): Access denied"},
		{"no key on the server", ClientOptions{}, keyed(wire.Errorf(wire.CodeAccessDenied, "Access denied")), 1045,
			"server error 1045 (28000): Access denied"},
		{"hangs up", ClientOptions{}, func(s *script) { s.conn.Close() }, 0, "read handshake: EOF"},
		{"another protocol", ClientOptions{}, func(s *script) { s.write(wire.Payload{11}) }, 0,
			"malformed packet: decode handshake: protocol version 11, only 10 is known"},
		{"before MySQL 4.1", ClientOptions{}, func(s *script) { s.write(old) }, 0,
			"server 8.4.6 does not speak the protocol since MySQL 4.1"},
		{"short scramble", ClientOptions{}, asked(wire.AuthSwitchRequest{Plugin: NativePassword, Data: []byte("short")}), 0,
			"malformed packet: 5 bytes are too few for a scramble of mysql_native_password"},
		{"short scramble of ed25519", ClientOptions{}, asked(switchTo(ed25519Password)), 0,
			"malformed packet: 21 bytes are too few for a scramble of client_ed25519"},
		{"plugin that Weir does not have", ClientOptions{}, asked(switchTo("auth_gssapi_client")), 0,
			"account uses plugin auth_gssapi_client, which Weir does not have: give it a password with caching_sha2_password"},
		{"password in clear, not allowed", ClientOptions{}, asked(switchTo(clearPassword)), 0,
			"account needs its password in clear: use TLS towards the server"},
		{"password from before MySQL 4.1", ClientOptions{}, asked(wire.Payload{0xFE}), 0,
			"account has a password from before MySQL 4.1: set it again on the server"},
		{"second factor", ClientOptions{}, asked(wire.Payload{2}), 0,
			"account needs a second factor: use one that logs in with a password alone"},
		{"empty packet", ClientOptions{}, asked(wire.Payload{}), 0,
			"malformed packet: server sent an empty packet during the login"},
		{"row", ClientOptions{}, asked(wire.Payload{5}), 0, "malformed packet: server sent 0x05 during the login"},
		{"data that nobody asked for", ClientOptions{}, asked(wire.AuthMoreData("x")), 0,
			"malformed packet: server sent data that plugin caching_sha2_password does not expect"},
		{"half an OK packet", ClientOptions{}, asked(wire.Payload{0, 0}), 0,
			"decode OK packet: malformed packet: it ends before its last insert id does"},
		{"half an ERR packet", ClientOptions{}, asked(wire.Payload{0xFF}), 0,
			"decode ERR packet: malformed packet: it ends before its error number does"},
		{"key that is none", ClientOptions{}, keyed(wire.AuthMoreData("key")), 0, "server's public key is not in PEM"},
		{"key in place of data", ClientOptions{}, keyed(wire.Payload("key")), 0,
			"malformed packet: decode auth data: 6b is none"},
		{"key of another kind", ClientOptions{}, keyed(publicKey(t, notRSA.Public())), 0,
			"server's public key is a ed25519.PublicKey instead of an RSA key"},
		{"broken key", ClientOptions{}, keyed(wire.AuthMoreData(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY"}))), 0,
			"parse the server's public key: "},
		{"password that is too long for the key", ClientOptions{Password: strings.Repeat("x", 300)},
			keyed(publicKey(t, serverKey().Public())), 0, "encrypt password: "},
		{"never satisfied", ClientOptions{}, func(s *script) {
			s.write(greeting(CachingSHA2Password))
			s.readResponse()
			for range maxTurns {
				s.write(switchTo(NativePassword))
				s.read()
			}
			s.write(switchTo(NativePassword))
		}, 0, "server is not satisfied after 8 answers"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := tc.options
			if o.Password == "" {
				o.Password = "secret"
			}
			b, err := dialing(t, o, func(s *script) {
				tc.serve(&script{t: t, peer: s.peer})
				s.hangUp()
			})
			if b != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) || code(err) != tc.code {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

// TestCapabilities: what is asked of a server is never more than it has, and never what would change the format.
func TestCapabilities(t *testing.T) {
	tests := []struct {
		name          string
		server, asked wire.Capability
		database      string
		want          wire.Capability
	}{
		{"MySQL", 1<<32 - 1, 0, "", basic},
		{"MariaDB leaves bit 0 out", 0x1d_81fff7fe, 0, "", basic},
		{"a client's", 1<<32 - 1, wire.ClientFoundRows | wire.ClientIgnoreSpace, "", basic | wire.ClientFoundRows | wire.ClientIgnoreSpace},
		{"a client's that the server does not have", basic, wire.ClientMultiResults, "", basic},
		{"database", 1<<32 - 1, 0, "shop", basic | wire.ClientConnectWithDB},
		{"all that is offered, but nothing to send with it", 1<<32 - 1, Offered, "",
			Offered &^ (wire.ClientConnectWithDB | wire.ClientConnectAttrs)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b, err := dialing(t, ClientOptions{Capabilities: tc.asked, Database: tc.database}, func(s *script) {
				h := greeting(NativePassword)
				h.Capabilities = tc.server
				s.write(h)
				if r := s.readResponse(); r.Capabilities != tc.want {
					t.Errorf("asked for %#x, want %#x", uint64(r.Capabilities), uint64(tc.want))
				}
				s.write(wire.OK{})
			})
			if err != nil || b.Capabilities != tc.want {
				t.Errorf("got %+v, %v, want %#x", b, err, uint64(tc.want))
			}
		})
	}
}

func TestVersions(t *testing.T) {
	tests := []struct {
		handshake, version string
		flavor             Flavor
	}{
		{"9.7.4-2", "9.7.4-2", MySQL},
		{"8.0.36-28.1", "8.0.36-28.1", MySQL},
		{"5.5.5-10.11.19-MariaDB-0+deb12u1", "10.11.19-MariaDB-0+deb12u1", MariaDB},
		{"11.8.2-MariaDB-log", "11.8.2-MariaDB-log", MariaDB},
		{"5.5.5-m3", "5.5.5-m3", MySQL},
	}
	for _, tc := range tests {
		if v, f := versionOf(tc.handshake), flavorOf(tc.handshake); v != tc.version || f != tc.flavor {
			t.Errorf("%s is %s %s, want %s %s", tc.handshake, f, v, tc.flavor, tc.version)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	tests := []struct {
		options ClientOptions
		want    string
	}{
		{ClientOptions{Addr: "127.0.0.1:1", User: "app", Capabilities: wire.ClientDeprecateEOF | wire.ClientFoundRows},
			"log in to 127.0.0.1:1 as app: capability flags 0x1000000 change the format of what is sent: leave them out"},
		{ClientOptions{Addr: "127.0.0.1:1", User: "app", Database: "a\x00b"},
			`log in to 127.0.0.1:1 as app: user "app" or database "a\x00b" contains a zero byte: no server has such a name`},
	}
	for _, tc := range tests {
		if _, err := Dial(t.Context(), tc.options); err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %s", err, tc.want)
		}
	}
}

// TestServerStalls: a server that says nothing costs no more than the time for a login.
func TestServerStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b := pipe(t)
		start := time.Now()
		_, err := logIn(t.Context(), b, ClientOptions{Timeout: 2 * time.Second})
		if !errors.Is(err, ErrTimeout) || time.Since(start) != 2*time.Second {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

// TestDial connects over TCP and over a Unix socket; a full authentication is not needed with Accept.
func TestDial(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = filepath.Join(t.TempDir(), "s")
			}
			l, err := net.Listen(network, addr)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			host := make(chan string, 1)
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				s, err := accepting(context.WithoutCancel(t.Context()), conn, server(), welcome)()
				if err == nil {
					host <- s.Host
				}
				close(host)
			}()
			b, err := Dial(t.Context(), ClientOptions{Addr: l.Addr().String(), User: "app", Password: "secret"})
			if err != nil {
				t.Fatal(err)
			}
			b.Conn.Close()
			if got, want := <-host, map[string]string{"tcp": "127.0.0.1", "unix": "localhost"}[network]; got != want {
				t.Errorf("host %q, want %q", got, want)
			}
		})
	}
}

func TestDialNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none")
	if _, err := Dial(t.Context(), ClientOptions{Addr: path, User: "app"}); !errors.As(err, new(*net.OpError)) {
		t.Errorf("error %v, want that of the network", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("pool closed")
	cancel(reason)
	if _, err := Dial(ctx, ClientOptions{Addr: path, User: "app"}); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
}
