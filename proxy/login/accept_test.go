package login

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"weir/proxy/wire"
)

// response is a client's login as most tests send it.
func response(plugin string, auth []byte) wire.HandshakeResponse {
	return wire.HandshakeResponse{Capabilities: Offered &^ wire.ClientConnectWithDB, User: "app", Plugin: plugin, Auth: auth}
}

// TestHandshake: what clients see first.
func TestHandshake(t *testing.T) {
	tests := []struct {
		options ServerOptions
		want    wire.Handshake
	}{
		{ServerOptions{Version: "8.4.0", ConnectionID: 3, Password: users}, wire.Handshake{
			Version: "8.4.0", ConnectionID: 3, Capabilities: Offered, Collation: 45, Status: 2, Plugin: CachingSHA2Password}},
		{ServerOptions{Version: "5.5.5-10.11.6-MariaDB", Collation: 255, Plugin: NativePassword, Password: users}, wire.Handshake{
			Version: "5.5.5-10.11.6-MariaDB", Capabilities: offeredAsMariaDB, Collation: 255, Status: 2, Plugin: NativePassword}},
	}
	for _, tc := range tests {
		a, b := pipe(t)
		wait := accepting(t.Context(), a, tc.options, welcome)
		h := newScript(t, b).readHandshake()
		b.Close()
		if _, err := wait(); !errors.Is(err, io.EOF) {
			t.Errorf("client that only looks: %v, want io.EOF", err)
		}
		if len(h.Scramble) != scrambleSize || bytes.ContainsAny(h.Scramble, "\x00$") {
			t.Errorf("scramble % x", h.Scramble)
		}
		h.Scramble = nil
		if h.Version != tc.want.Version || h.Capabilities != tc.want.Capabilities || h.Plugin != tc.want.Plugin ||
			h.Collation != tc.want.Collation || h.ConnectionID != tc.want.ConnectionID || h.Status != tc.want.Status {
			t.Errorf("handshake %+v, want %+v", h, tc.want)
		}
	}
}

// TestPitfall35Offered: no capability that would change the bytes of a stored response or of a query is offered, but for
// MariaDB's extended metadata.
func TestPitfall35Offered(t *testing.T) {
	never := []wire.Capability{wire.ClientDeprecateEOF, wire.ClientOptionalMetadata,
		wire.ClientCompress, wire.ClientZstd, wire.ClientQueryAttributes, wire.ClientLocalFiles, wire.ClientSSL,
		wire.ClientMultiFactor, 1 << 32, 1 << 34, 1 << 35, 1 << 36}
	for _, c := range never {
		if Offered&c != 0 || offeredAsMariaDB&c&^wire.ClientExtendedMetadata != 0 {
			t.Errorf("capability %#x is offered", uint64(c))
		}
	}
	if !Offered.Has(wire.ClientMySQL) {
		t.Error("without bit 0 MariaDB's clients use their extended capabilities")
	}
}

// TestIntersection: a client that sets every flag gets the offered ones.
func TestIntersection(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), welcome)
	c := newScript(t, b)
	h := c.readHandshake()
	r := response(CachingSHA2Password, proof(CachingSHA2Password, h.Scramble, "secret"))
	r.Capabilities = 1<<32 - 1
	c.write(r)
	if got := c.read(); !bytes.Equal(got, []byte{wire.HeaderAuthMore, cachingFast}) {
		t.Errorf("answer % x, want that the proof is right", got)
	}
	c.readOK()
	if s, err := wait(); err != nil || s.Capabilities != Offered {
		t.Errorf("capabilities %#x, %v, want those offered", uint64(s.Capabilities), err)
	}
}

// TestPitfall37Switch: clients that answer with another plugin than the one that was offered.
func TestPitfall37Switch(t *testing.T) {
	tests := []struct {
		name, offered, client, want string
	}{
		{"MariaDB client", CachingSHA2Password, NativePassword, NativePassword},
		{"MySQL 9 client", NativePassword, CachingSHA2Password, CachingSHA2Password},
		{"password in clear", CachingSHA2Password, clearPassword, CachingSHA2Password},
		{"MariaDB's ed25519", NativePassword, ed25519Password, NativePassword},
		{"sha256_password", CachingSHA2Password, sha256Password, CachingSHA2Password},
		{"no name", CachingSHA2Password, "", CachingSHA2Password},
	}
	for _, tc := range tests {
		for _, password := range []string{"secret", "wrong"} {
			t.Run(tc.name+"/"+password, func(t *testing.T) {
				a, b := pipe(t)
				o := server()
				o.Plugin = tc.offered
				wait := accepting(t.Context(), a, o, welcome)
				c := newScript(t, b)
				first := c.readHandshake().Scramble
				c.write(response(tc.client, []byte("made for something else")))
				m := c.readSwitch()
				if m.Plugin != tc.want || len(m.Data) != scrambleSize+1 || m.Data[scrambleSize] != 0 {
					t.Fatalf("switch to %s with % x, want %s", m.Plugin, m.Data, tc.want)
				}
				scramble := m.Data[:scrambleSize]
				if bytes.Equal(scramble, first) {
					t.Error("the switch repeats the scramble of the handshake")
				}
				c.write(wire.Payload(proof(tc.want, scramble, password)))
				if password == "wrong" {
					if e := c.readError(); e.Code != wire.CodeAccessDenied {
						t.Errorf("error %v, want 1045", e)
					}
					_, err := wait()
					if code(err) != wire.CodeAccessDenied {
						t.Errorf("error %v, want 1045", err)
					}
					return
				}
				if tc.want == CachingSHA2Password {
					c.read() // the proof is right
				}
				c.readOK()
				if _, err := wait(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestPitfall37NoPlugins: a client without CLIENT_PLUGIN_AUTH proves itself with the handshake's scramble and
// mysql_native_password, whatever was offered.
func TestPitfall37NoPlugins(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), welcome)
	c := newScript(t, b)
	h := c.readHandshake()
	r := response("", proof(NativePassword, h.Scramble, "secret"))
	r.Capabilities = required
	c.write(r)
	c.readOK()
	if s, err := wait(); err != nil || s.Capabilities != required {
		t.Errorf("session %+v, %v", s, err)
	}
}

// TestPitfall37EmptyPassword: MySQL's own client sends one zero byte for an empty password with caching_sha2_password.
func TestPitfall37EmptyPassword(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), welcome)
	c := newScript(t, b)
	c.readHandshake()
	r := response(CachingSHA2Password, []byte{0})
	r.User = "open"
	c.write(r)
	c.readOK() // at once: there is no proof that could be right
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}

// TestBadClients: each is told what is wrong, and gets no session.
func TestBadClients(t *testing.T) {
	tests := []struct {
		name  string
		bytes []byte
		told  string
		want  error
	}{
		{"TLS", framed(wire.SSLRequest{Capabilities: required | wire.ClientSSL}),
			"server error 1043 (08S01): Bad handshake: TLS was not offered; connect without TLS (ssl-mode=DISABLED)", nil},
		{"from before MySQL 4.1", framed(wire.Payload("\x85\x24\x00\x00\x00old\x00")),
			"server error 1043: Bad handshake: this client speaks the protocol from before MySQL 4.1; use a newer one",
			wire.ErrOldProtocol},
		{"without scrambled passwords", framed(wire.HandshakeResponse{Capabilities: wire.ClientProtocol41}),
			"server error 1043: Bad handshake: this client speaks the protocol from before MySQL 4.1; use a newer one",
			wire.ErrOldProtocol},
		{"web browser", []byte("GET / HTTP/1.1\r\n"),
			"server error 1156 (08S01): Got packets out of order: this is a MySQL port", wire.ErrMalformed},
		{"empty packet", framed(wire.Payload{}), "server error 1043 (08S01): Bad handshake: decode handshake response: " +
			"malformed packet: it ends before its capability flags does", wire.ErrMalformed},
		{"half a response", framed(wire.Payload("\x00\x82\x00\x00")), "server error 1043 (08S01): Bad handshake: decode " +
			"handshake response: malformed packet: it ends before its packet limit does", wire.ErrMalformed},
		{"announces 64 MB", []byte{0xFF, 0xFF, 0xFF, 1},
			"server error 1153 (08S01): Got a packet bigger than 65536 bytes before the login", wire.ErrPacketTooLarge},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a, b := pipe(t)
			wait := accepting(t.Context(), a, server(), welcome)
			c := newScript(t, b)
			c.readHandshake()
			if _, err := b.Write(tc.bytes); err != nil {
				t.Fatal(err)
			}
			c.reader.Expect(tc.bytes[3] + 1)
			if got := c.readError().Error(); got != tc.told {
				t.Errorf("told %q, want %q", got, tc.told)
			}
			s, err := wait()
			if s != nil || err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("session %v, error %v, want none and %v", s, err, tc.want)
			}
		})
	}
}

// framed is a message as a client's first packet.
func framed(m wire.Message) []byte {
	b, _ := wire.AppendPacket(nil, 1, m)
	return b
}

// TestStall: a client that stops in the middle is cut off when its time is up, in each phase.
func TestStall(t *testing.T) {
	whole := framed(response(clearPassword, nil))
	tests := []struct {
		name string
		sent []byte
	}{
		{"sends nothing", nil},
		{"half a header", whole[:2]},
		{"half a packet", whole[:20]},
		{"no answer to the switch", whole},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := pipe(t)
				o := server()
				o.Timeout = 3 * time.Second
				start := time.Now()
				wait := accepting(t.Context(), a, o, welcome)
				c := newScript(t, b)
				c.readHandshake()
				if _, err := b.Write(tc.sent); err != nil {
					t.Fatal(err)
				}
				if len(tc.sent) == len(whole) {
					c.reader.Expect(2)
					c.readSwitch()
				}
				if _, err := wait(); !errors.Is(err, ErrTimeout) {
					t.Errorf("error %v, want that time is up", err)
				}
				if took := time.Since(start); took != o.Timeout {
					t.Errorf("cut off after %v, want %v", took, o.Timeout)
				}
			})
		})
	}
}

// TestCancel: the caller's context ends a login, with its reason.
func TestCancel(t *testing.T) {
	reason := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(t.Context())
	a, b := pipe(t)
	wait := accepting(ctx, a, server(), welcome)
	newScript(t, b).readHandshake()
	cancel(reason)
	if _, err := wait(); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
}

// TestDeadlineIsGone: after a login the connection has no deadline left.
func TestDeadlineIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe(t)
		wait := accepting(t.Context(), a, server(), func(s *Session) error {
			if err := welcome(s); err != nil {
				return err
			}
			return pong(s)
		})
		backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret", Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour) // of the bubble's clock
		ping, _ := wire.AppendPacket(nil, 0, wire.Payload{byte(wire.ComPing)})
		if _, err := backend.Conn.Write(ping); err != nil {
			t.Fatal(err)
		}
		backend.Reader.Expect(1)
		if _, err := backend.Reader.ReadPacket(100); err != nil {
			t.Error(err)
		}
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestUnknownDefaultPlugin(t *testing.T) {
	a, _ := pipe(t)
	o := server()
	o.Plugin = ed25519Password
	if _, err := Accept(t.Context(), a, o); err == nil {
		t.Error("a plugin that cannot be verified was offered")
	}
}

// TestAccessDeniedText: a user name may be anything of up to 64 KiB.
func TestAccessDeniedText(t *testing.T) {
	long := string(bytes.Repeat([]byte("u"), 1000))
	if got := accessDenied(long, "::1", true).Message; len(got) != len("Access denied for user ''@'::1' (using password: YES)")+48 {
		t.Errorf("message of %d bytes: %s", len(got), got)
	}
}

func TestScramblesDiffer(t *testing.T) {
	for i := range 256 {
		if c := printable(byte(i)); c < '!' || c > '~' || c == '$' {
			t.Errorf("byte %d becomes %q", i, c)
		}
	}
	if a, b := newScramble(), newScramble(); bytes.Equal(a, b) {
		t.Errorf("two scrambles are %q", a)
	}
}
