package daemon

import (
	"net"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// unoffered are capabilities that change the bytes of a response, and that Weir does not offer.
const unoffered = wire.ClientDeprecateEOF | wire.ClientOptionalMetadata | wire.ClientCompress | wire.ClientZstd | wire.ClientLocalFiles

// insisting logs in with capabilities that were not offered, as a client must not.
func (w *world) insisting(schema string) *dialogue {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.weir.Addr())
	w.must(err)
	w.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	d := &dialogue{t: w.t, name: "Weir", Backend: &login.Backend{Conn: conn, Reader: wire.NewReader(conn)}}
	greeting, err := wire.DecodeHandshake(d.packet())
	w.must(err)
	if extra := greeting.Capabilities & unoffered; extra != 0 {
		w.t.Errorf("Weir offers %#x", uint64(extra))
	}
	d.send(wire.HandshakeResponse{
		Capabilities: dialogueFlags&^wire.ClientSessionTrack | wire.ClientConnectWithDB | unoffered, MaxPacket: 1 << 24, Collation: 45, User: "app",
		Auth: gomysql.CalcNativePassword(greeting.Scramble[:20], []byte("app-secret")), Database: schema, Plugin: login.NativePassword,
	})
	answer := d.packet()
	if answer[0] == wire.HeaderAuthSwitch {
		ask, err := wire.DecodeAuthSwitchRequest(answer)
		w.must(err)
		d.send(wire.Payload(gomysql.CalcNativePassword(ask.Data[:20], []byte("app-secret"))))
		answer = d.packet()
	}
	if answer[0] != wire.HeaderOK {
		w.t.Fatalf("the login ends with % x %q", answer, answer)
	}
	return d
}

func (d *dialogue) packet() []byte {
	d.t.Helper()
	payload, err := d.Reader.ReadPacket(1 << 20)
	if err != nil {
		d.t.Fatal(err)
	}
	return payload
}

func (d *dialogue) send(m wire.Message) {
	d.t.Helper()
	b, next := wire.AppendPacket(nil, d.Reader.Sequence(), m)
	if _, err := d.Conn.Write(b); err != nil {
		d.t.Fatal(err)
	}
	d.Reader.Expect(next)
}

// One client fills, another that wants results to end otherwise hits, and the other way round: both get the same bytes,
// and both connections are as good as before.
func TestPitfall35ClientThatInsists(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, plain := wireWorld(t, flavor)
		insists := w.insisting("differ")
		for i, pair := range [][2]*dialogue{{plain, insists}, {insists, plain}} {
			for _, sql := range []string{"SELECT * FROM t WHERE id > 1 ORDER BY id", "SELECT id FROM t WHERE FALSE", "SELECT v FROM w ORDER BY id"} {
				sql += [...]string{" -- first", " -- second"}[i]
				for _, ask := range []func(d *dialogue) reply{
					func(d *dialogue) reply { return d.query(sql) }, func(d *dialogue) reply { return d.oneOff(sql)[1] },
				} {
					want, before := ask(server), w.counter("weir_statements_total", "outcome", "hit")
					for _, d := range pair {
						if diff := difference(want, ask(d)); diff != "" {
							t.Errorf("%s: %s", sql, diff)
						}
					}
					if hits := w.counter("weir_statements_total", "outcome", "hit") - before; hits != 1 {
						t.Errorf("%s: %.0f hits, want 1", sql, hits)
					}
				}
				for _, d := range pair {
					if r := d.ask(wire.ComPing, nil); r.kind != wire.KindOK {
						t.Errorf("afterwards a ping is answered with %s", r)
					}
				}
			}
		}
	})
}
