package daemon

import (
	"bytes"
	le "encoding/binary"
	"errors"
	"fmt"
	"net"
	"regexp"
	"sync"
	"testing"

	"weir/proxy/wire"
)

// repeater stands between a client and a server, and asks each SELECT that reads tables twice. The client gets the
// second answer: behind a Weir that is the one from the cache, if there is one. In front of a server without Weir it
// does the same, so that both servers see the same statements.
type repeater struct {
	l      net.Listener
	target string
	// settle is called before a SELECT that is asked twice, when something else was said since the last one.
	settle func()
	// once says to ask nothing twice, and only to settle; also before what asks the cache itself, or about it.
	once bool
	// texts are the statements that were asked, in any order.
	texts map[string]bool

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	moved bool // something was said that may have changed something,
	fresh bool // and it was something else than rows
}

func newRepeater(t testing.TB, target string, once bool, settle func()) *repeater {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &repeater{l: l, target: target, once: once, settle: settle, texts: map[string]bool{}, conns: map[net.Conn]struct{}{}}
	var all sync.WaitGroup
	all.Go(func() { r.accept(&all) })
	t.Cleanup(func() {
		l.Close()
		r.cut()
		all.Wait()
	})
	return r
}

func (r *repeater) port() string {
	_, port, _ := net.SplitHostPort(r.l.Addr().String())
	return port
}

func (r *repeater) accept(all *sync.WaitGroup) {
	for {
		client, err := r.l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			client.Close()
			continue
		}
		r.keep(client, server)
		all.Go(func() {
			defer r.forget(client, server)
			p := &repeated{
				repeater: r, client: client, server: server, reads: map[uint32]bool{},
				fromClient: wire.NewReader(client), fromServer: wire.NewReader(server),
			}
			if p.login() == nil {
				p.serve()
			}
		})
	}
}

func (r *repeater) keep(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		r.conns[c] = struct{}{}
	}
}

func (r *repeater) forget(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(r.conns, c)
	}
}

// cut closes all connections.
func (r *repeater) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.Close()
	}
}

// said notes a command that may have changed something. A Weir has to know a table before somebody writes to it, or it
// takes the write for one that may fire triggers: after what is no write of rows, it is given the time.
func (r *repeater) said(payload []byte) {
	rows := writesRows.Match(payload[1:])
	if rows && r.take(&r.fresh) {
		r.settle()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved, r.fresh = true, r.fresh || !rows
}

// take returns whether something was noted, and forgets it.
func (r *repeater) take(noted *bool) (was bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, *noted = *noted, false
	return was
}

// repeated is one connection.
type repeated struct {
	*repeater
	client, server         net.Conn
	fromClient, fromServer *wire.Reader
	reads                  map[uint32]bool // the prepared statements that are executed twice
}

// unfollowed are the capabilities under which the end of an answer could not be found, or nothing be read at all.
const unfollowed = wire.ClientSSL | wire.ClientCompress | wire.ClientZstd | wire.ClientLocalFiles | wire.ClientDeprecateEOF |
	wire.ClientOptionalMetadata | wire.ClientQueryAttributes | wire.ClientSessionTrack

// login passes the connection phase on. The server is not let offer what could not be followed.
func (p *repeated) login() error {
	greeting, err := p.fromServer.ReadPacket(wire.MaxPayload)
	if err != nil || wire.IsError(greeting) {
		return errors.Join(err, p.send(p.client, 0, greeting), errors.New("no greeting"))
	}
	h, err := wire.DecodeHandshake(greeting)
	if err != nil {
		return err
	}
	h.Capabilities &= 1<<32 - 1
	h.Capabilities &^= unfollowed
	if err := p.send(p.client, 0, h.Append(nil)); err != nil {
		return err
	}
	p.fromClient.Expect(1)
	return p.prove(true)
}

// prove passes packets to and fro until the server has let the client in. It begins with one of the client's, or not.
func (p *repeated) prove(client bool) error {
	for {
		if client {
			if err := p.pass(p.fromClient, p.server, p.fromServer); err != nil {
				return err
			}
		}
		answer, err := p.fromServer.ReadPacket(wire.MaxPayload)
		if err != nil || len(answer) == 0 {
			return fmt.Errorf("login: %w", err)
		}
		if err := p.send(p.client, p.fromServer.Sequence()-1, answer); err != nil {
			return err
		}
		p.fromClient.Expect(p.fromServer.Sequence())
		switch {
		case answer[0] == wire.HeaderOK:
			return nil
		case answer[0] == wire.HeaderErr:
			return errors.New("the server does not let the client in")
		}
		client = !bytes.Equal(answer, []byte{1, 3}) // caching_sha2_password: no more is asked of the client
	}
}

// pass passes one packet on.
func (p *repeated) pass(from *wire.Reader, to net.Conn, answers *wire.Reader) error {
	payload, err := from.ReadPacket(wire.MaxPayload)
	if err != nil {
		return err
	}
	answers.Expect(from.Sequence())
	return p.send(to, from.Sequence()-1, payload)
}

func (p *repeated) send(to net.Conn, seq uint8, payload []byte) error {
	b, _ := wire.AppendPacket(nil, seq, wire.Payload(payload))
	_, err := to.Write(b)
	return err
}

// serve passes commands and answers on until one side leaves.
func (p *repeated) serve() {
	for {
		p.fromClient.Expect(0)
		payload, err := p.fromClient.ReadPacket(1 << 30)
		if err != nil || len(payload) == 0 {
			return
		}
		answer, err := p.command(payload)
		if err != nil || payload[0] == byte(wire.ComQuit) {
			return
		}
		if _, err := p.client.Write(answer); err != nil {
			return
		}
	}
}

func (p *repeated) command(payload []byte) (answer []byte, err error) {
	p.note(payload)
	switch command := wire.Command(payload[0]); {
	case command == wire.ComChangeUser:
		return nil, p.changeUser(payload)
	case command == wire.ComStmtPrepare:
		return p.prepare(payload)
	case command == wire.ComStmtClose:
		return p.ask(payload)
	case command == wire.ComQuery && toRunner.Match(payload[1:]):
		answer, _ := wire.AppendPacket(nil, 1, wire.OK{Status: wire.StatusAutocommit})
		return answer, nil
	case !p.twice(payload):
		if p.once && asksCache.Match(payload[1:]) && p.take(&p.moved) {
			p.settle()
		}
		if command != wire.ComStmtExecute { // what it says was said when it was prepared
			p.said(payload)
		}
		return p.ask(payload)
	}
	if p.take(&p.moved) {
		p.settle()
	}
	if p.once {
		return p.ask(payload)
	}
	if _, err := p.ask(payload); err != nil {
		return nil, err
	}
	return p.ask(payload)
}

// note keeps the text of a statement.
func (r *repeater) note(payload []byte) {
	if c := wire.Command(payload[0]); c == wire.ComQuery || c == wire.ComStmtPrepare {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.texts[string(payload[1:])] = true
	}
}

// asksCache is what an answer may come from the cache for without saying so, and what says what is in it.
var asksCache = regexp.MustCompile(`(?i)^\s*(execute|call|handler|select|show\s+(session\s+|global\s+)?status)\b`)

var (
	writesRows  = regexp.MustCompile(`(?i)^\s*(insert|replace|update|delete|load)\b`)
	readsTables = regexp.MustCompile(`(?is)^[\s(]*(select|with|values|table)\b.*\bfrom\b`)
	asksBack    = regexp.MustCompile(`(?i)@|\binto\b|found_rows|row_count|last_insert_id|sleep|get_lock|nextval|lastval`)
)

// toRunner is meant for the runner of the suite, which there is none of here; and after a CALL of anything Weir caches
// nothing for the session.
var toRunner = regexp.MustCompile(`(?i)^\s*call mtr\.add_suppression\(`)

// twice reports whether a command is asked twice: a read of tables, which is not about the statement before it and does
// not set anything.
func (p *repeated) twice(payload []byte) bool {
	switch wire.Command(payload[0]) {
	case wire.ComQuery:
		return isRepeatable(payload[1:])
	case wire.ComStmtExecute:
		return len(payload) >= 5 && p.reads[le.LittleEndian.Uint32(payload[1:])]
	}
	return false
}

func isRepeatable(text []byte) bool { return readsTables.Match(text) && !asksBack.Match(text) }

// prepare notes whether the statement will be executed twice.
func (p *repeated) prepare(payload []byte) ([]byte, error) {
	if !isRepeatable(payload[1:]) {
		p.said(payload)
	}
	answer, err := p.ask(payload)
	if err != nil || wire.IsError(answer[wire.HeaderSize:]) {
		return answer, err
	}
	st, err := wire.DecodePrepared(answer[wire.HeaderSize:][:12])
	if err != nil {
		return nil, err
	}
	p.reads[st.StatementID] = isRepeatable(payload[1:])
	return answer, nil
}

func (p *repeated) changeUser(payload []byte) error {
	p.fromServer.Expect(1)
	if err := p.send(p.server, 0, payload); err != nil {
		return err
	}
	return p.prove(false)
}

// ask sends a command and returns the whole answer, which is empty if the command has none.
func (p *repeated) ask(payload []byte) ([]byte, error) {
	if err := p.send(p.server, 0, payload); err != nil {
		return nil, err
	}
	command := wire.Command(payload[0])
	shape, ok := wire.ResponseTo(command)
	if !ok {
		return nil, fmt.Errorf("%s is not followed", command)
	}
	if shape == wire.ShapeNone {
		return nil, nil
	}
	return p.answer(shape, uint8(len(payload)/wire.MaxPayload)+1)
}

func (p *repeated) answer(shape wire.Shape, seq uint8) (all []byte, err error) {
	var s wire.Scanner
	s.Begin(shape)
	p.fromServer.Expect(seq)
	for done := false; !done; {
		raw, continuation, err := p.fromServer.ReadRaw()
		if err != nil {
			return nil, err
		}
		if done, err = s.Next(raw, continuation); err != nil {
			return nil, err
		}
		all = append(all, raw...)
	}
	return all, nil
}
