package replicator

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
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
	addr, user, password string
	timeout              time.Duration
	tls                  TLS
	used                 atomic.Pointer[tls.Config] // by the last connection

	mu   sync.Mutex
	conn *client.Conn
	// server is the one that conn leads to.
	server identity.Identity
}

// NewSession returns a session that is not connected yet. A query that takes longer than timeout fails.
func NewSession(addr, user, password string, timeout time.Duration, tls TLS) *Session {
	return &Session{addr: addr, user: user, password: password, timeout: timeout, tls: tls}
}

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
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

func (s *Session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return connectError(fmt.Errorf("connect to %s as %s: %w", s.addr, s.user, cause(err)))
	}
	s.conn = conn
	if s.server, err = s.whoIsIt(ctx); err != nil {
		s.drop()
		return connectError(fmt.Errorf("ask %s who it is: %w", s.addr, err))
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

// run bounds the query by the timeout and by ctx. What ctx's end starts may run when s.conn is gone already, so it has
// a connection of its own to end.
func (s *Session) run(ctx context.Context, sql string) ([][]string, error) {
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
	return textRows(result), nil
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

// dialWithin gives the login the time that ctx has left: what answers may be no server, or silent.
func dialWithin(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := dial(ctx, network, addr)
	if deadline, ok := ctx.Deadline(); ok && err == nil {
		c.SetDeadline(deadline)
	}
	return c, err
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}
	return d.DialContext(ctx, network, addr)
}
