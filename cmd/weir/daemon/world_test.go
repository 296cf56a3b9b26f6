package daemon

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	dto "github.com/prometheus/client_model/go"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// world is a source, a Weir in front of it, and ways to talk to both.
type world struct {
	t      testing.TB
	flavor sandbox.Flavor
	source *sandbox.Server
	weir   *Daemon
	stop   func()
	seams  seams
	// watching looks at what the source does, see [world.watcher].
	watching *client
}

// weirGrants are what the README tells people to grant.
var weirGrants = []string{"SELECT, SHOW VIEW, TRIGGER, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT ON *.*"}

// newWorld starts a source and a Weir that follows it; configure may change its configuration.
func newWorld(t testing.TB, o sandbox.Options, configure func(*Config)) *world {
	t.Helper()
	w := newSource(t, o)
	w.start(configure)
	return w
}

// newSource starts a source alone; start then starts the Weir.
func newSource(t testing.TB, o sandbox.Options) *world {
	t.Helper()
	semiSync := o.SemiSync
	w := &world{t: t, flavor: o.Flavor, source: sandboxtest.Server(t, o)}
	if semiSync { // until the test wants it, or every commit would wait
		w.must(w.source.SetSemiSync(t.Context(), false))
	}
	w.must(w.source.CreateUser(t.Context(), "weir", "weir-secret", weirGrants...))
	w.must(w.source.CreateUser(t.Context(), "app", "app-secret", "ALL PRIVILEGES ON *.*", "GRANT OPTION ON *.*"))
	return w
}

// start runs a Weir, and waits until it serves from the cache.
func (w *world) start(configure func(*Config)) {
	w.t.Helper()
	w.launch(configure)
	w.ready()
}

// launch runs a Weir, which at first serves nothing from the cache.
func (w *world) launch(configure func(*Config)) {
	w.t.Helper()
	w.seams.history = 1 << 16
	d, err := open(w.t.Context(), w.config(configure), slog.New(slog.NewTextHandler(testWriter{w.t}, nil)), w.seams)
	w.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	w.weir = d
	w.stop = func() {
		cancel()
		w.must(<-done)
		w.stop = func() {}
	}
	w.t.Cleanup(func() { w.stop() })
}

// config is that of a Weir in front of the source; configure may change it.
func (w *world) config(configure func(*Config)) Config {
	cfg := Default()
	cfg.Listen, cfg.Admin = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = w.source.Addr(), "weir", "weir-secret"
	cfg.Source.TLS.Mode = tlsDisabled // some tests look at what is sent
	cfg.Users = []User{{Name: "app", Password: "app-secret"}, {Name: "app2", Password: "app2-secret"}}
	if configure != nil {
		configure(&cfg)
	}
	return cfg
}

func (w *world) ready() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	w.must(w.weir.WaitReady(ctx))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// caughtUp returns when everything that was committed before the call is recorded, and the catalogue is not being read.
func (w *world) caughtUp() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	p, err := w.weir.source.Position(ctx)
	w.must(err)
	w.must(w.weir.ledger.WaitHead(ctx, p.Seq))
	w.eventually("the cache may serve", func() bool { return w.weir.notReady() == "" })
}

// eventually polls until it holds, for up to 20 seconds.
func (w *world) eventually(what string, holds func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			w.t.Fatalf("after 20 seconds it is still not true that %s%s", what, w.condition())
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // polls, with a deadline
	}
}

// condition is what may explain why something did not come about; nothing of a Weir that runs elsewhere.
func (w *world) condition() string {
	if w.weir == nil {
		return ""
	}
	return fmt.Sprintf(" (not ready: %q; head %s; stream %+v; %s)", w.weir.notReady(), w.weir.ledger.Head(), w.weir.changes.State(), w.counters())
}

// proxy opens one connection through Weir.
func (w *world) proxy(user, schema string) *client {
	return w.connect(w.weir.Addr(), user, user+"-secret", schema)
}

// direct opens one connection to the source as the same account.
func (w *world) direct(user, schema string) *client {
	return w.connect(w.source.Addr(), user, user+"-secret", schema)
}

func (w *world) connect(addr, user, password, schema string) *client {
	w.t.Helper()
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", addr, user, password, schema
	c.MultiStatements = true
	connector, err := mysql.NewConnector(c)
	w.must(err)
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	w.t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(w.t.Context())
	if err != nil {
		return &client{world: w, refused: err, hangUp: func() {}}
	}
	w.t.Cleanup(func() { conn.Close() })
	return &client{world: w, conn: conn, hangUp: func() { conn.Close(); db.Close() }}
}

// client is one connection.
type client struct {
	world   *world
	conn    *sql.Conn
	refused error // why there is no connection: the answer to everything
	hangUp  func()
	// prepares says that statements are prepared where the servers can do that.
	prepares bool
}

// answer is a result as text, or the error's number.
type answer string

// ask runs a statement and returns what came back: columns, rows, or an error.
func (c *client) ask(query string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if c.refused != nil {
		return errorAnswer(c.refused)
	}
	rows, err := c.query(ctx, query)
	if err != nil {
		return errorAnswer(err)
	}
	defer rows.Close()
	var b strings.Builder
	for more := true; more; more = rows.NextResultSet() {
		if err := writeResult(&b, rows); err != nil {
			return errorAnswer(err)
		}
	}
	return answer(b.String())
}

// query sends a statement, as text unless the client prepares what it can.
func (c *client) query(ctx context.Context, query string) (*sql.Rows, error) {
	if !c.prepares || strings.HasPrefix(query, "SHOW WARNINGS") { // MySQL cannot prepare it, and then warns of that
		return c.conn.QueryContext(ctx, query)
	}
	st, err := c.conn.PrepareContext(ctx, query)
	var said *mysql.MySQLError
	switch {
	case errors.As(err, &said) && (said.Number == 1295 || said.Number == 1064): // not to be prepared, or several in one
		return c.conn.QueryContext(ctx, query)
	case err != nil:
		return nil, err
	}
	c.world.t.Cleanup(func() { st.Close() })
	return st.QueryContext(ctx)
}

// prepare asks for a prepared statement in the binary protocol and closes it again.
func (c *client) prepare(query string) answer {
	st, err := c.conn.PrepareContext(c.world.t.Context(), query)
	if err != nil {
		return errorAnswer(err)
	}
	if err := st.Close(); err != nil {
		return errorAnswer(err)
	}
	return ""
}

func writeResult(b *strings.Builder, rows *sql.Rows) error {
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	b.WriteString(strings.Join(columns, "|") + "\n")
	values := make([]sql.NullString, len(columns))
	pointers := make([]any, len(columns))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		for i, v := range values {
			if i > 0 {
				b.WriteByte('|')
			}
			if v.Valid {
				b.WriteString(v.String)
			} else {
				b.WriteString("NULL")
			}
		}
		b.WriteByte('\n')
	}
	return rows.Err()
}

func errorAnswer(err error) answer {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return answer(fmt.Sprintf("error %d", e.Number))
	}
	return answer("error: " + err.Error())
}

// run runs a statement that must succeed.
func (c *client) run(query string) {
	c.world.t.Helper()
	if a := c.ask(query); strings.HasPrefix(string(a), "error") {
		c.world.t.Fatalf("%s: %s", query, a)
	}
}

// asked runs a statement and reports whether it was a hit. Nothing else may use Weir meanwhile.
func (c *client) asked(query string) (a answer, hit bool) {
	before := c.world.counter("weir_statements_total", "outcome", "hit")
	a = c.ask(query)
	return a, c.world.counter("weir_statements_total", "outcome", "hit") > before
}

// warm runs a query until it is answered from the cache. A fill that comes right after a change may be refused, so it
// may take some tries.
func (c *client) warm(query string) {
	c.world.t.Helper()
	c.world.eventually("the query is a hit: "+query, func() bool {
		_, hit := c.asked(query)
		return hit
	})
}

// counter reads a metric of Weir's; label and value may be empty.
func (w *world) counter(name, label, value string) float64 {
	w.t.Helper()
	families, err := w.weir.registry.Gather()
	w.must(err)
	for _, f := range families {
		if f.GetName() == name {
			return sumOf(f.GetMetric(), label, value)
		}
	}
	w.t.Fatalf("there is no metric %s", name)
	return 0
}

func sumOf(ms []*dto.Metric, label, value string) (sum float64) {
	for _, m := range ms {
		if label != "" && !hasLabel(m, label, value) {
			continue
		}
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return sum
}

func hasLabel(m *dto.Metric, label, value string) bool {
	for _, l := range m.GetLabel() {
		if l.GetName() == label && l.GetValue() == value {
			return true
		}
	}
	return false
}

// testWriter sends Weir's log to the test's.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	if w.t.Context().Err() == nil { // the test has not ended
		w.t.Log(strings.TrimRight(string(b), "\n"))
	}
	return len(b), nil
}

// counters lists what is not zero of what was not cached, and why.
func (w *world) counters() string {
	families, err := w.weir.registry.Gather()
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, f := range families {
		switch f.GetName() {
		case "weir_cache_stores_refused_total", "weir_not_cacheable_total", "weir_statements_total", "weir_backend_connect_errors_total":
			for _, m := range f.GetMetric() {
				if v := m.GetCounter().GetValue(); v > 0 {
					fmt.Fprintf(&b, "%s%v=%v ", f.GetName(), m.GetLabel(), v)
				}
			}
		}
	}
	return b.String()
}
