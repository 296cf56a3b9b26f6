// Package target is a server that the DDL watcher looks at: the source, or a backend.
package target

import (
	"context"
	"strings"
)

// Server is one server, and a way to ask it. It must not be copied after the first question.
type Server struct {
	// Addr is its host:port, as in the configuration.
	Addr string
	// Source says that it is the one whose binlog is read.
	Source bool
	// Query runs one statement and returns its rows as text, NULL as the empty string. It is bounded in time, safe for
	// concurrent use, and connects again after an error. An error of the server's can be told by errors.As from one of
	// the connection.
	Query func(ctx context.Context, sql string) ([][]string, error)
}

// Version asks for the server's version, as in 11.8.3-MariaDB-log or 9.7.0, and says whether it is MariaDB.
func (s *Server) Version(ctx context.Context) (version string, mariaDB bool, err error) {
	rows, err := s.Query(ctx, "SELECT VERSION()")
	if err != nil || len(rows) == 0 {
		return "", false, err
	}
	return rows[0][0], strings.Contains(rows[0][0], "MariaDB"), nil
}
