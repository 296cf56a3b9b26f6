package explain

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"weir/cmd/weir/daemon"
	explaining "weir/proxy/explain"
)

// Options are those of the command line.
type Options struct {
	Statement string
	// Config is a file, Server an address; one of them may be empty, and both: then the address is the default.
	Config, Server           string
	User, Password, Database string
	JSON                     bool
	Color                    bool
	Out                      io.Writer
}

// timeout is for the whole of it.
const timeout = 30 * time.Second

// Run asks and prints. It returns a [VerdictError] if the statement would not be answered from the cache or stored.
func Run(ctx context.Context, o Options) error {
	a, err := o.account()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	b, err := a.ask(ctx, o.Statement)
	if err != nil {
		return err
	}
	var e explaining.Explanation
	if err := json.Unmarshal(b, &e); err != nil {
		return fmt.Errorf("read what %s says: %w; is it a Weir of another version?", a.addr, err)
	}
	if o.JSON {
		_, err = o.Out.Write(append(bytes.TrimSpace(b), '\n'))
	} else {
		err = Print(o.Out, &e, o.Color)
	}
	if err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return exitOf(e.Verdict)
}

// account is who asks, and where.
type account struct{ addr, user, password, database string }

// account takes what the flags say, and else what the file says.
func (o Options) account() (account, error) {
	a := account{addr: o.Server, user: o.User, password: o.Password, database: o.Database}
	if a.addr == "" && o.Config == "" {
		a.addr = daemon.Default().Listen
	}
	if o.Config != "" {
		cfg, err := daemon.Load(o.Config)
		if err != nil {
			return a, err
		}
		a.fill(cfg)
	}
	if a.user == "" {
		return a, errors.New("it is not said which account asks; give --config weir.yaml, or --user and --password")
	}
	return a, nil
}

// fill takes from the file what is missing. The password goes with the account.
func (a *account) fill(cfg daemon.Config) {
	if a.addr == "" {
		a.addr = cfg.Listen
	}
	known := append(cfg.Users[:len(cfg.Users):len(cfg.Users)], daemon.User{Name: cfg.Source.User, Password: cfg.Source.Password})
	for _, u := range known {
		if a.user == "" || a.user == u.Name && a.password == "" {
			a.user, a.password = u.Name, string(u.Password)
			return
		}
	}
}

// ask sends the statement as a text, as which it is to be explained.
func (a account) ask(ctx context.Context, statement string) ([]byte, error) {
	db, err := a.open()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var b []byte
	switch err := db.QueryRowContext(ctx, "EXPLAIN CACHE FORMAT=JSON "+statement).Scan(&b); {
	case err == nil:
		return b, nil
	case isRefused(err):
		return nil, fmt.Errorf("nobody listens on %s; start a Weir there with weir serve, or say where one is with --server: %w", a.addr, err)
	default:
		return nil, a.explained(err)
	}
}

func (a account) open() (*sql.DB, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", a.addr, a.user, a.password, a.database
	if a.addr != "" && a.addr[0] == '/' {
		c.Net = "unix"
	}
	c.TLSConfig = "preferred" // with Weir's certificate, whoever has signed it, if it has one
	c.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", a.addr, err)
	}
	return sql.OpenDB(connector), nil
}

func isRefused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// Error numbers of servers.
const (
	accessDenied = 1045
	noDatabase   = 1046
	syntaxError  = 1064
)

// explained adds to what the server says what to do about it.
func (a account) explained(err error) error {
	var said *mysql.MySQLError
	if !errors.As(err, &said) {
		return fmt.Errorf("ask %s: %w", a.addr, err)
	}
	switch said.Number {
	case accessDenied:
		return fmt.Errorf("%s does not let %s in (%w); give another account with --user and --password", a.addr, a.user, err)
	case noDatabase:
		return fmt.Errorf("%w; give one with --database, or write it in front of the table's name", err)
	case syntaxError:
		return fmt.Errorf("%w; if the statement is right, %s may be a server and not a Weir: --server takes the port of listen", err, a.addr)
	}
	return err
}
