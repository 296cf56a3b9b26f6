package proxy

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/login"
	"weir/proxy/wire"
)

// sink is a client that takes everything.
type sink struct {
	net.Conn
	written int
}

func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func (s *sink) Write(b []byte) (int, error) { s.written += len(b); return len(b), nil }

// hitSession is a session whose cache has the answer to one text.
func hitSession(tb testing.TB) (*session, *sink, []byte) {
	tb.Helper()
	ledger := cache.NewLedger(1 << 10)
	epoch := ledger.Restart(1)
	ledger.Advance(10)
	ledger.SetComplete(epoch, ledger.Now())
	cfg := DefaultConfig()
	cfg.Backends, cfg.MaxStaleness = []string{"127.0.0.1:1"}, time.Hour
	cfg.Source, cfg.Users = cfg.Backends[0], []User{{Name: "app"}}
	srv := New(cfg, Parts{
		Cache:   cache.New(cache.DefaultConfig(), ledger, nil),
		Sampler: func(string) Sampler { return nil },
		Facts:   Facts{Version: "8.4.0", Charset: func(uint8) string { return "utf8mb4" }},
		Log:     slog.New(slog.DiscardHandler),
	})
	client := &sink{}
	s := newSession(srv, client, &login.Session{User: "app", Database: "shop", Reader: wire.NewReader(nil)}, 7)
	text := []byte("SELECT name, price FROM products WHERE category = 12 ORDER BY price LIMIT 20")
	wireBytes, _ := wire.Result{Columns: []wire.Column{{Name: "name"}}, Rows: []wire.Row{{[]byte("chair")}}}.AppendPackets(nil, 1)
	tags := dep.Tags([]dep.Name{dep.Fold("shop", "products")})
	if why := srv.cache.Put(cache.NewEntry(s.makeKey(text), wireBytes, tags, cache.Mark{Epoch: epoch, Seq: 10}), time.Hour); why != cache.Stored {
		tb.Fatal(why)
	}
	return s, client, text
}

// The hot path is sacred: a hit allocates nothing.
func TestHitAllocatesNothing(t *testing.T) {
	s, client, text := hitSession(t)
	ctx := context.Background()
	s.query(ctx, text) // the key's buffers grow once
	s.query(ctx, text)
	if n := testing.AllocsPerRun(1000, func() { s.query(ctx, text) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if client.written == 0 || s.server.digests.Hits() < 1000 {
		t.Error("it was not a hit")
	}
}

// executionSession is a session that has prepared a statement and whose cache has the answer to one execution of it.
func executionSession(tb testing.TB) (*session, *sink, []byte) {
	tb.Helper()
	s, client, _ := hitSession(tb)
	h := &handle{text: []byte("SELECT name FROM products WHERE category = ? AND price < ?"), params: 2, schema: s.state.schema}
	s.handles.add(h)
	args := wire.Execute{
		StatementID: h.id, Nulls: []byte{0},
		Types: []byte{byte(wire.TypeLong), 0, byte(wire.TypeVarString), 0}, Values: []byte{12, 0, 0, 0, 2, '9', '9'},
	}.Append(nil)[1:]
	x, refusal := h.bind(args)
	if refusal != nil {
		tb.Fatal(refusal)
	}
	ledger := s.server.cache.Ledger()
	tags := dep.Tags([]dep.Name{dep.Fold("shop", "products")})
	answer, _ := wire.AppendPacket(nil, 1, wire.Payload("not looked at"))
	if why := s.server.cache.Put(cache.NewEntry(s.executionKey(&x), answer, tags, ledger.Mark()), time.Hour); why != cache.Stored {
		tb.Fatal(why)
	}
	return s, client, args
}

func TestHitOfExecutionAllocatesNothing(t *testing.T) {
	s, client, args := executionSession(t)
	ctx := context.Background()
	s.execute(ctx, args)
	s.execute(ctx, args)
	if n := testing.AllocsPerRun(1000, func() { s.execute(ctx, args) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if client.written == 0 || s.server.digests.Hits() < 1000 {
		t.Error("it was not a hit")
	}
}

func BenchmarkExecuteHit(b *testing.B) {
	s, _, args := executionSession(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		s.execute(ctx, args)
	}
}

func BenchmarkHit(b *testing.B) {
	s, _, text := hitSession(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		s.query(ctx, text)
	}
}

// BenchmarkHitOverLoopback is a hit as a client sees it: one packet there, one back, over TCP.
func BenchmarkHitOverLoopback(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { benchmarkLoopback(b, clients) })
	}
}

func benchmarkLoopback(b *testing.B, clients int) {
	s, _, text := hitSession(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for id := uint32(1); ; id++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			client := &login.Session{User: "app", Database: "shop", Reader: wire.NewReader(c)}
			go newSession(s.server, c, client, id).run(context.Background())
		}
	}()
	request, _ := wire.AppendPacket(nil, 0, commandPacket{wire.ComQuery, text})
	answer := s.server.cache.Get(s.makeKey(text), time.Hour).Wire()
	b.SetParallelism(clients)
	b.RunParallel(func(pb *testing.PB) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer c.Close()
		buf := make([]byte, len(answer))
		for pb.Next() {
			c.Write(request)
			if _, err := io.ReadFull(c, buf); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
