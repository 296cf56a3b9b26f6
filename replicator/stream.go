package replicator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// stream runs one connection, from r.at on, until it ends.
func (r *Reader) stream(ctx context.Context) (err error) {
	s := &stream{reader: r, ctx: ctx, decoder: newDecoder(canalFlavor(r.at.identity.Flavor)), ended: r.at.ended}
	if s.end, err = r.at.seq(); err != nil {
		return lostPlace("%v", err)
	}
	s.assembler.prepared = r.prepared
	s.assembler.unknown = r.unknownEvent
	s.assembler.teller = newTeller(r.Precision, r.metrics.told)
	defer func() { r.prepared = s.assembler.prepared }()
	defer r.setStreaming(false)

	syncer := replication.NewBinlogSyncer(r.syncerConfig(s))
	defer syncer.Close()
	streamer, err := r.startSync(syncer)
	if err != nil {
		return fmt.Errorf("start the binlog stream: %w", cause(err))
	}
	r.setState(State{Connected: true, Since: time.Now()})
	_, err = streamer.GetEvent(ctx) // events go to HandleEvent; this returns when the stream ends
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("read the binlog: %w", cause(err))
}

// startSync starts from now by GTID on MySQL, whose position may be past transactions that its GTIDs do not have yet.
// A place is continued by file and position on both: it is that file whose beginning is compared.
func (r *Reader) startSync(syncer *replication.BinlogSyncer) (*replication.BinlogStreamer, error) {
	if r.at.identity.Flavor == gtid.MariaDB || r.at.known() {
		return syncer.StartSync(gomysql.Position{Name: r.at.file, Pos: uint32(min(r.at.pos, 1<<32-1))})
	}
	set, err := gomysql.ParseMysqlGTIDSet(r.at.done.String())
	if err != nil {
		return nil, err
	}
	return syncer.StartSyncGTID(set)
}

// syncerConfig asks for raw events, handled at once on the goroutine that reads the socket: no queue, so that memory
// is bounded by the largest event and the source waits for us, not the other way round. Connecting again is ours.
func (r *Reader) syncerConfig(s *stream) replication.BinlogSyncerConfig {
	addr := r.source.Addr()
	cfg := replication.BinlogSyncerConfig{
		ServerID:                r.cfg.ServerID,
		Flavor:                  canalFlavor(r.at.identity.Flavor),
		Host:                    addr,
		User:                    r.cfg.User,
		Password:                r.cfg.Password,
		TLSConfig:               r.source.session.usedTLS(),
		Localhost:               "weir",
		RawModeEnabled:          true,
		SynchronousEventHandler: s,
		EventCacheCount:         1,
		HeartbeatPeriod:         r.cfg.heartbeatEvery(),
		ReadTimeout:             r.cfg.streamTimeout(),
		DisableRetrySync:        true,
		DiscardGTIDSet:          true,
		DumpCommandFlag:         dumpFlags(r.at.identity.Flavor),
		Dialer:                  once(dialUntil(s.ctx)),
		Logger:                  slog.New(slog.DiscardHandler), // what matters comes back as an error
		Option:                  r.sameServer,
	}
	if host, port, err := net.SplitHostPort(addr); err == nil {
		n, _ := strconv.ParseUint(port, 10, 16)
		cfg.Host, cfg.Port = host, uint16(n)
	}
	return cfg
}

// once makes a dialer that works one time. When a syncer is closed it would connect again, to KILL its connection by
// number: at whatever server the address leads to by then.
func once(d client.Dialer) client.Dialer {
	var used atomic.Bool
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if used.Swap(true) {
			return nil, errStreamOver
		}
		return d(ctx, network, addr)
	}
}

var errStreamOver = errors.New("the stream has had its connection")

// dumpFlags asks MariaDB for its Annotate_rows events: without them positions could not be added up, see place.move.
func dumpFlags(f gtid.Flavor) uint16 {
	if f == gtid.MariaDB {
		return replication.BINLOG_SEND_ANNOTATE_ROWS_EVENT
	}
	return replication.BINLOG_DUMP_NEVER_STOP
}

// sameServer looks, on the very connection that will carry the stream, which server it leads to.
func (r *Reader) sameServer(c *client.Conn) error {
	f := identity.FlavorOf(c.GetServerVersion())
	result, err := c.Execute(identity.Query(f))
	if err != nil {
		return err
	}
	id, err := identity.Parse(f, textRows(result))
	if err != nil {
		return err
	}
	if id != r.at.identity {
		return lostPlace("the stream leads to another server (%s) than the question for its position (%s)", id.ID, r.at.identity.ID)
	}
	return nil
}

func (r *Reader) unknownEvent(t replication.EventType, why string) {
	if r.metrics.unknownEvent(t) {
		r.log.Warn("binlog event that Weir cannot read; taking it for a change to everything", "type", t, "reason", why)
	}
}

// stream takes the events of one connection.
type stream struct {
	reader    *Reader
	ctx       context.Context
	decoder   *decoder
	assembler assembler
	last      cache.Seq // of the last transaction on this connection

	file    string // the one that was opened last
	begun   uint32 // when it was begun
	ended   bool   // in order, see [conduct]
	end     cache.Seq
	arrived bool // see [pursuit]

	delivered time.Time // when the event that is being handled came
}

// HandleEvent implements [replication.EventHandler].
func (s *stream) HandleEvent(raw *replication.BinlogEvent) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.delivered = time.Now()
	s.reader.metrics.events.Inc()
	s.reader.metrics.bytes.Add(float64(len(raw.RawData)))
	if p := s.reader.pursuit; p != nil {
		p.events++
	}
	e, err := s.decoder.decode(raw)
	if err != nil {
		return s.hand(s.assembler.broken(raw.Header, err))
	}
	return s.take(e)
}

func (s *stream) take(e *replication.BinlogEvent) error {
	if e.Header.EventType == replication.FORMAT_DESCRIPTION_EVENT {
		if err := s.opened(s.assembler.place.name, e.Header.Timestamp); err != nil {
			return err
		}
	}
	s.ending(e.Header)
	return s.hand(s.assembler.event(e))
}

// hand applies what an event has completed.
func (s *stream) hand(done []*change.Transaction, err error) error {
	if err != nil {
		return err
	}
	for _, t := range done {
		if err := s.apply(t); err != nil {
			return err
		}
	}
	return nil
}

// opened takes the description of the format, which servers send first of every file, also when the stream begins in
// its middle. It says when the file was begun, and so tells whether the stream goes on in the file in which it was left:
//
//  1. The stream is at binlog.000001:2000, GTID 20, and breaks.
//  2. RESET MASTER. Twenty other transactions are written, to 2000 in another binlog.000001.
//  3. The server has all GTIDs and says that 20 stands at 2000. The changes before it would never be seen.
func (s *stream) opened(file string, begun uint32) error {
	at := s.reader.at
	if s.file == "" && at.known() && (file != at.file || begun != at.begun) {
		return lostPlace("%s was begun at %s, and %s, which was read before, at %s",
			file, time.Unix(int64(begun), 0), at.file, time.Unix(int64(at.begun), 0))
	}
	if err := s.passes(file, begun); err != nil {
		return err
	}
	s.file, s.begun = file, begun
	if s.reader.pursuit == nil {
		s.arrive()
	}
	return nil
}

// passes takes the stream into a file. What was before the epoch's floor need not have ended in order.
func (s *stream) passes(file string, begun uint32) error {
	n, err := fileNumber(file)
	if err != nil {
		return lostPlace("%v", err)
	}
	another := s.file != "" && s.file != file
	if another && !s.ended && !s.reader.at.conduct.durable && n > s.reader.floor.File() {
		return fmt.Errorf("%w: %w", errHole, lostPlace("the source died in the middle of %s, and may have lost the last changes; set sync_binlog=1 and innodb_flush_log_at_trx_commit=1 to keep what is cached", s.file))
	}
	s.reader.history.open(n, begun, s.end)
	if s.reader.OnFile != nil {
		s.reader.OnFile(file, begun)
	}
	return nil
}

// ending notes what the source itself has written, so that the file's last event is known when the next one is opened.
func (s *stream) ending(h *replication.EventHeader) {
	if fromElsewhere(h) || h.LogPos == 0 {
		return
	}
	s.ended = h.EventType == replication.ROTATE_EVENT || h.EventType == replication.STOP_EVENT
	s.end = cache.At(s.assembler.place.file, uint64(h.LogPos))
}

// arrive counts the stream as open.
func (s *stream) arrive() {
	r := s.reader
	if r.pursuit != nil {
		r.at.conduct.durable = r.pursuit.durable
	}
	s.arrived, r.untried = true, nil
	r.behind.Store(0)
	r.setStreaming(true)
}

// pursue looks, after a group is recorded, whether the stream has come to where the source was when it was opened.
func (s *stream) pursue(seq cache.Seq) error {
	p := s.reader.pursuit
	if s.arrived || p == nil || s.file == "" {
		return nil
	}
	if seq < p.to.Seq {
		p.say(s.reader.log, seq)
		s.reader.behind.Store(p.left(seq))
		return nil
	}
	if err := p.complete(s.reader.at); err != nil {
		return fmt.Errorf("%w: %w", errHole, err)
	}
	s.arrive()
	return nil
}

var errNoGTID = errors.New("the source writes transactions without GTIDs; set gtid_mode=ON")

// apply hands a transaction on and moves the checkpoint.
func (s *stream) apply(t *change.Transaction) error {
	progress := t.GTID.IsZero() && len(t.Statements) == 0 && !touches(t)
	if !progress {
		if t.Seq <= s.last {
			return lostPlace("transaction at %s came after one at %s", t.Seq, s.last)
		}
		s.last = t.Seq
	}
	if !progress && t.GTID.IsZero() && t.Everything == "" {
		return fmt.Errorf("%w: %w", errLostPlace, errNoGTID)
	}
	t.Delivered = s.delivered
	s.reader.next.Apply(s.ctx, t)
	s.checkpoint(t)
	return s.pursue(t.Seq)
}

func (s *stream) checkpoint(t *change.Transaction) {
	at := s.reader.at
	if !t.GTID.IsZero() {
		at.done.Add(t.GTID)
	}
	if p := s.assembler.place; p.name != "" && p.name == s.file && !p.overflow {
		at.file, at.pos, at.begun, at.ended = p.name, uint64(p.pos), s.begun, s.ended
		if s.arrived && t.Seq >= s.reader.floor { // a stream that begins now begins with what comes before
			s.reader.publish()
		}
	}
}
