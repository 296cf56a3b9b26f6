package proxy

import (
	"context"
	"slices"
	"sync"
	"time"

	"weir/cache/dep"
	"weir/proxy/statement"
)

// Gate bounds how many reads of a table are at servers at once, for instance while the table's definition is being
// changed, or while a server has to read it from disk again.
type Gate interface {
	// Enter waits until a read of the tables may go to a server. It may wait as long as it finds right, but returns at
	// once when ctx ends, and an error then and only then; a read that need not wait may enter even so. It is called by
	// many goroutines at once, one call for each read; views are among the tables, beside what they read. It must not
	// change or keep the slice.
	//
	// leave is called once for each Enter without an error, from any goroutine, when the server has done its part. It
	// must not wait.
	Enter(ctx context.Context, tables []dep.Name) (leave func(), err error)
}

// # Who enters
//
// A read of tables that is about to go to a server, once, however often it is asked again elsewhere; and the preparation
// of one, since a server opens the tables for that, too. It enters before it borrows a connection, so that whoever waits
// holds none, and after it has joined those who read the same, so that only one of them waits. Hits do not enter, nor
// writes; nor does a session that has a connection of its own, such as in a transaction: what it has there already, locks
// above all, is what others may be waiting for.
//
// # What a read was told before it waited
//
//  1. A read misses. The mark is taken at 90, and the statement analysed. It waits at the gate.
//  2. An ALTER of its table commits at 95, and is recorded: the table's tag has Last 95.
//  3. The read enters, and the sample says 95.
//  4. Its AsOf is the older one of mark and sample, 90: nobody may be served it, and everybody who waited reads again. And
//     if it is a view that was changed, the analysis no longer says what is read.
//
// So whoever has entered takes mark and analysis anew if anything has been recorded since: see [session.enterGate].
//
// # When it leaves
//
// When the whole response has come, before a client is sent what was kept of it. A response that streams comes only as
// fast as the client takes it, and one client that has stopped reading must not shut the gate for the others: the read
// leaves, too, as soon as the client has kept its server waiting for clientPatience, in all.

// clientPatience is how long a read stays inside the gate for a client that does not take the response.
const clientPatience = 100 * time.Millisecond

// passage is a read's stay inside the gate. The nil passage is that of a read that does not enter.
type passage struct {
	leave    func() // any number of times
	patience time.Duration
}

// end is for when the server has done its part. It may be called again.
func (p *passage) end() {
	if p != nil {
		p.leave()
	}
}

// streaming ends the passage when out has taken too long, at a time or in all.
func (p *passage) streaming(out func([]byte) error) func([]byte) error {
	if p == nil {
		return out
	}
	return func(b []byte) error {
		started, timer := time.Now(), time.AfterFunc(p.patience, p.leave)
		err := out(b)
		timer.Stop()
		p.patience = max(p.patience-time.Since(started), 0)
		return err
	}
}

// enterGate waits with a request that is about to go to a server. If anything was recorded since the request's
// mark was taken, renew makes mark and analysis anew, see above; and if the statement reads other tables then, it waits
// for those. An error is the context's cause.
func (s *session) enterGate(ctx context.Context, q *request, renew func()) (*passage, error) {
	for {
		tables := s.gated(q)
		if len(tables) == 0 {
			return nil, nil
		}
		p, err := s.passGate(ctx, tables)
		if err != nil {
			return nil, err
		}
		if s.server.cache.Ledger().Mark() == q.mark {
			return p, nil
		}
		renew()
		if slices.Equal(s.gated(q), tables) {
			return p, nil
		}
		p.end()
	}
}

// passGate is counted while it waits, for the watch over clients that hang up. Nobody waits while the proxy stops.
func (s *session) passGate(ctx context.Context, tables []dep.Name) (*passage, error) {
	ctx, cancel := s.server.stopping.unlessBegun(ctx)
	defer cancel()
	s.server.atGate.Add(1)
	defer s.server.atGate.Add(-1)
	leave, err := s.server.gate.Enter(ctx, tables)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return &passage{leave: sync.OnceFunc(leave), patience: clientPatience}, nil
}

// gated returns the tables for which the request has to enter: none if it does not. What has to run again because the
// statement asks about it counts, too: see [session.replay].
func (s *session) gated(q *request) []dep.Name {
	if s.server.gate == nil || q.st.Kind != statement.Read || s.pinned != nil && !q.clean {
		return nil
	}
	if !s.last.known() || !s.replays(q.said.text, q.st) {
		return q.st.Tables
	}
	last := s.analyzeSaid(s.last)
	return append(slices.Clone(q.st.Tables), last.Tables...)
}

// analyzeSaid analyses a statement as of now.
func (s *session) analyzeSaid(what said) statement.Statement {
	if h := what.execution.handle; h != nil {
		return s.analyzeIn(h.schema, string(h.text))
	}
	return s.analyze(string(what.text))
}

// renew takes mark and analysis of a request anew, the mark first. What is known no longer to be a read is asked as it
// was understood, since everything before was done for a read: the server will say what it thinks of that.
func (s *session) renew(ctx context.Context, q *request) {
	q.mark = s.server.cache.Ledger().Mark()
	if !q.said.known() {
		return
	}
	st, mark, _ := s.sureOfTables(ctx, q.said, s.analyzeSaid(q.said), q.mark)
	if st.Kind == statement.Read {
		q.st, q.mark = st, mark
	}
	if q.execution != nil {
		q.execution.once = s.once(q.execution.handle.text, q.st)
		q.said.execution.once = q.execution.once
	}
}
