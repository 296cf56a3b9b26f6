package check

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/cmd/weir/daemon"
	"weir/replicator"
	"weir/replicator/gtid"
)

const (
	// askTimeout bounds a question that is answered from memory, and readTimeout one about all tables.
	askTimeout, readTimeout = 5 * time.Second, 2 * time.Minute
)

// asker asks one server. The first error ends nothing: what cannot be asked stays empty.
type asker struct {
	ctx     context.Context
	session *replicator.Session
	server  *Server
}

// look asks one server everything.
func look(ctx context.Context, s *Server, a daemon.Access, cfg daemon.Config, progress Progress) {
	progress("asking " + s.Addr)
	if s.Source {
		s.lookForObstacles(ctx, a)
	}
	session := replicator.NewSession(a.Addr, a.Replicator.User, a.Replicator.Password, askTimeout, a.Replicator.TLS)
	defer session.Close()
	q := asker{ctx, session, s}
	if s.Err = q.connect(a); s.Err != nil {
		return
	}
	q.variables()
	q.privileges()
	q.replication()
	q.accounts()
	q.clock()
	q.plugin()
	s.Logins = tryUsers(ctx, a, cfg)
	if s.Source {
		s.readSchema(ctx, a, progress)
	}
}

// lookForObstacles asks what a start asks.
func (s *Server) lookForObstacles(ctx context.Context, a daemon.Access) {
	source := replicator.NewSource(a.Replicator)
	defer source.Close()
	s.Obstacles = map[string]error{}
	for _, o := range source.Obstacles(ctx, a.Replicator) {
		s.Obstacles[o.ID] = o.Err
	}
}

func (q asker) connect(a daemon.Access) error {
	id, err := q.session.Identity(q.ctx)
	if err != nil {
		if said := q.server.Obstacles[replicator.NoConnection]; said != nil {
			return said
		}
		return replicator.ExplainLogin("backend", err, a.Replicator)
	}
	q.server.MariaDB, q.server.TLS = id.Flavor == gtid.MariaDB, q.session.UsesTLS()
	rows, err := q.session.Query(q.ctx, "SELECT VERSION(), CURRENT_USER()")
	if err != nil {
		return fmt.Errorf("ask %s for its version: %w", a.Addr, err)
	}
	q.server.Version, _, _ = strings.Cut(rows[0][0], "-")
	name, host := rows[0][1], ""
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		name, host = name[:at], name[at+1:]
	}
	q.server.Account = quote(name) + "@" + quote(host)
	return nil
}

func (q asker) variables() {
	q.server.Vars = q.pairs("SHOW GLOBAL VARIABLES")
	q.server.Status = q.pairs("SHOW GLOBAL STATUS")
}

func (q asker) pairs(sql string) map[string]string {
	all := map[string]string{}
	rows, _ := q.session.Query(q.ctx, sql)
	for _, row := range rows {
		if len(row) == 2 {
			all[strings.ToLower(row[0])] = row[1]
		}
	}
	return all
}

func (q asker) privileges() {
	rows, err := q.session.Query(q.ctx, "SHOW GRANTS")
	if err != nil {
		return
	}
	q.server.Grants = []string{}
	for _, row := range rows {
		q.server.Grants = append(q.server.Grants, row[0])
	}
}

// replication asks whom the server follows, who reads its binlog, and what it leaves out.
func (q asker) replication() {
	s := q.server
	following, status, hosts := "SHOW REPLICA STATUS", "SHOW MASTER STATUS", "SHOW REPLICAS"
	switch {
	case s.MariaDB:
		following, hosts = "SHOW ALL SLAVES STATUS", "SHOW SLAVE HOSTS"
	case s.atLeast(8, 2):
		status = "SHOW BINARY LOG STATUS"
	}
	s.Following, s.FollowingErr = q.session.QueryNamed(q.ctx, following)
	if rows, err := q.session.QueryNamed(q.ctx, status); err == nil && len(rows) == 1 {
		s.DoDB, s.IgnoreDB = rows[0]["binlog_do_db"], rows[0]["binlog_ignore_db"]
	}
	if rows, err := q.session.QueryNamed(q.ctx, hosts); err == nil {
		for _, row := range rows {
			s.Others = append(s.Others, row["server_id"])
		}
	}
	if !s.MariaDB {
		if rows, err := q.session.Query(q.ctx, "SELECT @@global.gtid_executed"); err == nil {
			s.Executed = rows[0][0]
		}
	}
}

func (q asker) accounts() {
	rows, err := q.session.Query(q.ctx, "SELECT User, Host, plugin FROM mysql.user ORDER BY User, Host")
	if err != nil {
		return
	}
	q.server.Accounts = []Account{}
	for _, row := range rows {
		q.server.Accounts = append(q.server.Accounts, Account{Name: row[0], Host: row[1], Plugin: row[2]})
	}
}

// clock compares the server's with ours, of a few questions by the one that was answered fastest.
func (q asker) clock() {
	for range 3 {
		before := time.Now()
		rows, err := q.session.Query(q.ctx, "SELECT UNIX_TIMESTAMP(NOW(6))")
		after := time.Now()
		if err != nil {
			return
		}
		seconds, err := strconv.ParseFloat(rows[0][0], 64)
		doubt := after.Sub(before) / 2
		if err != nil || q.server.Doubt != 0 && doubt >= q.server.Doubt {
			continue
		}
		theirs := time.UnixMicro(int64(seconds * 1e6))
		q.server.Clock, q.server.Doubt = theirs.Sub(before.Add(doubt)), max(doubt, time.Microsecond)
	}
}

func (q asker) plugin() {
	if !q.server.MariaDB {
		return
	}
	rows, err := q.session.Query(q.ctx, "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME='METADATA_LOCK_INFO' AND PLUGIN_STATUS='ACTIVE'")
	q.server.Plugin = err == nil && rows[0][0] != "0"
}

// tryUsers logs in with each account of the configuration.
func tryUsers(ctx context.Context, a daemon.Access, cfg daemon.Config) map[string]error {
	logins := map[string]error{}
	for _, u := range cfg.Users {
		session := replicator.NewSession(a.Addr, u.Name, string(u.Password), askTimeout, a.Replicator.TLS)
		_, err := session.Identity(ctx)
		session.Close()
		var said *gomysql.MyError
		if err != nil && !errors.As(err, &said) {
			continue // it is the server that is at fault
		}
		if said != nil {
			err = fmt.Errorf("error %d, %s", said.Code, said.Message)
		}
		logins[u.Name] = err
	}
	return logins
}
