package replicator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/go-mysql-org/go-mysql/canal"
	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Check reports, in one sentence each, what keeps the source from being followed: no binlog, a binlog that is not in
// row format, no GTIDs, missing privileges. It is for the start, before anything is served. A source that cannot be
// reached is an error of another kind, since that may pass: see [errors.As] with net.Error.
func (s *Source) Check(ctx context.Context, cfg Config) error {
	id, err := s.session.Identity(ctx)
	if err != nil {
		return explainLogin(err, cfg)
	}
	for _, check := range [...]func(context.Context, Config, identity.Identity) error{
		s.checkBinlog, s.checkFormat, s.checkGTID, s.checkPosition, s.checkReplication,
	} {
		if err := check(ctx, cfg, id); err != nil {
			return err
		}
	}
	return nil
}

// explainLogin says who refused what. It leaves out what the layers between here and there have added.
func explainLogin(err error, cfg Config) error {
	var said *gomysql.MyError
	var network net.Error
	switch {
	case errors.As(err, &said) && said.Code == erSecureTransport:
		return fmt.Errorf("the source %s wants TLS: %w; set source.tls.mode to required, or to verify_identity", cfg.Addr, said)
	case errors.As(err, &said) && said.Code == erAccessDenied:
		return fmt.Errorf("the source %s refuses the account %q: %w; check source.user and source.password, and source.tls if the account or the server requires TLS", cfg.Addr, cfg.User, said)
	case errors.As(err, &said):
		return fmt.Errorf("the source %s refuses to be connected to: %w", cfg.Addr, said)
	case tlsTrouble(err) != nil:
		return fmt.Errorf("the source %s cannot be talked to over TLS: %w; check source.tls", cfg.Addr, tlsTrouble(err))
	case errors.As(err, &network):
		return fmt.Errorf("the source %s cannot be reached: %w; check that it runs, and source.addr", cfg.Addr, network)
	}
	return fmt.Errorf("the source %s does not answer as a MySQL or MariaDB server does; check source.addr", cfg.Addr)
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
	privileges, _, onSomething := strings.Cut(grant, " ON ")
	if !onSomething {
		return true // GRANT role TO account
	}
	for _, p := range [...]string{"REPLICATION SLAVE", "REPLICATION REPLICA", "ALL PRIVILEGES", "SUPER"} {
		if strings.Contains(privileges, p) {
			return true
		}
	}
	return false
}
