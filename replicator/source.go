package replicator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Source answers questions about the server whose binlog is read.
type Source struct {
	session *Session
}

// NewSource returns a source that is not connected yet.
func NewSource(cfg Config) *Source {
	return &Source{session: NewSession(cfg.Addr, cfg.User, cfg.Password, cfg.queryTimeout(), cfg.TLS)}
}

// Close ends the connection.
func (s *Source) Close() { s.session.Close() }

// Session is the connection, for other short queries to the source.
func (s *Source) Session() *Session { return s.session }

// Position is where the source writes, and every transaction that is in its binlog.
type Position struct {
	Identity identity.Identity
	File     string
	Pos      uint64
	// Seq is the position, rounded up: what is to be complete must have been delivered up to there.
	Seq cache.Seq
	// GTIDs are what the source says it has: on MySQL gtid_executed, which leaves out what is written but not yet
	// committed; on MariaDB gtid_binlog_pos.
	GTIDs *gtid.Set
}

// Position asks the source where its binlog ends. Everything committed before the call is at or before it.
func (s *Source) Position(ctx context.Context) (Position, error) {
	rows, id, err := s.status(ctx)
	if err != nil {
		return Position{}, fmt.Errorf("ask the source for its binlog position: %w", err)
	}
	if len(rows) != 1 || len(rows[0]) < 2 {
		return Position{}, errors.New("the source has no binlog; set log_bin and restart it")
	}
	p := Position{Identity: id, File: rows[0][0]}
	file, pos, err := parsePlace(rows[0][0], rows[0][1])
	if err != nil {
		return Position{}, err
	}
	p.Pos, p.Seq = pos, cache.After(file, pos)
	p.GTIDs, err = s.gtids(ctx, id, rows[0])
	return p, err
}

// status runs SHOW BINARY LOG STATUS, which MySQL has since 8.2, or SHOW MASTER STATUS, which it had until 8.3 and
// MariaDB has.
func (s *Source) status(ctx context.Context) ([][]string, identity.Identity, error) {
	id, err := s.session.Identity(ctx)
	if err != nil {
		return nil, id, err
	}
	if id.Flavor == gtid.MySQL {
		rows, id, err := s.session.QueryIdentified(ctx, "SHOW BINARY LOG STATUS")
		if err == nil || !isSyntaxError(err) {
			return rows, id, err
		}
	}
	return s.session.QueryIdentified(ctx, "SHOW MASTER STATUS")
}

func isSyntaxError(err error) bool {
	code, ok := serverCode(err)
	return ok && code == 1064
}

// gtids reads MySQL's set from the status row. MariaDB's is a variable, asked for after the position: it may be ahead
// of it, never behind.
func (s *Source) gtids(ctx context.Context, id identity.Identity, status []string) (*gtid.Set, error) {
	if id.Flavor == gtid.MySQL {
		if len(status) < 5 {
			return nil, errors.New("the source does not tell its GTIDs; set gtid_mode=ON")
		}
		return gtid.Parse(gtid.MySQL, status[4])
	}
	rows, err := s.session.Query(ctx, "SELECT @@global.gtid_binlog_pos")
	if err != nil {
		return nil, err
	}
	return gtid.Parse(gtid.MariaDB, rows[0][0])
}

// gtidAt asks a MariaDB source which GTID position stands at a place in its binlog; empty if it cannot tell.
func (s *Source) gtidAt(ctx context.Context, file string, pos uint64) (string, error) {
	sql := fmt.Sprintf("SELECT COALESCE(BINLOG_GTID_POS('%s', %d), '')", strings.ReplaceAll(file, "'", "''"), pos)
	rows, err := s.session.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	return rows[0][0], nil
}

// fileNumber reads the number at the end of a binlog file's name, as in binlog.000042.
func fileNumber(name string) (uint32, error) {
	_, digits, ok := cutLast(name, '.')
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil {
		return 0, fmt.Errorf("binlog file %q does not end in a number", name)
	}
	return uint32(n), nil
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func parsePlace(name, position string) (file uint32, pos uint64, err error) {
	if file, err = fileNumber(name); err != nil {
		return 0, 0, err
	}
	if pos, err = strconv.ParseUint(position, 10, 64); err != nil {
		return 0, 0, fmt.Errorf("binlog position %q is not a number", position)
	}
	return file, pos, nil
}
