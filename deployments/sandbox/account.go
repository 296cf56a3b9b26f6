package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Account is a name and a password to log in with.
type Account struct {
	User     string
	Password string
}

// The accounts that every data directory is made with. Servers listen on the loopback interface only.
var (
	rootAccount    = Account{User: "root", Password: "weir-sandbox"}
	replicaAccount = Account{User: "replica", Password: "weir-replica"}
)

// accountStatements make the accounts in a new data directory. Host names are not resolved, so root@localhost is root
// over the Unix socket and root@% is root over TCP.
func accountStatements(flavor Flavor) []string {
	var statements []string
	if flavor == MariaDB {
		// Its install script adds anonymous accounts and root@127.0.0.1, root@::1: more specific than ours.
		statements = []string{"DELETE FROM mysql.global_priv WHERE User = '' OR User = 'root' AND Host <> 'localhost'", "FLUSH PRIVILEGES"}
	}
	return append(statements,
		fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", rootAccount.User, rootAccount.Password),
		fmt.Sprintf("GRANT ALL PRIVILEGES ON *.* TO '%s'@'%%' WITH GRANT OPTION", rootAccount.User),
		fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", replicaAccount.User, replicaAccount.Password),
		fmt.Sprintf("GRANT REPLICATION SLAVE ON *.* TO '%s'@'%%'", replicaAccount.User),
		fmt.Sprintf("ALTER USER 'root'@'localhost' IDENTIFIED BY '%s'", rootAccount.Password),
	)
}

// Config is the driver's configuration for a login over TCP, for the caller to change. An empty schema selects none.
// The driver logs nothing.
func (s *Server) Config(user, password, schema string) *mysql.Config {
	c := mysql.NewConfig()
	c.Net, c.Addr = "tcp", s.Addr()
	c.User, c.Passwd, c.DBName = user, password, schema
	c.Logger = &mysql.NopLogger{} // servers that go away are what a sandbox is for; errors are returned all the same
	return c
}

// DB opens a pool of connections over TCP for that account. An empty schema selects none. The caller closes it. No
// connection is made yet, so the error only reports a configuration that the driver refuses.
func (s *Server) DB(user, password, schema string) (*sql.DB, error) {
	return open(s.Config(user, password, schema))
}

// RootDB is [Server.DB] for the root account.
func (s *Server) RootDB(schema string) (*sql.DB, error) {
	return s.DB(s.Root.User, s.Root.Password, schema)
}

func open(c *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("configure login as %s: %w", c.User, err)
	}
	return sql.OpenDB(connector), nil
}

// Exec runs the statements in order as root, on one connection of their own without a default schema, so that USE
// and SET SESSION reach the statements after them and nobody else. It stops at the first error and names its
// statement.
func (s *Server) Exec(ctx context.Context, statements ...string) error {
	return execAs(ctx, s.Socket, s.Root, statements...)
}

func execAs(ctx context.Context, socket string, account Account, statements ...string) error {
	return onSocket(ctx, socket, account, func(conn *sql.Conn) error {
		return execAll(ctx, conn, statements)
	})
}

func execAll(ctx context.Context, conn *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("run %q: %w", statement, err)
		}
	}
	return nil
}

// CreateUser makes an account for every host with the server's default authentication plugin (MySQL:
// caching_sha2_password, MariaDB: mysql_native_password). Each grant is what stands between GRANT and TO, as in
// "SELECT ON app.*".
func (s *Server) CreateUser(ctx context.Context, user, password string, grants ...string) error {
	statements := []string{fmt.Sprintf("CREATE USER %s@'%%' IDENTIFIED BY %s", quote(user), quote(password))}
	for _, grant := range grants {
		statements = append(statements, fmt.Sprintf("GRANT %s TO %s@'%%'", grant, quote(user)))
	}
	return s.Exec(ctx, statements...)
}

func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// onSocket runs f on one connection over the Unix socket. The socket is in the server's own folder, so what answers
// there is that server and no other.
func onSocket(ctx context.Context, socket string, account Account, f func(*sql.Conn) error) error {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd = "unix", socket, account.User, account.Password
	c.Logger = &mysql.NopLogger{} // a server that is starting or ending hangs up; the error says it all
	db, err := open(c)
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", socket, err)
	}
	defer conn.Close()
	return f(conn)
}
