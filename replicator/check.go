package replicator

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"slices"
	"strings"

	"github.com/go-mysql-org/go-mysql/canal"
	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Obstacle is one thing that keeps a source from being followed. ID is a name for it that does not change.
type Obstacle struct {
	ID  string
	Err error
}

// The obstacles that [Source.Obstacles] finds, in the order in which it looks for them.
const (
	NoConnection       = "connect"
	NoBinlog           = "binlog-off"
	NoRows             = "binlog-format"
	NoGTIDs            = "gtid-mode"
	NoPositionGrant    = "grant-position"
	NoReplicationGrant = "grant-replication"
)

// Check reports, in one sentence each, what keeps the source from being followed: no binlog, a binlog that is not in
// row format, no GTIDs, missing privileges. It is for the start, before anything is served. A source that cannot be
// reached is an error of another kind, since that may pass: see [errors.As] with net.Error. The id is the obstacle's.
func (s *Source) Check(ctx context.Context, cfg Config) (id string, err error) {
	for o := range s.obstacles(ctx, cfg) {
		return o.ID, o.Err
	}
	return "", nil
}

// Obstacles is [Source.Check] for somebody who wants to hear of all at once. What is asked only of a source that can be
// connected to is left out if this one cannot.
func (s *Source) Obstacles(ctx context.Context, cfg Config) []Obstacle {
	return slices.Collect(s.obstacles(ctx, cfg))
}

func (s *Source) obstacles(ctx context.Context, cfg Config) iter.Seq[Obstacle] {
	return func(yield func(Obstacle) bool) {
		id, err := s.session.Identity(ctx)
		if err != nil {
			yield(Obstacle{NoConnection, explainLogin(err, cfg)})
			return
		}
		unlogged := false
		for _, c := range [...]struct {
			id    string
			check func(context.Context, Config, identity.Identity) error
		}{
			{NoBinlog, s.checkBinlog}, {NoRows, s.checkFormat}, {NoGTIDs, s.checkGTID},
			{NoPositionGrant, s.checkPosition}, {NoReplicationGrant, s.checkReplication},
		} {
			if unlogged && (c.id == NoRows || c.id == NoPositionGrant) {
				continue // what a server without a binlog says of them is not about the format, or the account
			}
			err := c.check(ctx, cfg, id)
			if err != nil && !yield(Obstacle{c.id, err}) {
				return
			}
			unlogged = unlogged || c.id == NoBinlog && err != nil
		}
	}
}

// explainLogin says who refused what. It leaves out what the layers between here and there have added.
func explainLogin(err error, cfg Config) error { return ExplainLogin("source", err, cfg) }

// ExplainLogin says in one sentence why a server could not be logged in to, and what to do. What is what the server is to
// Weir: source, or backend.
func ExplainLogin(what string, err error, cfg Config) error {
	var said *gomysql.MyError
	var network net.Error
	switch {
	case errors.As(err, &said) && said.Code == erSecureTransport:
		return fmt.Errorf("the %s %s wants TLS: %w; set source.tls.mode to required, or to verify_identity", what, cfg.Addr, said)
	case errors.As(err, &said) && said.Code == erAccessDenied:
		return fmt.Errorf("the %s %s refuses the account %q: %w; check source.user and source.password, and source.tls if the account or the server requires TLS", what, cfg.Addr, cfg.User, said)
	case errors.As(err, &said):
		return fmt.Errorf("the %s %s refuses to be connected to: %w", what, cfg.Addr, said)
	case tlsTrouble(err) != nil:
		return fmt.Errorf("the %s %s cannot be talked to over TLS: %w; check source.tls", what, cfg.Addr, tlsTrouble(err))
	case errors.As(err, &network):
		return fmt.Errorf("the %s %s cannot be reached: %w; check that it runs, and %s", what, cfg.Addr, network, addrKey(what))
	}
	return fmt.Errorf("the %s %s does not answer as a MySQL or MariaDB server does; check %s", what, cfg.Addr, addrKey(what))
}

func addrKey(what string) string {
	if what == "source" {
		return "source.addr"
	}
	return "its addr under backends"
}

func (s *Source) variable(ctx context.Context, name string) (string, error) {
	rows, err := s.session.Query(ctx, "SELECT @@global."+name)
	if err != nil || len(rows) == 0 {
		return "", fmt.Errorf("read %s of the source: %w", name, err)
	}
	return rows[0][0], nil
}

func (s *Source) checkBinlog(ctx context.Context, cfg Config, _ identity.Identity) error {
	on, err := s.variable(ctx, "log_bin")
	if err != nil {
		return err
	}
	if on != "1" && !strings.EqualFold(on, "ON") {
		return fmt.Errorf("the source %s writes no binlog; start it with log_bin (and binlog_format=ROW)", cfg.Addr)
	}
	return nil
}

// checkFormat lets canal judge the format, as it does for everybody who uses it.
func (s *Source) checkFormat(ctx context.Context, cfg Config, id identity.Identity) error {
	quiet := slog.New(slog.DiscardHandler)
	c, err := canal.NewCanal(&canal.Config{
		Addr: cfg.Addr, User: cfg.User, Password: cfg.Password, ServerID: cfg.ServerID,
		Flavor: canalFlavor(id.Flavor), Dialer: dial, Logger: quiet,
		TLSConfig: s.session.usedTLS(),
	})
	if err != nil {
		format, _ := s.variable(ctx, "binlog_format")
		if strings.EqualFold(format, "ROW") {
			return fmt.Errorf("check the source's binlog format: %w", cause(err))
		}
		return fmt.Errorf("the source %s has binlog_format=%s; Weir needs rows: SET GLOBAL binlog_format='ROW', and in its configuration file", cfg.Addr, format)
	}
	c.Close()
	return nil
}

func canalFlavor(f gtid.Flavor) string {
	if f == gtid.MariaDB {
		return gomysql.MariaDBFlavor
	}
	return gomysql.MySQLFlavor
}

func (s *Source) checkGTID(ctx context.Context, cfg Config, id identity.Identity) error {
	if id.Flavor == gtid.MariaDB {
		return nil // always on since 10.0
	}
	mode, err := s.variable(ctx, "gtid_mode")
	if err != nil {
		return err
	}
	if mode != "ON" {
		return fmt.Errorf("the source %s has gtid_mode=%s; Weir needs GTIDs to know what a snapshot contains: set gtid_mode=ON and enforce_gtid_consistency=ON", cfg.Addr, mode)
	}
	return nil
}

func (s *Source) checkPosition(ctx context.Context, cfg Config, _ identity.Identity) error {
	_, err := s.Position(ctx)
	if code, ok := serverCode(err); ok && code == erSpecificAccess {
		return fmt.Errorf("the account %q may not ask for the binlog position: GRANT REPLICATION CLIENT ON *.* TO it (on MariaDB: BINLOG MONITOR)", cfg.User)
	}
	return err
}

// checkReplication reads SHOW GRANTS. An account whose privileges come through a role is let pass: the stream itself
// tells, with error 1227, if they do not suffice.
func (s *Source) checkReplication(ctx context.Context, cfg Config, _ identity.Identity) error {
	rows, err := s.session.Query(ctx, "SHOW GRANTS")
	if err != nil {
		return fmt.Errorf("read the privileges of %q: %w", cfg.User, err)
	}
	for _, row := range rows {
		if mayReadBinlog(row[0]) {
			return nil
		}
	}
	return fmt.Errorf("the account %q may not read the binlog: GRANT REPLICATION SLAVE ON *.* TO it", cfg.User)
}

func mayReadBinlog(grant string) bool {
	privileges, what, onSomething := strings.Cut(grant, " ON ")
	switch {
	case !onSomething:
		return true // GRANT role TO account
	case !strings.HasPrefix(what, "*.* "):
		return false // ALL PRIVILEGES of a schema, which do not have this one among them
	}
	for _, p := range [...]string{"REPLICATION SLAVE", "REPLICATION REPLICA", "ALL PRIVILEGES", "SUPER"} {
		if strings.Contains(privileges, p) {
			return true
		}
	}
	return false
}
