package login

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"weir/proxy/wire"
)

// canned is a connection on which a peer has sent everything already and reads nothing.
type canned struct {
	net.Conn
	io.Reader
}

func (c canned) Read(p []byte) (int, error)  { return c.Reader.Read(p) }
func (c canned) Write(p []byte) (int, error) { return len(p), nil }
func (c canned) Close() error                { return nil }
func (c canned) SetDeadline(time.Time) error { return nil }
func (c canned) RemoteAddr() net.Addr        { return nil }

func packets(seqs []uint8, messages ...wire.Message) []byte {
	var b []byte
	for i, m := range messages {
		b, _ = wire.AppendPacket(b, seqs[i], m)
	}
	return b
}

// FuzzAccept: whatever a client sends, it gets in only as the user that needs no password.
func FuzzAccept(f *testing.F) {
	open := response(CachingSHA2Password, nil)
	open.User = "open"
	f.Add(packets([]uint8{1}, open))
	f.Add(packets([]uint8{1, 3}, response(NativePassword, nil), wire.Payload(scramble)))
	f.Add(packets([]uint8{1}, wire.SSLRequest{Capabilities: required | wire.ClientSSL}))
	f.Fuzz(func(t *testing.T, sent []byte) {
		s, err := Accept(t.Context(), canned{Reader: bytes.NewReader(sent)}, server())
		if err == nil && s.User != "open" {
			t.Fatalf("user %q got in", s.User)
		}
	})
}

// FuzzReveal: whatever a client sends, its password is only known if it was revealed or is remembered.
func FuzzReveal(f *testing.F) {
	f.Add(packets([]uint8{1, 3}, response(CachingSHA2Password, []byte("wrong")), wire.Payload("secret\x00")))
	f.Add(packets([]uint8{1, 3, 5}, response(CachingSHA2Password, []byte("wrong")), wire.Payload{cachingKeyRequest}, wire.Payload(scramble)))
	f.Add(packets([]uint8{1, 3}, response(NativePassword, nil), wire.Payload{0}))
	f.Add(packets([]uint8{1}, wire.SSLRequest{Capabilities: required | wire.ClientSSL}))
	f.Fuzz(func(t *testing.T, sent []byte) {
		s, err := Accept(t.Context(), canned{Reader: bytes.NewReader(sent)}, revealing("remembered"))
		if err == nil && s.Password != "" {
			t.Fatalf("password %q got in, over a line where everybody can listen", s.Password)
		}
	})
}

// FuzzKeyPair: whatever is sent in place of an encrypted password, it is none.
func FuzzKeyPair(f *testing.F) {
	f.Add([]byte{}, scramble)
	f.Add(make([]byte, keyBits/8), scramble)
	f.Fuzz(func(t *testing.T, sent, scramble []byte) {
		if len(scramble) == 0 {
			return
		}
		if password, ok := testKey().password(sent, scramble); ok {
			t.Fatalf("%q is a password", password)
		}
	})
}

// FuzzDial: whatever a server sends, the client side ends, with a backend only if the login ended with OK.
func FuzzDial(f *testing.F) {
	f.Add(packets([]uint8{0, 2}, greeting(NativePassword), wire.OK{}))
	f.Add(packets([]uint8{0, 2, 4}, greeting(CachingSHA2Password), switchTo(NativePassword), wire.OK{}))
	f.Add(packets([]uint8{0, 2, 3}, greeting(CachingSHA2Password), wire.AuthMoreData{cachingFast}, wire.OK{}))
	f.Add(packets([]uint8{0, 2, 4}, greeting(CachingSHA2Password), wire.AuthMoreData{cachingFull}, wire.AuthMoreData("key")))
	f.Add(packets([]uint8{0}, wire.Errorf(wire.CodeTooManyConnections, "Too many connections")))
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := bytes.NewReader(sent)
		b, err := logIn(t.Context(), canned{Reader: r}, ClientOptions{User: "app", Password: "secret"})
		if err == nil && !b.Capabilities.Has(required) {
			t.Fatalf("login without the protocol since MySQL 4.1: %+v", b)
		}
	})
}
