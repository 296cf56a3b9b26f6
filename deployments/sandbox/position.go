package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// Position is how far a server's binlog goes.
type Position struct {
	File string // binlog.000002
	Pos  uint64 // end of the last event in File, in bytes
	GTID string // MySQL: the set in gtid_executed, empty without GTIDs; MariaDB: gtid_binlog_pos
}

// Position asks the server how far its binlog goes. MySQL renamed the statement in 8.2 and dropped the old one in 8.4.
func (s *Server) Position(ctx context.Context) (Position, error) {
	status, err := s.row(ctx, "SHOW MASTER STATUS")
	if err != nil {
		status, err = s.row(ctx, "SHOW BINARY LOG STATUS")
	}
	if err != nil {
		return Position{}, fmt.Errorf("read binlog position: %w", err)
	}
	if len(status) == 0 {
		return Position{}, errors.New("read binlog position: the server has no binlog")
	}
	return s.position(ctx, status)
}

func (s *Server) position(ctx context.Context, status map[string]string) (Position, error) {
	pos, err := strconv.ParseUint(status["Position"], 10, 64)
	if err != nil {
		return Position{}, fmt.Errorf("read binlog position: %w", err)
	}
	row, err := s.row(ctx, "SELECT "+s.say("@@global.gtid_executed", "@@global.gtid_binlog_pos")+" AS gtid")
	if err != nil {
		return Position{}, fmt.Errorf("read GTID position: %w", err)
	}
	return Position{File: status["File"], Pos: pos, GTID: row["gtid"]}, nil
}
