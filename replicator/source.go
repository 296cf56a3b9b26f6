package replicator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Source answers questions about the server whose binlog is read.
type Source struct {
	session    *Session
	candidates *Candidates // nil if there is but one address
}

// NewSource returns a source that is not connected yet.
func NewSource(cfg Config) *Source {
	return &Source{
		session:    newSession(cfg.endpoint(), cfg.User, cfg.Password, cfg.queryTimeout()),
		candidates: cfg.Candidates,
	}
}

// Close ends the connection.
func (s *Source) Close() { s.session.Close() }

// Session is the connection, for other short queries to the source.
func (s *Source) Session() *Session { return s.session }

// Addr is where the source is now.
func (s *Source) Addr() string { return s.session.addr() }

// found looks for the source, if it has to be looked for, and asks how it writes its binlog, and for its position after that.
func (s *Source) found(ctx context.Context) (Position, conduct, error) {
	if s.candidates != nil && !s.candidates.clear() {
		if err := s.candidates.Choose(ctx); err != nil {
			return Position{}, conduct{}, err
		}
	}
	now, err := s.conduct(ctx)
	if err != nil {
		return Position{}, now, s.missed(err)
	}
	p, err := s.Position(ctx)
	return p, now, s.missed(err)
}

// missed notes that the source has not answered: another server may be the source.
func (s *Source) missed(err error) error {
	if err != nil && s.candidates != nil {
		s.candidates.unclear()
	}
	return err
}

// errReadOnly: the source takes no writes any more, so that another server may.
var errReadOnly = errors.New("the source has become read-only; another one of source.addrs may take its place")

// undoubted reports that the server which has told its position is the source: it is the only one that takes writes.
// Whoever else may be it is looked for otherwise.
func (s *Source) undoubted(p Position) error {
	if s.candidates == nil {
		return nil
	}
	if p.ReadOnly {
		s.candidates.unclear()
		return errReadOnly
	}
	if doubt := s.candidates.Doubt(); doubt != "" {
		return errors.New(doubt)
	}
	return nil
}

// patience is the longest that a reader waits before it tries again: a source that stays away is not bothered, and one that
// may be found elsewhere is looked for.
func (s *Source) patience() time.Duration {
	if s.candidates != nil {
		return 2 * lookSoon
	}
	return 2 * time.Second
}

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
	// Written is all that is in its binlog, or was. It may be ahead of the position, never behind.
	Written *gtid.State
	// Applied is MariaDB's gtid_slave_pos, see [conduct].
	Applied string
	// ReadOnly says that the server does not take writes, asked after the position. It is not asked if there is but one
	// address: a source that is read-only is followed then.
	ReadOnly bool
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
	if id.Flavor == gtid.MariaDB {
		err = s.askMariaDB(ctx, &p)
	} else {
		err = s.readMySQL(ctx, rows[0], &p)
	}
	return p, err
}

// more asks for variables of the server whose position it is.
func (s *Source) more(ctx context.Context, p *Position, sql string) ([]string, error) {
	rows, id, err := s.session.QueryIdentified(ctx, sql)
	if err != nil {
		return nil, err
	}
	if id != p.Identity {
		return nil, errors.New("another server answers at the source's address than a moment ago")
	}
	return rows[0], nil
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

// readMySQL reads the set from the status row.
func (s *Source) readMySQL(ctx context.Context, status []string, p *Position) (err error) {
	if len(status) < 5 {
		return errors.New("the source does not tell its GTIDs; set gtid_mode=ON")
	}
	if p.GTIDs, err = gtid.Parse(gtid.MySQL, status[4]); err != nil {
		return err
	}
	if p.Written, err = gtid.ParseState(gtid.MySQL, status[4]); err != nil || s.candidates == nil {
		return err
	}
	row, err := s.more(ctx, p, "SELECT @@global.read_only")
	if err == nil {
		p.ReadOnly = readOnly(row[0])
	}
	return err
}

// askMariaDB asks for variables after the position: they may be ahead of it, never behind. What a server has applied as a
// replica without writing it to its binlog, gtid_slave_pos tells.
func (s *Source) askMariaDB(ctx context.Context, p *Position) error {
	row, err := s.more(ctx, p, "SELECT @@global.gtid_binlog_pos, @@global.gtid_binlog_state, @@global.gtid_slave_pos, @@global.read_only")
	if err != nil {
		return err
	}
	if p.GTIDs, err = gtid.Parse(gtid.MariaDB, row[0]); err != nil {
		return err
	}
	p.Applied, p.ReadOnly = row[2], s.candidates != nil && readOnly(row[3])
	p.Written, err = gtid.ParseState(gtid.MariaDB, row[1]+","+row[2])
	return err
}

// readOnly reads the variable of that name. On MySQL it is on whenever super_read_only is. MariaDB has more than two
// values since 12.0, and all but off are some kind of on.
func readOnly(value string) bool { return value != "0" && !strings.EqualFold(value, "OFF") }

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
