package replicator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Sampler asks one server what it has applied, for all fills from that server. It asks only when something that a fill
// depends on has changed since it asked last, and requests that come while it asks share the next question:
// an answer to a question that was asked before a request came proves nothing for it.
type Sampler struct {
	session *Session
	journal *Journal
	ledger  *cache.Ledger
	source  func() identity.Identity

	mu      sync.Mutex
	last    Sample
	current *question // on its way to the server
	next    *question // to be asked after that
	running sync.WaitGroup

	// Only the goroutine that asks touches these.
	cursor  Cursor
	server  identity.Identity
	epoch   uint64
	settled cache.Seq // every XA COMMIT up to there is known to have ended
	doubtful
}

// Sample is a mark such that everything up to it is visible on a server, to statements that start from now on.
type Sample struct {
	Mark   cache.Mark
	Server identity.Identity
	Asked  time.Time
}

func (s Sample) answers(need cache.Mark, since time.Time) bool {
	return s.Mark.Epoch == need.Epoch && s.Mark.Seq >= need.Seq && s.Asked.After(since)
}

type question struct {
	done   chan struct{}
	sample Sample
	err    error
}

// NewSampler returns a sampler for the server that session leads to. source tells which server the ledger follows.
func NewSampler(session *Session, ledger *cache.Ledger, journal *Journal, source func() identity.Identity) *Sampler {
	return &Sampler{session: session, ledger: ledger, journal: journal, source: source}
}

// Close waits for a question under way and ends the connection. Nobody asks any more.
func (s *Sampler) Close() {
	s.running.Wait()
	s.session.Close()
}

// Sample returns what is known of the server, if that covers need and was asked for after the moment since, or else
// the answer to a question asked after the call; that may be before need if the server lags. An error means that
// nothing can be proved.
//
// The caller passes as since when it connected. A server that crashes may come back with less than it had:
//
//  1. The sample says 95. The replica dies, and restarts from 90.
//  2. A fill connects anew, finds the sample of before good enough, and reads as of 90.
//
// A connection that is older than the sample and still works proves that the server did not restart in between.
func (s *Sampler) Sample(ctx context.Context, need cache.Mark, since time.Time) (Sample, error) {
	q := s.ask(need, since)
	if q == nil {
		return s.Last(), nil
	}
	select {
	case <-q.done:
		return q.sample, q.err
	case <-ctx.Done():
		return Sample{}, context.Cause(ctx)
	}
}

// Last returns the last answer.
func (s *Sampler) Last() Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// ask returns the question to wait for, or nil if the last answer will do.
func (s *Sampler) ask(need cache.Mark, since time.Time) *question {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.answers(need, since) {
		return nil
	}
	if s.next == nil {
		s.next = &question{done: make(chan struct{})}
	}
	q := s.next
	if s.current == nil {
		s.start()
	}
	return q
}

// start takes the waiting question to the server. The lock is held.
func (s *Sampler) start() {
	q := s.next
	s.current, s.next = q, nil
	s.running.Go(func() {
		q.sample, q.err = s.query()
		s.finish(q)
	})
}

func (s *Sampler) finish(q *question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.err == nil {
		s.last = q.sample
	}
	s.current = nil
	if s.next != nil {
		s.start()
	}
	close(q.done)
}

var errForeign = errors.New("the server's position cannot be compared with the source's: it lacks transactions that the source had when Weir started, or is not its replica")

func (s *Sampler) query() (Sample, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.session.timeout)
	defer cancel()
	s.reconnect()
	server, err := s.session.Identity(ctx)
	if err != nil {
		return Sample{}, err
	}
	if server != s.server {
		s.cursor, s.server, s.settled, s.doubtful = Cursor{}, server, 0, doubtful{}
	}
	asked := time.Now()
	mark, answered, err := s.queryFlavor(ctx, server)
	if err == nil && answered != server {
		err = fmt.Errorf("another server answers at %s than a moment ago", s.session.addr())
	}
	if err == nil {
		mark, err = s.settle(ctx, mark, server)
	}
	return Sample{Mark: mark, Server: server, Asked: asked}, err
}

// reconnect ends a connection from before the ledger's present epoch: the place may have been lost because the address
// leads to another server now.
func (s *Sampler) reconnect() {
	if epoch := s.ledger.Epoch(); epoch != s.epoch {
		s.session.Close()
		s.epoch, s.settled, s.doubtful = epoch, 0, doubtful{}
	}
}

func (s *Sampler) queryFlavor(ctx context.Context, server identity.Identity) (mark cache.Mark, answered identity.Identity, err error) {
	role, err := s.roleOf(server)
	if err != nil {
		return cache.Mark{}, server, err
	}
	switch {
	case server.Flavor == gtid.MySQL:
		mark, answered, err = s.queryGTIDs(ctx, gtid.MySQL, "SELECT @@global.gtid_executed, @@global.gtid_executed", role)
	case role.source:
		mark, answered, err = s.querySnapshot(ctx, role.recorded)
	default:
		mark, answered, err = s.queryGTIDs(ctx, gtid.MariaDB, "SELECT @@global.gtid_slave_pos, @@global.gtid_binlog_state", role)
	}
	if err == nil {
		err = role.check(mark)
	}
	return mark, answered, err
}

// queryGTIDs asks MySQL for gtid_executed, to which a transaction is added after the engine's commit, or a MariaDB
// replica for gtid_slave_pos, which is a row of the same transaction; and then for all that the server has.
func (s *Sampler) queryGTIDs(ctx context.Context, f gtid.Flavor, sql string, role role) (cache.Mark, identity.Identity, error) {
	asked := s.ledger.Now()
	rows, server, err := s.session.QueryIdentified(ctx, sql)
	if err != nil {
		return cache.Mark{}, server, err
	}
	set, err := gtid.Parse(f, rows[0][0])
	if err != nil {
		return cache.Mark{}, server, err
	}
	written, err := gtid.ParseState(f, rows[0][1])
	if err == nil && !role.source {
		err = s.stray(ctx, written, asked)
	}
	if err != nil {
		return cache.Mark{}, server, err
	}
	mark, ok := s.journal.AsOf(&s.cursor, set)
	if !ok {
		return cache.Mark{}, server, errForeign
	}
	return mark, server, nil
}

// querySnapshot asks a MariaDB source where its last commit stands in its own binlog. The binlog position of SHOW
// MASTER STATUS, or gtid_binlog_pos, would not do: a transaction is in there before it is visible. What the ledger had
// not recorded before does not count: it may be an XA COMMIT, see lateCommits.
func (s *Sampler) querySnapshot(ctx context.Context, recorded cache.Mark) (cache.Mark, identity.Identity, error) {
	rows, server, err := s.session.QueryIdentified(ctx, "SHOW STATUS WHERE Variable_name IN ('Binlog_snapshot_file', 'Binlog_snapshot_position')")
	if err != nil {
		return cache.Mark{}, server, err
	}
	if len(rows) != 2 {
		return cache.Mark{}, server, errors.New("the source does not tell Binlog_snapshot_position; is its binlog on?")
	}
	file, pos, err := parsePlace(rows[0][1], rows[1][1])
	return cache.Mark{Epoch: recorded.Epoch, Seq: min(cache.At(file, pos), recorded.Seq)}, server, err
}

// waitPause is how long Covered waits between two questions.
const waitPause = 2 * time.Millisecond

// Covered returns when the server's snapshot is known to contain every change up to need, or with ctx's cause.
func (s *Sampler) Covered(ctx context.Context, need cache.Mark) error {
	for {
		sample, err := s.Sample(ctx, need, time.Time{})
		if err == nil && (sample.Mark.Epoch != need.Epoch || sample.Mark.Seq >= need.Seq) {
			return nil
		}
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
