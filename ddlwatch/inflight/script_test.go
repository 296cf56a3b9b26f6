package inflight

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
	"weir/ddlwatch/target"
)

// script is a MariaDB server whose answers a test sets.
type script struct {
	mu      sync.Mutex
	running [][]string // rows of PROCESSLIST
	err     error      // instead of any answer
	blind   bool       // the account has no PROCESS
	takes   time.Duration
	asked   []time.Time // for what runs
	shadows [][]string  // rows of TABLES with names of shadows
	exist   [][]string
}

func (s *script) set(f func(s *script)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

func (s *script) polls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// query answers with what there is when it is asked, some time later.
func (s *script) query(ctx context.Context, sql string) ([][]string, error) {
	rows, err := s.answer(sql)
	if s.takes == 0 || !strings.Contains(sql, "INFO IS NOT NULL") {
		return rows, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(s.takes):
		return rows, err
	}
}

func (s *script) answer(sql string) ([][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	switch {
	case strings.Contains(sql, "VERSION()"):
		return [][]string{{"10.11.6-MariaDB"}}, nil
	case strings.Contains(sql, "CURRENT_USER"):
		return [][]string{{"o'weir@%"}}, nil
	case strings.Contains(sql, "COUNT(*) FROM information_schema.PLUGINS"):
		return [][]string{{"0"}}, nil
	case strings.Contains(sql, "COUNT(*) FROM information_schema.INNODB_TRX"):
		if s.blind {
			return nil, &mysql.MyError{Code: mysql.ER_SPECIFIC_ACCESS_DENIED_ERROR, Message: "PROCESS"}
		}
		return [][]string{{"0"}}, nil
	case strings.Contains(sql, "TABLE_NAME LIKE"):
		return s.shadows, nil
	case strings.Contains(sql, "TABLE_NAME IN"):
		return s.exist, nil
	case strings.Contains(sql, "TRIGGERS"), strings.Contains(sql, "INNODB_TRX"):
		return nil, nil
	case strings.Contains(sql, "PROCESSLIST"):
		s.asked = append(s.asked, time.Now())
		return s.running, nil
	}
	return nil, errors.New("not in the script: " + sql)
}

// row is a row of PROCESSLIST.
func row(id, seconds, state, sql string) []string {
	return []string{id, "app", seconds, state, sql, "0", "0", "0"}
}

// stub reads what the tests have: ALTER TABLE name ...
func stub(schema, sql string) (kind string, tables []dep.Name, ddl bool) {
	words := strings.Fields(sql)
	switch {
	case strings.Count(sql, "'")%2 == 1, words[0] == "CALL":
		return unknown, nil, false
	case words[0] == "ALTER" && words[1] == "TABLE" && len(words) > 2:
		return "alter_table", []dep.Name{dep.Fold(schema, words[2])}, true
	case words[1] == "USER":
		return "account", nil, false
	}
	return "other", nil, false
}

type lines struct{ strings.Builder }

// bubble runs f beside a watch of the scripts, in a time of its own.
func bubble(t *testing.T, scripts []*script, f func(t *testing.T, w *Watch, log *lines)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var servers []*target.Server
		for i, s := range scripts {
			servers = append(servers, &target.Server{Addr: string(rune('a' + i)), Source: i == 0, Query: s.query})
		}
		var log lines
		w := New(servers, DefaultConfig(), stub, slog.New(slog.NewTextHandler(&log, nil)), prometheus.NewRegistry())
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.Run(ctx) }()
		synctest.Wait()
		f(t, w, &log)
		cancel()
		<-done
	})
}

// after lets time pass until everybody waits.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
