package login

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"weir/proxy/wire"
)

// TestPitfall37TLS: both sides over TLS, by each plugin, and how the connection goes on.
func TestPitfall37TLS(t *testing.T) {
	o, client := overTLS(t)
	for _, plugin := range []string{NativePassword, CachingSHA2Password} {
		t.Run(plugin, func(t *testing.T) {
			a, b := loopback(t)
			o.Plugin, o.RequireTLS = plugin, true
			wait := accepting(t.Context(), a, o, func(s *Session) error {
				if err := welcome(s); err != nil {
					return err
				}
				return pong(s)
			})
			backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret", TLS: client})
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := backend.Conn.(*secured); !ok || backend.Capabilities&^Offered != 0 {
				t.Errorf("connection is a %T with capabilities %#x", backend.Conn, uint64(backend.Capabilities))
			}
			c := &script{t: t, peer: peer{conn: backend.Conn, reader: backend.Reader}}
			c.reader.Expect(0)
			c.write(wire.Payload{byte(wire.ComPing)})
			c.readOK()
			s, err := wait()
			if err != nil || s.Capabilities&^Offered != 0 {
				t.Errorf("session %+v, %v", s, err)
			}
			if _, ok := s.Conn().(*tls.Conn); !ok {
				t.Errorf("session's connection is a %T", s.Conn())
			}
		})
	}
}

// TestTLSModes: what comes of it when the two sides want different things.
func TestTLSModes(t *testing.T) {
	o, client := overTLS(t)
	none, must, optional := server(), o, ServerTLS{Config: client.Config, Optional: true}
	must.RequireTLS = true
	stranger := ServerTLS{Config: &tls.Config{ServerName: "127.0.0.1"}}
	other := ServerTLS{Config: &tls.Config{RootCAs: client.Config.RootCAs, ServerName: "127.0.0.2"}}
	const required = "server error 3159 (HY000): Connections using insecure transport are prohibited while " +
		"--require_secure_transport=ON."
	for _, tc := range []struct {
		name    string
		options ServerOptions
		tls     ServerTLS
		want    string // the client's error
		over    bool
	}{
		{"neither", none, ServerTLS{}, "", false},
		{"not offered, required", none, client, errNoTLS.Error(), false},
		{"not offered, optional", none, optional, "", false},
		{"offered, not wanted", o, ServerTLS{}, "", false},
		{"offered, optional", o, optional, "", true},
		{"required, not wanted", must, ServerTLS{}, required, false},
		{"required, wanted", must, client, "", true},
		{"unknown authority", o, stranger, "TLS handshake: tls: failed to verify certificate: x509: certificate signed by unknown authority", false},
		{"another host", o, other, "TLS handshake: tls: failed to verify certificate: x509: certificate is valid for 127.0.0.1, not 127.0.0.2", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			addr, _ := listening(t, tc.options)
			conn, err := net.Dial("tcp", addr.String())
			if err != nil {
				t.Fatal(err)
			}
			b, err := logIn(t.Context(), conn, ClientOptions{User: "app", Password: "secret", TLS: tc.tls})
			if tc.want != "" {
				if err == nil || err.Error() != tc.want {
					t.Errorf("error %v, want %s", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer b.Conn.Close()
			if _, over := b.Conn.(*secured); over != tc.over {
				t.Errorf("TLS: %v, want %v", over, tc.over)
			}
		})
	}
}

// TestPlainTextAheadOfTLS: what a client, or somebody on the way, sends in plain text after the SSLRequest is not taken
// for something that came over TLS.
func TestPlainTextAheadOfTLS(t *testing.T) {
	o, client := overTLS(t)
	request := wire.SSLRequest{Capabilities: required | wire.ClientSSL}
	injected := framed(request)
	injected, _ = wire.AppendPacket(injected, 2, response(CachingSHA2Password, nil))
	a, b := pipe(t)
	wait := accepting(t.Context(), a, o, welcome)
	newScript(t, b).readHandshake()
	if _, err := b.Write(injected); err != nil {
		t.Fatal(err)
	}
	s, err := wait()
	var header tls.RecordHeaderError
	if s != nil || !errors.As(err, &header) {
		t.Errorf("session %v, error %v, want that the record is none", s, err)
	}

	// And the other way round: a server that says more than its handshake.
	a, b = pipe(t)
	go func() {
		h := greeting(CachingSHA2Password)
		h.Capabilities |= wire.ClientSSL
		a.Write(packets([]uint8{0, 2}, h, wire.OK{}))
	}()
	if _, err := logIn(t.Context(), b, ClientOptions{User: "app", TLS: client}); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("error %v, want that it is malformed", err)
	}
}

// TestTLSInOneSegment: clients send their SSLRequest and the beginning of TLS together.
func TestTLSInOneSegment(t *testing.T) {
	o, client := overTLS(t)
	a, b := loopback(t)
	wait := accepting(t.Context(), a, o, welcome)
	c := newScript(t, b)
	h := c.readHandshake()
	over := tls.Client(&ahead{Conn: b, first: framed(wire.SSLRequest{Capabilities: required | wire.ClientSSL})}, client.Config)
	if err := over.Handshake(); err != nil {
		t.Fatal(err)
	}
	c = newScript(t, over)
	c.reader.Expect(2)
	c.write(response(CachingSHA2Password, proof(CachingSHA2Password, h.Scramble, "secret")))
	if got := c.read(); !bytes.Equal(got, []byte{wire.HeaderAuthMore, cachingFast}) {
		t.Errorf("answer % x, want that the proof is right", got)
	}
	c.readOK()
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}

// ahead puts some bytes in front of the first write.
type ahead struct {
	net.Conn
	first []byte
}

func (a *ahead) Write(b []byte) (int, error) {
	all := append(a.first, b...)
	n, err := a.Conn.Write(all)
	n -= len(a.first)
	a.first = nil
	return n, err
}

// TestSilent: session tickets, which come after the handshake, are not something that the server has said.
func TestSilent(t *testing.T) {
	certificate, pool := selfSigned(t)
	for _, c := range []struct {
		name string
		peer func(*tls.Conn)
		want bool
	}{
		{"tickets alone", func(*tls.Conn) {}, true},
		{"says goodbye", func(c *tls.Conn) { c.Write([]byte("\x17\x00\x00\x00\xff")) }, false},
		{"closed", func(c *tls.Conn) { c.Close() }, false},
		{"cut", func(c *tls.Conn) { c.NetConn().Close() }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			theirs, raw := loopback(t)
			peer := tls.Server(theirs, &tls.Config{Certificates: []tls.Certificate{certificate}})
			shaken := make(chan error, 1)
			go func() { shaken <- peer.Handshake() }()
			under := &socket{Conn: raw, patient: true}
			mine := &secured{Conn: tls.Client(under, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}), socket: under}
			if err := mine.Handshake(); err != nil {
				t.Fatal(err)
			}
			if err := <-shaken; err != nil {
				t.Fatal(err)
			}
			if mine.ConnectionState().Version != tls.VersionTLS13 {
				t.Fatal("there are no tickets before TLS 1.3")
			}
			for range 3 { // the tickets are in the socket, and then they are not
				if !mine.Silent() {
					t.Fatal("tickets count as something said")
				}
			}
			c.peer(peer)
			for !c.want && mine.Silent() { // until it has arrived
			}
			if got := mine.Silent(); got != c.want {
				t.Errorf("silent: %v, want %v", got, c.want)
			}
			if !c.want {
				return
			}
			go peer.Write([]byte("still good"))
			got := make([]byte, 10)
			if _, err := mine.Read(got); err != nil || string(got) != "still good" {
				t.Errorf("afterwards: %q, %v", got, err)
			}
		})
	}
}
