package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"weir/cache"
	"weir/proxy/login"
	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// maxCachedText is the longest text that is looked up in the cache, in bytes.
const maxCachedText = 64 << 10

// session is one client's connection. Its goroutine owns everything in it but the fields of atomic types.
type session struct {
	server  *Server
	net     net.Conn
	client  *login.Session
	reader  *wire.Reader
	id      uint32
	account *account

	poolKey poolKey
	initial state // as after the login
	// within is the default schema if that is one of Weir's own, of which no server knows; entered is that of the login.
	within, entered string
	state           state
	defaults        defaults
	// calledSince is the last change of accounts when a server said what it calls the session's account.
	calledSince cache.Mark

	prefix []byte // of keys
	// generation counts how often the prefix was made.
	generation uint64
	// keys are two buffers that take turns, so that the text of the last statement is still there when the next one
	// asks for what it left.
	keys [2][]byte
	turn int

	// pinned is the backend connection that only this session may use, for as long as pins says so.
	pinned *conn
	pins   pins
	// insertID is what LAST_INSERT_ID() is for the session.
	insertID insertID
	// tx is the transaction on it, if some of its reads may be hits; else nil, in a transaction or not.
	tx *transaction
	// bypass says why nothing is cached for this session; empty if it is.
	bypass string
	// doubts are writes of which it is not yet known whether they fired a trigger; nothing is a hit until it is.
	doubts []doubted
	// unsafe says that nothing is cached under the settings, as long as they are these.
	unsafe bool
	// assigned are the variables that a SET may have changed on the pinned connection and that it was not asked for yet;
	// nil if the settings are known. See track.go.
	assigned []string
	// staleness is the session's own bound on how old an answer from the cache may be; 0 means never from the cache.
	staleness time.Duration
	// variables are the session's own values of the query cache's.
	variables querycache.Session
	// strips: comments are left out of keys, see [session.mayStrip].
	strips bool
	// grants are the account's privileges, as far as somebody has asked for them.
	grants grants
	// directed is the bound that the statement being answered asks for; 0 if it asks for none.
	directed time.Duration
	// fence is the moment of the session's last write, on the ledger's clock: an answer must be newer.
	fence time.Duration
	owed  owed
	// last is the last statement if it was not answered on the pinned connection: see [session.replay].
	last said

	handles handles
	named   map[string]named
	// absence is of a session without a client, see [Server.Refill]; else nil.
	absence *absence

	running running
	tally   tally
	silence silence
	// owner is the name in user, for the goroutines of others.
	owner atomic.Pointer[string]
	// cancel ends the session's context; deserted: the client has hung up, and somebody ends its statement.
	cancel   context.CancelCauseFunc
	deserted atomic.Bool

	quiet    atomic.Bool // waits for a command, outside a transaction
	counters *counters
	out      []byte
}

// pins are the reasons for which a connection stays with the session.
type pins struct {
	stateful bool // something was left on it that Weir does not follow
	brief    bool // something was left on it that can be asked for until another read has run; and LAST_INSERT_ID()
	oneShot  bool // the next transaction has settings of its own
	locked   bool // LOCK TABLES: what is read beside the connection would wait for it
	prepared int  // statements that are prepared on it for good, and cursors that are open on it
}

// run serves the client until it leaves, or the proxy stops.
func (s *session) run(ctx context.Context) {
	defer s.leave()
	for {
		payload, err := s.next()
		if err != nil {
			s.farewell(err)
			return
		}
		if err := s.handle(ctx, payload); err != nil {
			s.farewell(err)
			return
		}
	}
}

var errQuit = errors.New("the client quits")

// next waits for a command.
func (s *session) next() (payload []byte, err error) {
	s.reader.Expect(0)
	s.publish()
	s.quiet.Store(s.pinned == nil || !s.pinned.inTransaction())
	if s.server.stopping.cut.Load() || s.server.stopping.begun.Load() && s.quiet.Load() {
		return nil, errShutdown
	}
	payload, err = s.receive()
	s.quiet.Store(false)
	if err == nil && len(payload) == 0 {
		err = wire.Errorf(wire.CodeUnknownCommand, "Unknown command: a packet of no bytes")
	}
	if err != nil && s.server.stopping.begun.Load() && errors.Is(err, os.ErrDeadlineExceeded) {
		err = errShutdown
	}
	return payload, err
}

// farewell tells the client why it is cut off, where that helps.
func (s *session) farewell(err error) {
	var said *wire.Error
	var large *wire.TooLargeError
	switch {
	case errors.Is(err, errQuit), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return
	case errors.Is(err, errIdle):
		if said = s.idleFarewell(); said == nil {
			return
		}
	case errors.As(err, &large):
		said = wire.Errorf(wire.CodePacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	case !errors.As(err, &said):
		s.server.log.Debug("client cut off", "connection", s.id, "error", err)
		return
	}
	s.net.SetWriteDeadline(time.Now().Add(time.Second))
	_ = s.writeError(said) // it is cut off either way
}

// leave gives back what the session holds.
func (s *session) leave() {
	s.net.Close()
	s.unpin()
}

// handle answers one command. An error ends the session.
func (s *session) handle(ctx context.Context, payload []byte) error {
	command, args := wire.Command(payload[0]), payload[1:]
	switch command {
	case wire.ComQuery:
		return s.query(ctx, args)
	case wire.ComPing:
		return s.ok()
	case wire.ComQuit:
		return errQuit
	case wire.ComInitDB:
		return s.use(ctx, string(args)) // the settings may be unknown: it does not depend on them
	case wire.ComStatistics:
		return s.statistics()
	case wire.ComResetConnection:
		return s.reset(ctx)
	case wire.ComChangeUser:
		return s.changeUser(ctx, payload)
	case wire.ComProcessKill:
		return s.processKill(ctx, args)
	case wire.ComSetOption:
		return s.setOption(args)
	case wire.ComFieldList:
		return s.fieldList(ctx, args)
	case wire.ComStmtPrepare, wire.ComStmtExecute, wire.ComStmtSendLongData, wire.ComStmtClose, wire.ComStmtReset, wire.ComStmtFetch:
		return s.statementCommand(ctx, command, args)
	}
	return s.writeError(wire.Errorf(wire.CodeUnknownCommand, "Weir does not support %s", command))
}

// writeError answers with an error.
func (s *session) writeError(e *wire.Error) error { return s.writeMessage(e) }

// ok answers with an OK packet that says nothing happened.
func (s *session) ok() error { return s.writeMessage(wire.OK{Status: s.status()}) }

// status is what the client should think of its session.
func (s *session) status() wire.Status {
	if s.pinned != nil {
		return s.pinned.status
	}
	return wire.StatusAutocommit | s.modeStatus()
}

func (s *session) writeMessage(m wire.Message) error {
	s.out, _ = wire.AppendPacket(s.out[:0], s.reader.Sequence(), m)
	return s.write(s.out)
}

func (s *session) write(b []byte) error {
	_, err := s.net.Write(b)
	return err
}

// writeSlowly is for what streams from a backend, whose connection must not be held for ever by a client that has
// stopped reading.
func (s *session) writeSlowly(b []byte) error {
	s.net.SetWriteDeadline(time.Now().Add(s.server.cfg.WriteTimeout))
	defer s.net.SetWriteDeadline(time.Time{})
	return s.write(b)
}

func (s *session) statistics() error {
	return s.writeMessage(wire.Payload(s.server.statistics()))
}

// ownCharsets is what COM_RESET_CONNECTION does on MySQL to what the handshake said of character sets.
const ownCharsets = "SET character_set_client = DEFAULT, character_set_results = DEFAULT, collation_connection = DEFAULT"

// reset answers COM_RESET_CONNECTION: the session is as after the login. But on MySQL its character sets are the server's
// own then, not those of the handshake.
func (s *session) reset(ctx context.Context) error {
	s.forget()
	if s.server.facts.Flavor != statement.MySQL {
		return s.ok()
	}
	text := []byte(ownCharsets)
	return s.set(ctx, querying(text, text, s.analyze(ownCharsets)))
}

// unpin gives the pinned connection up, whatever is on it.
func (s *session) unpin() {
	if s.pinned != nil {
		s.partWith(s.pinned)
	}
	s.pinned, s.pins, s.tx = nil, pins{}, nil
}

func (s *session) setState(st state) {
	s.state = st
	if st.schema != "" {
		s.within = ""
	}
	s.limitSilence()
	s.unsafe = st.settings.unsafeReason() != ""
	s.makePrefix()
}

// setOption answers COM_SET_OPTION, which allows several statements in a text (0) or forbids it (1).
func (s *session) setOption(args []byte) error {
	if len(args) != 2 || args[0] > 1 || args[1] != 0 {
		return s.writeError(wire.Errorf(wire.CodeUnknownCommand, "Unknown option in COM_SET_OPTION"))
	}
	if err := s.setOptionPinned(args); err != nil {
		return err
	}
	s.poolKey.flags |= wire.ClientMultiStatements
	if args[0] == 1 {
		s.poolKey.flags &^= wire.ClientMultiStatements
	}
	s.makePrefix()
	return s.writeMessage(wire.EOF{Status: s.status()})
}

// setOptionPinned sets the option on the connection that the session holds, which is then no longer what its pool has.
func (s *session) setOptionPinned(args []byte) error {
	if s.pinned == nil {
		return nil
	}
	s.pinned.odd = true
	r := response{hold: maxOwn}
	err := s.pinned.roundTrip(wire.ComSetOption, args, &r)
	if err == nil {
		err = r.err()
	}
	if err != nil {
		s.drop(s.pinned)
		return fmt.Errorf("%w: %w", errStateLost, err)
	}
	return nil
}

func newSession(srv *Server, nc net.Conn, client *login.Session, id uint32) *session {
	s := &session{
		server: srv, net: nc, client: client, reader: client.Reader, id: id,
		counters: srv.metrics.countersFor(id), defaults: srv.lastDefaults(), tally: tally{born: time.Now()},
	}
	s.begin()
	return s
}

// begin takes over what the login, or a change of user, has established.
func (s *session) begin() {
	c := s.client
	s.account = s.server.users.of(c.User, c.Password)
	s.defaults.account = s.account.lastCalled()
	owner := c.User
	s.owner.Store(&owner)
	s.poolKey = poolKey{user: c.User, password: s.account.password, collation: collationByte(c.Collation), flags: c.Capabilities & poolFlags}
	s.initial, s.entered = state{schema: c.Database}, ""
	if s.inWeir(c.Database) {
		s.initial, s.entered = state{}, c.Database
	}
	s.forget()
}

// forget makes the session as it was after the login.
func (s *session) forget() {
	s.unpin()
	s.doubts = nil
	s.bypass, s.last, s.handles, s.named, s.assigned = "", said{}, handles{}, nil, nil
	s.staleness, s.owed.asked = s.server.cfg.MaxStaleness, cache.Mark{}
	s.insertID, s.grants = insertID{}, grants{}
	s.variables = s.server.settings.Session()
	s.setState(s.initial)
	s.within = s.entered
}

// enter borrows a connection for the account and the database, and learns from it with what settings sessions start.
// What the backend says against it, the client is told.
func (s *session) enter(ctx context.Context) error {
	c, err := s.server.admit(ctx, s)
	if said := s.server.refusal(s, err); said != nil {
		return errors.Join(said, s.client.Refuse(said))
	}
	if err == nil {
		s.adopt(c.defaults)
		c.pool.put(c)
		s.adoptCollation(ctx) // with an account that is known to be right
	}
	s.server.add(s) // before the client can tell anybody its connection's number
	return s.client.Welcome(s.status())
}

// changeUser answers COM_CHANGE_USER, whose payload has just been read.
func (s *session) changeUser(ctx context.Context, payload []byte) error {
	if err := s.client.ChangeUser(ctx, payload); err != nil {
		return err
	}
	s.begin()
	return s.enter(ctx)
}
