package inflight

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// errBlind: the account may not see what others run.
var errBlind = errors.New("the account may not see the statements of others")

// settle finds out what the server is and what the account may see there, unless that was found out lately. After
// a failure it does so anew: another server may answer.
func (s *server) settle(ctx context.Context) error {
	if s.tables != nil && time.Now().Before(s.until) {
		return nil
	}
	s.tables = nil
	found, err := s.find(ctx)
	if err != nil {
		return err
	}
	s.tables, s.until = found, time.Now().Add(settled)
	return nil
}

func (s *server) find(ctx context.Context) (tables, error) {
	_, maria, err := s.target.Version(ctx)
	if err != nil {
		return nil, err
	}
	if maria {
		return s.findMariaDB(ctx)
	}
	return s.findMySQL(ctx)
}

// findMySQL tries performance_schema. Switched off it has its tables, all empty.
func (s *server) findMySQL(ctx context.Context) (tables, error) {
	on, err := s.is(ctx, "SELECT @@performance_schema")
	if err != nil {
		return nil, err
	}
	if !on {
		s.once("performance_schema is OFF: metadata locks and the progress of DDL on this server are not seen, and who blocks a DDL is guessed",
			"mend", "start the server with performance_schema=ON")
		return s.findInfo(ctx, &info{server: s.target})
	}
	p := perf{server: s.target}
	_, err = p.processes(ctx)
	if err == nil {
		_, err = p.locks(ctx, true)
	}
	if !refused(err) {
		return p, err
	}
	s.once("the account may not read performance_schema: metadata locks and the progress of DDL on this server are not seen, and who blocks a DDL is guessed",
		"error", err, "mend", s.grant(ctx, "SELECT ON performance_schema.*"))
	return s.findInfo(ctx, &info{server: s.target})
}

func (s *server) findMariaDB(ctx context.Context) (tables, error) {
	plugin, err := s.is(ctx, "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME='METADATA_LOCK_INFO' AND PLUGIN_STATUS='ACTIVE'")
	if err != nil {
		return nil, err
	}
	if !plugin {
		s.once("the plugin METADATA_LOCK_INFO is not loaded: who blocks a DDL on this server is guessed",
			"mend", "INSTALL SONAME 'metadata_lock_info'")
	}
	return s.findInfo(ctx, &info{server: s.target, maria: true, plugin: plugin})
}

// findInfo asks for what needs the privilege PROCESS: without it PROCESSLIST gives an answer, and not all of it.
func (s *server) findInfo(ctx context.Context, i *info) (tables, error) {
	_, err := s.target.Query(ctx, "SELECT COUNT(*) FROM information_schema.INNODB_TRX")
	if refused(err) {
		return nil, fmt.Errorf("%w: %w", errBlind, err)
	}
	return i, err
}

// is asks a question that is answered by a number.
func (s *server) is(ctx context.Context, sql string) (bool, error) {
	rows, err := ask(ctx, s.target, sql, 1)
	return err == nil && len(rows) == 1 && rows[0][0] != "0" && rows[0][0] != "", err
}

// refused says that the server has answered, and that the account lacks a privilege.
func refused(err error) bool {
	var said *mysql.MyError
	if !errors.As(err, &said) {
		return false
	}
	switch said.Code {
	case mysql.ER_DBACCESS_DENIED_ERROR, mysql.ER_TABLEACCESS_DENIED_ERROR, mysql.ER_COLUMNACCESS_DENIED_ERROR,
		mysql.ER_SPECIFIC_ACCESS_DENIED_ERROR:
		return true
	}
	return false
}

// grant is the statement that gives the account a privilege.
func (s *server) grant(ctx context.Context, privilege string) string {
	to := "the account"
	if rows, err := ask(ctx, s.target, "SELECT CURRENT_USER()", 1); err == nil && len(rows) == 1 {
		if at := strings.LastIndexByte(rows[0][0], '@'); at >= 0 {
			to = quote(rows[0][0][:at]) + "@" + quote(rows[0][0][at+1:])
		}
	}
	return "GRANT " + privilege + " TO " + to
}

// quote makes a string literal, right under each sql_mode unless there is a backslash in the text; then it is another
// string, and never more than that.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}

// once warns of something that keeps Watch from seeing all there is, the first time.
func (s *server) once(text string, attributes ...any) {
	if !s.said[text] {
		s.said[text] = true
		s.log.Warn(text, attributes...) //nolint:sloglint // the texts are constants of the callers
	}
}

// note counts a look, and says once when looks begin to fail, and when they succeed again.
func (s *server) note(ctx context.Context, err error) {
	result, trouble := outcome(err)
	s.watch.metrics.polled(s.target.Addr, result)
	if trouble == s.trouble {
		return
	}
	s.trouble = trouble
	switch trouble {
	case "":
		s.log.Info("DDL under way on this server is seen again")
	case denied:
		s.log.Warn("DDL under way on this server is not seen, only what is in the binlog: reads of its tables are not held back while it waits",
			"error", err, "mend", s.grant(ctx, "PROCESS ON *.*"))
	default:
		s.log.Warn("this server does not say which DDL is under way", "error", err)
	}
}

// outcome is a look's result for the counter, and the trouble it shows, if any.
func outcome(err error) (result, trouble string) {
	switch {
	case err == nil:
		return answered, ""
	case errors.Is(err, errBlind):
		return denied, denied
	}
	return failed, failed
}
