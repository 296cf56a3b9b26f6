package daemon

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// account is what a driver is told to connect with.
type account struct{ addr, user, password, schema string }

// speaker is one connection through one driver. It answers with one line: see testdata/drivers/README.md.
type speaker interface {
	// ask runs a statement by a protocol, text or prepared. The values are for a prepared one's question marks.
	ask(protocol, query string, values ...string) string
}

// opening connects, and returns what the driver says to that: ok, or the error.
type opening func(t *testing.T, a account) (s speaker, said string)

// program opens connections by starting a program of testdata/drivers.
func program(command string, more ...string) opening {
	return func(t *testing.T, a account) (speaker, string) {
		t.Helper()
		host, port, err := net.SplitHostPort(a.addr)
		if err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(command), host, port, a.user, a.password, a.schema)
		return startProcess(t, append(args, more...))
	}
}

// process is a running program that speaks through a driver.
type process struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Reader
	said *lines // what it printed where errors go
}

// lines are what a program prints, which may be looked at while it still does.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String gives what there is so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// answering is more than any driver may take for an answer, or for starting, on a machine that is busy.
const answering = 2 * time.Minute

func startProcess(t *testing.T, args []string) (speaker, string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	c.Dir, c.Env = "testdata/drivers", append(os.Environ(), "LC_ALL=C.UTF-8")
	p := &process{t: t, said: &lines{}}
	c.Stderr = p.said
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatalf("%v: deployments/sandbox/drivers.sh installs what is missing", err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		in.Close()
		killed := time.AfterFunc(answering, func() { _ = c.Process.Kill() })
		defer killed.Stop()
		_ = c.Wait() // it was refused, or has been asked all there was to ask
	})
	return p, p.line()
}

func (p *process) ask(protocol, query string, values ...string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(append([]string{protocol, query}, values...), "\t")+"\n"); err != nil {
		p.t.Fatalf("tell the driver: %v: %s", err, p.said)
	}
	return p.line()
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the driver ended: %v: %s", err, p.said)
	}
	return strings.TrimSuffix(line, "\n")
}

// inProcess opens connections with the driver that the tests themselves use.
func inProcess(configure func(*mysql.Config)) opening {
	return func(t *testing.T, a account) (speaker, string) {
		t.Helper()
		c := mysql.NewConfig()
		c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", a.addr, a.user, a.password, a.schema
		configure(c)
		connector, err := mysql.NewConnector(c)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { db.Close() })
		if err := db.PingContext(t.Context()); err != nil {
			return nil, goError(err)
		}
		return &goDriver{db, c.InterpolateParams}, "ok"
	}
}

// goDriver is database/sql, which prepares what has arguments unless its driver puts them into the text.
type goDriver struct {
	db            *sql.DB
	interpolating bool
}

func (d *goDriver) ask(protocol, query string, values ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), answering)
	defer cancel()
	var rows *sql.Rows
	var err error
	if protocol == "text" {
		rows, err = d.db.QueryContext(ctx, query)
	} else {
		rows, err = d.prepared(ctx, query, values)
	}
	if err != nil {
		return goError(err)
	}
	defer rows.Close()
	said, err := written(rows)
	if err != nil {
		return goError(err)
	}
	return "ok " + said
}

// prepared: a statement without arguments is prepared only if that is asked for.
func (d *goDriver) prepared(ctx context.Context, query string, values []string) (*sql.Rows, error) {
	if len(values) > 0 || d.interpolating {
		return d.db.QueryContext(ctx, query, goValues(values)...)
	}
	st, err := d.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { st.Close() })
	return st.QueryContext(ctx)
}

func goValues(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			out[i] = n
		}
	}
	return out
}

func written(rows *sql.Rows) (string, error) {
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values, pointers := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	var b strings.Builder
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return "", err
		}
		for _, v := range values {
			fmt.Fprintf(&b, "%T %v|", v, readable(v))
		}
		b.WriteByte(';')
	}
	return b.String(), rows.Err()
}

func readable(v any) any {
	if b, ok := v.([]byte); ok {
		return strings.Trim(strconv.Quote(string(b)), `"`)
	}
	return v
}

func goError(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d %s", e.Number, e.Message)
	}
	return "error 0 " + err.Error()
}
