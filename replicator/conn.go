package replicator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator/identity"
)

// Session is a connection for Weir's own short queries to one server: connected when first used, again after an error.
// Every query has a deadline, so that a silently cut connection is noticed. It is safe for concurrent use, one query
// at a time.
type Session struct {
	at             func() *endpoint
	user, password string
	timeout        time.Duration
	used           atomic.Pointer[tls.Config] // by the last connection

	mu   sync.Mutex
	conn *client.Conn
	to   *endpoint   // where conn leads to
	stay func() bool // makes conn outlive to
	// server is the one that conn leads to.
	server identity.Identity
}

// NewSession returns a session that is not connected yet. A query that takes longer than timeout fails.
func NewSession(addr, user, password string, timeout time.Duration, tls TLS) *Session {
	return newSession(fixed(addr, tls), user, password, timeout)
}

// newSession returns a session that connects to wherever at says, and again if that changes.
func newSession(at func() *endpoint, user, password string, timeout time.Duration) *Session {
	return &Session{at: at, user: user, password: password, timeout: timeout}
}

// addr is where the session connects to now.
func (s *Session) addr() string { return s.at().addr }

// left ends when the session is to talk to another address than now.
func (s *Session) left() <-chan struct{} { return s.at().left.Done() }

// Query runs one statement and returns its rows as text, NULL as the empty string.
func (s *Session) Query(ctx context.Context, sql string) ([][]string, error) {
	rows, _, err := s.QueryIdentified(ctx, sql)
	return rows, err
}

// QueryIdentified runs one statement, and says which server answered.
func (s *Session) QueryIdentified(ctx context.Context, sql string) ([][]string, identity.Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connect(ctx); err != nil {
		return nil, identity.Identity{}, err
	}
	rows, err := s.run(ctx, sql)
	if err != nil && !serverSaid(err) {
		s.drop()
		err = unanswered{err}
	}
	return rows, s.server, err
}

// QueryNamed is [Session.Query] for statements whose columns are found by their names, in lower case: of SHOW REPLICA STATUS
// and the like, which have other columns in each version.
func (s *Session) QueryNamed(ctx context.Context, sql string) ([]map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connect(ctx); err != nil {
		return nil, err
	}
	result, err := s.execute(ctx, sql)
	if err != nil {
		if !serverSaid(err) {
			s.drop()
			err = unanswered{err}
		}
		return nil, err
	}
	return namedRows(result), nil
}

// UsesTLS reports whether the last connection is encrypted.
func (s *Session) UsesTLS() bool { return s.usedTLS() != nil }

// Identity connects if need be, and says which server the session leads to.
func (s *Session) Identity(ctx context.Context) (identity.Identity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.connect(ctx)
	return s.server, err
}

// Close ends the connection. A later query connects again.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *Session) drop() {
	if s.stay != nil {
		s.stay()
	}
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

func (s *Session) connect(ctx context.Context) error {
	at := s.at()
	if s.conn != nil && s.to == at {
		return nil
	}
	s.drop()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := s.dial(ctx, at)
	if err != nil {
		return connectError(fmt.Errorf("connect to %s as %s: %w", at.addr, s.user, cause(err)))
	}
	s.conn, s.to = conn, at
	if s.server, err = s.whoIsIt(ctx); err != nil {
		s.drop()
		return connectError(fmt.Errorf("ask %s who it is: %w", at.addr, err))
	}
	return nil
}

func (s *Session) whoIsIt(ctx context.Context) (identity.Identity, error) {
	flavor := identity.FlavorOf(s.conn.GetServerVersion())
	rows, err := s.run(ctx, identity.Query(flavor))
	if err != nil {
		return identity.Identity{}, err
	}
	return identity.Parse(flavor, rows)
}

func (s *Session) run(ctx context.Context, sql string) ([][]string, error) {
	result, err := s.execute(ctx, sql)
	if err != nil {
		return nil, err
	}
	return textRows(result), nil
}

// execute bounds the query by the timeout and by ctx. What ctx's end starts may run when s.conn is gone already, so it has
// a connection of its own to end.
func (s *Session) execute(ctx context.Context, sql string) (*mysql.Result, error) {
	conn := s.conn
	deadline := time.Now().Add(s.timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	result, err := conn.Execute(sql)
	if err != nil {
		return nil, cause(err)
	}
	return result, nil
}

func namedRows(r *mysql.Result) []map[string]string {
	texts := textRows(r)
	rows := make([]map[string]string, len(texts))
	for i, row := range texts {
		rows[i] = make(map[string]string, len(row))
		for j, value := range row {
			rows[i][strings.ToLower(string(r.Fields[j].Name))] = value
		}
	}
	return rows
}

func textRows(r *mysql.Result) [][]string {
	if r.Resultset == nil {
		return nil
	}
	rows := make([][]string, r.RowNumber())
	for i := range rows {
		rows[i] = make([]string, r.ColumnNumber())
		for j := range rows[i] {
			rows[i][j], _ = r.GetString(i, j)
		}
	}
	return rows
}

// dialTo gives the login the time that ctx has left: what answers may be no server, or silent. When the session is to
// talk to somebody else the connection is closed, also in the middle of the login.
func (s *Session) dialTo(at *endpoint) client.Dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(at.left, cancel)()
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if deadline, ok := ctx.Deadline(); ok {
			c.SetDeadline(deadline)
		}
		s.stay = context.AfterFunc(at.left, func() { c.Close() })
		return c, nil
	}
}

// dialUntil makes a dialer whose connections are closed when ctx ends.
func dialUntil(until context.Context) client.Dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(until, cancel)()
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(until, func() { c.Close() })
		return streamConn{c}, nil
	}
}

// streamConn is a connection that may be closed at any moment. go-mysql's syncer, when it ends, sets a deadline for whoever
// reads, and waits for that; if the deadline is refused, it closes the connection while somebody reads, which touches what is
// being read. Who reads from a closed connection is through already, so that there is nothing to refuse.
type streamConn struct{ net.Conn }

// SetReadDeadline implements [net.Conn].
func (c streamConn) SetReadDeadline(t time.Time) error {
	if err := c.Conn.SetReadDeadline(t); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}
	return d.DialContext(ctx, network, addr)
}
