package proxy

import (
	"context"
	"fmt"
	"strings"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// grants are the global privileges of an account, as a server has told them.
type grants struct {
	// as is the last change of accounts that the server had when it told.
	as    cache.Mark
	known bool
	all   map[string]bool
}

// holds reports whether the session's account has a global privilege: SUPER, RELOAD, PROCESS. A server is asked, with the
// client's own account and the roles that it has there. What it says is remembered until something about accounts changes:
//
//  1. The last change of accounts is read.
//  2. A server is asked. If it is not known to have that change, what it says is used and not remembered.
//  3. REVOKE is recorded: the change is another one, and the next call asks again.
//
// While the stream is not current no change would be seen, and each call asks.
func (s *session) holds(ctx context.Context, privilege string) (bool, error) {
	at := s.server.accounts()
	if !s.grants.known || s.grants.as != at || !s.server.upToDate() || s.pins.stateful {
		all, certain, err := s.askGrants(ctx, at)
		if err != nil {
			return false, err
		}
		s.grants = grants{as: at, known: certain, all: all}
	}
	return s.grants.has(privilege), nil
}

// has knows which privileges stand for others.
func (g grants) has(privilege string) bool {
	return g.all[privilege] || g.all["ALL PRIVILEGES"] || privilege == "SUPER" && g.all["SYSTEM_VARIABLES_ADMIN"]
}

// askGrants asks on the session's connection, if there is one: it may have been given another role there. certain says that
// the server has the change of accounts.
func (s *session) askGrants(ctx context.Context, at cache.Mark) (all map[string]bool, certain bool, err error) {
	c := s.pinned
	if c == nil {
		if c, err = s.server.borrow(ctx, s, s.server.cfg.Writes == ToSource); err != nil {
			return nil, false, err
		}
	}
	defer func() { s.release(c) }()
	var lines []string
	err = s.run1(ctx, c, request{run: func(c *conn, _ *response) (err error) { lines, err = c.showGrants(); return err }}, &response{})
	if err != nil {
		return nil, false, s.lost(c, err)
	}
	return globalGrants(lines), c.backend.hasSoon(ctx, at), nil
}

// lost marks a connection as broken that Weir has asked something for itself. With the session's own goes what the client counts
// on, and the session ends.
func (s *session) lost(c *conn, err error) error {
	c.broken = true
	if c == s.pinned {
		return fmt.Errorf("%w: %w", errStateLost, err)
	}
	return err
}

// showGrants asks what the account holds. Without FOR it tells of the roles, too, that the session has.
func (c *conn) showGrants() (lines []string, err error) {
	rows, err := c.query("SHOW GRANTS")
	for _, row := range rows {
		lines = append(lines, row[0])
	}
	return lines, err
}

// globalGrants takes the privileges on *.* out of what SHOW GRANTS has said.
func globalGrants(lines []string) map[string]bool {
	all := map[string]bool{}
	for _, line := range lines {
		what, isGrant := strings.CutPrefix(line, "GRANT ")
		what, _, global := strings.Cut(what, " ON *.* TO ")
		if !isGrant || !global || strings.ContainsAny(what, "`'\"(") { // a role, or PROXY
			continue
		}
		for privilege := range strings.SplitSeq(what, ",") {
			all[strings.ToUpper(strings.TrimSpace(privilege))] = true
		}
	}
	return all
}

// demand returns the error for an account that does not hold a privilege; nil if it does.
func (s *session) demand(ctx context.Context, privilege string) (*wire.Error, error) {
	held, err := s.holds(ctx, privilege)
	if err != nil || held {
		return nil, err
	}
	if privilege == "SUPER" && s.server.facts.Flavor == statement.MySQL && s.server.version >= 800 {
		privilege = "SUPER or SYSTEM_VARIABLES_ADMIN"
	}
	return wire.Errorf(wire.CodeSpecificAccess, "Access denied; you need (at least one of) the %s privilege(s) for this operation", privilege), nil
}
