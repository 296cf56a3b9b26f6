package proxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/digest"
	"weir/proxy/explain"
	"weir/proxy/login"
	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/virtual"
	"weir/proxy/wire"
	"weir/replicator/trouble"
)

// Catalog tells the analysis what names stand for.
type Catalog interface {
	// Snapshot returns what is known now, and a number that changes whenever any answer may. It is called for every
	// miss and must not block.
	Snapshot() (statement.Catalog, uint64)
}

// Facts are what the proxy has to know of the source before it serves.
type Facts struct {
	// Version is what the server says at the handshake; clients are told the same.
	Version string
	Flavor  statement.Flavor
	// MaxPacket is the source's max_allowed_packet, in bytes; 0 if it is not known.
	MaxPacket int
	// Collation is the low byte of the id of the server's default collation; clients are told the same.
	Collation uint8
	// Charset gives the character set of a collation id, as in the handshake; empty if there is no such collation.
	Charset func(collation uint8) string
}

// Parts are what the proxy works with.
type Parts struct {
	Cache   *cache.Cache
	Catalog Catalog
	// Sampler returns the sampler of a backend.
	Sampler func(addr string) Sampler
	Facts   Facts
	Log     *slog.Logger
	// TLS says how to use it towards a backend; nil for not at all.
	TLS func(addr string) login.ServerTLS
	// Hurry asks that the ledger become complete as of now as soon as can be, instead of at the next regular moment. It
	// must not block, and many calls must cost no more than one. It may be nil.
	Hurry func()
	// Positions is for weir_wait_for. It may be nil.
	Positions Positions
	// Gate bounds the reads that are at servers. It may be nil.
	Gate Gate
	// Changes tells of the transaction that ended at seq, if it is remembered, for EXPLAIN CACHE. It is called from many
	// goroutines. It may be nil.
	Changes func(seq cache.Seq) (explain.Change, bool)
	// Watch takes up interests in columns. If it is nil, or nobody reads the binlog by it, every change to a table counts.
	Watch *dep.Watch
	// Tables are those that Weir answers itself.
	Tables []virtual.Table
	// Registry may be nil.
	Registry prometheus.Registerer
}

// Server accepts clients. Serve starts it, and ends when its context does.
type Server struct {
	cfg      Config
	cache    *cache.Cache
	changes  accountChanges
	schema   Catalog
	facts    Facts
	log      *slog.Logger
	metrics  *metrics
	analyses *statement.Cache
	digests  *digest.Table
	users    *accounts
	key      *login.KeyPair
	tls      atomic.Pointer[tls.Config]
	sets     setMemo
	recipes  recipes
	hurry    func()
	interest *dep.Watch
	gate     Gate
	tables   *virtual.Set
	atGate   atomic.Int64         // reads that wait there
	settings *querycache.Settings // the query cache's variables
	wipedAt  atomic.Pointer[cache.Mark]
	observed observed
	version  int
	started  time.Time

	backends []*backend              // that answer reads; none if those go to the source, whichever it is
	sources  []*backend              // that may be the source
	followed atomic.Pointer[backend] // that is
	turn     atomic.Uint64           // whose it is, of backends that have as much to do

	positions  Positions
	remembered func(cache.Seq) (explain.Change, bool) // may be nil

	defaults atomic.Pointer[defaults]
	stopping stopping
	clients  atomic.Int64
	lastID   atomic.Uint32
	// packetLimit is what a command must be smaller than, in bytes.
	packetLimit int

	mu       sync.Mutex
	sessions map[*session]struct{}
}

// New returns a server; it starts nothing.
func New(cfg Config, parts Parts) *Server {
	s := &Server{
		cfg: cfg, cache: parts.Cache, changes: newAccountChanges(parts.Cache.Ledger()), schema: parts.Catalog, facts: parts.Facts, log: parts.Log,
		analyses: statement.NewCache(statement.Limits{}), digests: digest.New(), users: newAccounts(cfg.Users),
		version: versionNumber(parts.Facts.Version), started: time.Now(), sessions: map[*session]struct{}{},
		stopping: newStopping(), positions: parts.Positions, interest: parts.Watch, gate: parts.Gate,
		remembered: parts.Changes, tables: virtual.NewSet(parts.Tables),
	}
	s.settings = newQueryCache(s)
	if s.interest == nil {
		s.interest = dep.NewWatch(parts.Cache.Ledger())
	}
	if s.hurry = parts.Hurry; s.hurry == nil {
		s.hurry = func() {}
	}
	for _, addr := range cfg.Backends {
		s.backends = append(s.backends, parts.backend(addr))
	}
	if s.packetLimit = cfg.MaxPacket; s.packetLimit == 0 {
		s.packetLimit = cmp.Or(parts.Facts.MaxPacket, defaultPacketLimit)
	}
	for _, addr := range cfg.sources() {
		b := s.backendAt(addr, parts)
		if s.sources = append(s.sources, b); addr == cfg.Source {
			s.followed.Store(b)
		} else {
			b.leftAt.Store(1) // it may have been the source once
		}
	}
	s.defaults.Store(&defaults{})
	s.metrics = newMetrics(parts.Registry, s)
	s.cache.OnChange = func(e *cache.Entry) { s.digests.Changed(digest.Label(e.Label)) }
	return s
}

// backendAt returns the backend of that address, one that answers no reads if it is not in the list.
func (s *Server) backendAt(addr string, parts Parts) *backend {
	for _, b := range s.backends {
		if b.addr == addr {
			return b
		}
	}
	return parts.backend(addr)
}

// Serve accepts clients until ctx ends. Then it lets statements and transactions under way finish, for up to the drain
// timeout, and ends what is left, at the backends, too: see drain.go. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hard, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	if err := s.makeKey(); err != nil {
		l.Close()
		return err
	}
	var all sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	accepting, end := context.WithCancel(ctx)
	defer end()
	all.Go(func() { s.expireIdle(accepting) })
	watching, stopWatching := context.WithCancel(hard)
	defer stopWatching()
	watched := make(chan struct{})
	go func() { defer close(watched); s.watch(watching) }()
	defer func() { stopWatching(); <-watched }()
	all.Go(func() { s.watchBackends(accepting) })
	all.Go(func() { s.auditNowAndThen(accepting) })
	err := s.accept(hard, l, &all)
	end()
	if ctx.Err() == nil {
		cut(errShutdown)
		s.closeSessions()
		all.Wait()
		return err
	}
	s.drain(&all, cut)
	s.closePools()
	return nil
}

func (s *Server) accept(ctx context.Context, l net.Listener, all *sync.WaitGroup) error {
	var refused trouble.Trouble
	for {
		nc, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			var temporary interface{ Temporary() bool }
			if errors.As(err, &temporary) && temporary.Temporary() {
				if untold, tell := refused.Tell(err); tell {
					s.log.Warn("cannot accept clients; trying again", "error", err, "untold", untold)
				}
				time.Sleep(10 * time.Millisecond) //nolint:forbidigo // out of file descriptors: nothing tells when there are some
				continue
			}
			return fmt.Errorf("accept clients: %w", err)
		}
		all.Go(func() { s.serve(ctx, nc) })
	}
}

// serve is one client, from the handshake to the end.
func (s *Server) serve(ctx context.Context, nc net.Conn) {
	defer nc.Close()
	defer s.survive(nc)
	if n := s.clients.Add(1); n > int64(s.cfg.MaxConnections) {
		s.clients.Add(-1) // before it is told, so that it takes nobody's place meanwhile
		s.tooMany(nc)
		return
	}
	defer s.clients.Add(-1)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sess, err := s.login(ctx, nc, cancel)
	if err != nil {
		s.log.Log(ctx, loginLevel(err), "login failed", "client", nc.RemoteAddr(), "error", err)
		return
	}
	defer s.remove(sess)
	sess.run(ctx)
}

// survive keeps a fault in one session from ending the others.
func (s *Server) survive(nc net.Conn) {
	if r := recover(); r != nil {
		s.log.Error("a session panicked; its client is cut off", "client", nc.RemoteAddr(), "panic", r, "stack", string(debug.Stack()))
	}
}

func (s *Server) tooMany(nc net.Conn) {
	s.metrics.logins.WithLabelValues("full").Inc()
	b, _ := wire.AppendPacket(nil, 0, wire.Payload(wire.Errorf(wire.CodeTooManyConnections, "Too many connections").AppendBare(nil)))
	nc.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = nc.Write(b) // it is turned away either way
}

// login leads a client through the connection phase, and then lets a backend judge the account and the database: what
// it says, the client is told.
func (s *Server) login(ctx context.Context, nc net.Conn, cancel context.CancelCauseFunc) (*session, error) {
	id := s.nextID()
	client, err := login.Accept(ctx, nc, s.loginOptions(id))
	if err != nil {
		s.metrics.logins.WithLabelValues(loginOutcome(err)).Inc()
		return nil, err
	}
	sess := newSession(s, client.Conn(), client, id)
	sess.cancel = cancel
	if err := sess.enter(ctx); err != nil {
		s.remove(sess)
		s.metrics.logins.WithLabelValues(loginOutcome(err)).Inc()
		return nil, err
	}
	s.metrics.logins.WithLabelValues("accepted").Inc()
	s.metrics.proofs.WithLabelValues(sess.howProved()).Inc()
	return sess, nil
}

func loginOutcome(err error) string {
	var denied *wire.Error
	if errors.As(err, &denied) && denied.Code != wire.CodeBadHandshake {
		return "denied"
	}
	return "failed"
}

// plugin is what servers of the flavour propose by default.
func (s *Server) plugin() string {
	if s.facts.Flavor == statement.MariaDB {
		return login.NativePassword
	}
	return login.CachingSHA2Password
}

func (s *Server) nextID() uint32 { return s.lastID.Add(1) }

func (s *Server) add(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[sess] = struct{}{}
}

func (s *Server) remove(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, sess)
}

func (s *Server) expireIdle(ctx context.Context) {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.eachPool(func(p *pool) { p.expire(now) })
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) closePools() { s.eachPool((*pool).close) }

func (s *Server) eachPool(f func(*pool)) {
	for _, b := range s.everyBackend() {
		b.each(f)
	}
}

// everyBackend returns those that answer reads, and those that may be the source, each once.
func (s *Server) everyBackend() []*backend {
	all := slices.Clone(s.backends)
	for _, b := range s.sources {
		if !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}
