package proxy

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"weir/proxy/wire"
)

func says(code wire.Code) script {
	return func(c net.Conn) bool { return write(c, wire.Errorf(code, "no")) }
}

func hangsUp(net.Conn) bool { return false }

// diesInTheMiddle sends the first bytes of a result of which the client is to see nothing.
func diesInTheMiddle(bytes int) script {
	return func(c net.Conn) bool {
		_, _ = c.Write(resultOf("from", "the", "first")[:bytes])
		return false
	}
}

func failsAfterRows(code wire.Code) script {
	return func(c net.Conn) bool {
		whole := resultOf("from the first")
		end := whole[:len(whole)-len(eof())]
		b, _ := wire.AppendPacket(end, end[len(end)-len("from the first")-2]+1, wire.Errorf(code, "no"))
		_, err := c.Write(b)
		return err == nil
	}
}

func eof() []byte {
	b, _ := wire.AppendPacket(nil, 0, wire.EOF{})
	return b
}

// outcomeOf is what the client sees: the rows, or the error's number.
func outcomeOf(c *conn, text string) string {
	r := response{hold: 4 * maxOwn}
	if err := c.roundTrip(wire.ComQuery, []byte(text), &r); err != nil {
		return err.Error()
	}
	var said *wire.Error
	if errors.As(r.lastError(), &said) {
		return strconv.Itoa(int(said.Code))
	}
	rows, err := r.textRows()
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, row := range rows {
		out = append(out, strings.Join(row, "|"))
	}
	return strings.Join(out, ";")
}

// A read whose server fails is asked at another one, unless the failure is the statement's own, and the client notices
// nothing. No server is asked twice.
func TestReadIsAskedElsewhere(t *testing.T) {
	const read = "SELECT v FROM t"
	second := func(c net.Conn) bool { return rows(c, "from the second") }
	for _, tt := range []struct {
		name  string
		first script
		want  string
		asked int // how often the second server was
	}{
		{"it hangs up", hangsUp, "from the second", 1},
		{"it dies before the first row", diesInTheMiddle(20), "from the second", 1},
		{"it dies within the rows", diesInTheMiddle(len(resultOf("from", "the", "first")) - 12), "from the second", 1},
		{"it shuts down", says(wire.CodeServerShutdown), "from the second", 1},
		{"it shuts down after the first row", failsAfterRows(wire.CodeServerShutdown), "from the second", 1},
		{"it goes offline", says(wire.CodeOfflineMode), "from the second", 1},
		{"it has too many connections", nil, "from the second", 1},
		{"there is no such table", says(wire.CodeNoSuchTable), "1146", 0},
		{"the statement was killed", says(wire.CodeQueryInterrupted), "1317", 0},
		{"the statement fails after the first row", failsAfterRows(wire.CodeQueryTimeout), "3024", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := newFakeServer(t, "a", tt.first), newFakeServer(t, "b", second)
			srv, c := serveFakes(t, Reject, b, a.addr(), b.addr())
			srv.turn.Store(1) // the next one is a's
			if got := outcomeOf(c, read); got != tt.want {
				t.Errorf("the client gets %q, want %q", got, tt.want)
			}
			if tt.first != nil && len(a.statements()) != 1 || len(b.statements()) != tt.asked {
				t.Errorf("the first server was asked %q, the second %q", a.statements(), b.statements())
			}
		})
	}
}

// A server that refuses connections is down for everybody from then on; a full one is not.
func TestWhatTakesABackendDown(t *testing.T) {
	answers := func(c net.Conn) bool { return rows(c, "from the second") }
	gone := newFakeServer(t, "gone", hangsUp)
	gone.l.Close()
	for name, tt := range map[string]struct {
		first *fakeServer
		up    bool
	}{
		"it refuses connections": {gone, false},
		"it is full":             {newFakeServer(t, "full", nil), true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeServer(t, "b", answers)
			srv, c := serveFakes(t, Reject, b, tt.first.addr(), b.addr())
			for range 4 {
				if got := outcomeOf(c, "SELECT v FROM t WHERE @@port > 0"); got != "from the second" {
					t.Fatalf("the client gets %q", got)
				}
			}
			if got := srv.backends[0].up(); got != tt.up {
				t.Errorf("it is up: %v, want %v", got, tt.up)
			}
		})
	}
}

// With one server there is nobody else to ask when it says that it stops: MySQL says so of a killed statement, too.
func TestOneBackendThatStops(t *testing.T) {
	only := newFakeServer(t, "only", says(wire.CodeServerShutdown))
	_, c := serveFakes(t, Reject, only, only.addr())
	if got := outcomeOf(c, "SELECT v FROM t"); got != "1053" {
		t.Errorf("the client gets %q, want the server's own 1053", got)
	}
	if got := only.statements(); len(got) != 1 {
		t.Errorf("it was asked %q", got)
	}
}

// What may have written something is not asked again, whatever became of it.
func TestWritesAreNotAskedAgain(t *testing.T) {
	for _, text := range []string{"UPDATE t SET v = 1", "SELECT f(1)", "SELECT v FROM t WHERE f(v)", "CALL p()", "COMMIT"} {
		t.Run(text, func(t *testing.T) {
			a, b := newFakeServer(t, "a", hangsUp), newFakeServer(t, "b", hangsUp)
			srv, c := serveFakes(t, ToSource, a, a.addr(), b.addr())
			srv.turn.Store(1)
			if got := outcomeOf(c, text); got != "1105" {
				t.Errorf("the client gets %q", got)
			}
			if n := len(a.statements()) + len(b.statements()); n != 1 {
				t.Errorf("the servers were asked %q and %q", a.statements(), b.statements())
			}
		})
	}
}

// Backends that have as little to do take turns.
func TestEqualBackendsTakeTurns(t *testing.T) {
	all := []*backend{newBackend("a", nil), newBackend("b", nil), newBackend("c", nil)}
	s := &Server{backends: all, cfg: Config{Writes: Reject}}
	s.followed.Store(newBackend("source", nil))
	firsts := map[string]int{}
	for range 30 {
		firsts[s.order(nil)[0].addr]++
	}
	for _, b := range all {
		if firsts[b.addr] != 10 {
			t.Errorf("of 30 reads %s gets %d first", b.addr, firsts[b.addr])
		}
	}
}

func TestOrderOfBackends(t *testing.T) {
	for _, tt := range []struct {
		name   string
		writes Writes
		change func(a, b, c *backend)
		avoid  string
		want   string
	}{
		{"the least busy first", Reject, func(a, b, c *backend) { a.outstanding.Store(2); b.outstanding.Store(1) }, "", "c b a"},
		{"the one that failed last", Reject, func(a, b, c *backend) { a.outstanding.Store(2); b.outstanding.Store(1) }, "c", "b a c"},
		{"those that are down after those that lag", Reject, func(a, b, c *backend) { a.down.Store(true); b.lags(7) }, "", "c b a"},
		{"those that lag by how much", Reject, func(a, b, c *backend) { a.lags(8); b.lags(7); c.lags(9) }, "", "b a c"},
		{"the source before those that lag, where it takes writes", ToSource, func(a, b, c *backend) { a.lags(8); b.lags(7); c.lags(9) }, "", "source b a c"},
		{"not those that have what the source has not", Reject, func(a, b, c *backend) { a.errant.Store(true); b.errant.Store(true) }, "", "c"},
		{"not those that were the source and were not looked at since", Reject, func(a, b, c *backend) { a.leftAt.Store(7); b.outstanding.Store(1) }, "", "c b"},
		{"the source if none may", Reject, func(a, b, c *backend) { a.errant.Store(true); b.errant.Store(true); c.leftAt.Store(7) }, "", "source"},
		{"the source after those that are fit", ToSource, func(a, b, c *backend) { a.lags(8); c.down.Store(true) }, "", "b source a c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b, c := newBackend("a", nil), newBackend("b", nil), newBackend("c", nil)
			s := &Server{backends: []*backend{a, b, c}, cfg: Config{Writes: tt.writes}}
			s.followed.Store(newBackend("source", nil))
			tt.change(a, b, c)
			var avoid *backend
			for _, x := range s.backends {
				if x.addr == tt.avoid {
					avoid = x
				}
			}
			var got []string
			for _, x := range s.order(avoid) {
				got = append(got, x.addr)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func (b *backend) lags(by int64) {
	b.lag.Store(by)
	b.lagging.Store(true)
}
