package replicator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// A server that is not the source may have what the source does not have: a transaction that somebody ran there, or one
// that it had committed as the source and that nobody got.
//
// R25:
//
//  1. The source commits a transaction at 101, and is killed. No replica has got it.
//  2. A replica is promoted, at 100, and writes 102 under a name of its own.
//  3. The old source comes back and replicates from the new one. It has 101, and applies 102.
//  4. Its sample covers everything that is recorded. A fill reads the row of 101, which the source does not have.
//
// So a sample counts only if the source is known to have all that is in it: it said so when the stream began, or the
// stream has brought it since. A replica may have got a transaction a moment before Weir, so the stream is given a little
// time. What the source still lacks once the ledger is complete as of a moment after the question is errant: everything
// that was in the source's binlog at that moment has been recorded.
//
// MySQL says with gtid_executed what is in it. On MariaDB gtid_slave_pos leaves out what a server has written itself, and
// gtid_binlog_state is looked at, in the same question.

// errantError says that a server has what the source has not.
type errantError struct{ gtids string }

func (e errantError) Error() string {
	return fmt.Sprintf("the source does not have %s; what the server answers may never have been true: build it anew from the source, or, if these transactions changed no data, run empty ones with their GTIDs on the source", e.gtids)
}

// Errant reports whether the error is that of a sampler whose server has transactions that the source does not have.
func Errant(err error) bool {
	var e errantError
	return errors.As(err, &e)
}

// errUnknown wraps that the stream has not come to what a server has.
var errUnknown = errors.New("the server has transactions that have not come from the source yet, so that nothing is known of them")

// Has notes what the source says it has written. It is called when the stream begins, or goes on, and not concurrently
// with Restart.
func (j *Journal) Has(written *gtid.State) {
	if written == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.written == nil {
		j.written = written.Clone()
		return
	}
	j.written.Union(written)
}

// beyond names the transactions of a server that the source is not known to have; none if nothing is known of the source.
func (j *Journal) beyond(server *gtid.State) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.written == nil {
		return ""
	}
	return server.Beyond(j.written)
}

const (
	// strayWait is how long a sample waits for the stream to come to what the server has, and strayPause how often it looks.
	strayWait, strayPause = 100 * time.Millisecond, 5 * time.Millisecond
)

// doubtful is what a server had of which nothing was known. It is remembered, since the ledger may become complete only
// after a sample has given up waiting.
type doubtful struct {
	gtids string
	since time.Duration
}

// stray returns nil once the source is known to have all that the server had, asked at that moment of the ledger's clock.
func (s *Sampler) stray(ctx context.Context, server *gtid.State, asked time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, strayWait)
	defer cancel()
	for {
		complete, ok := s.ledger.CompleteAsOf() // before it is looked what is recorded
		now := doubtful{gtids: s.journal.beyond(server), since: asked}
		if now.gtids == s.doubtful.gtids {
			now.since = s.doubtful.since
		}
		switch {
		case now.gtids == "":
			return nil
		case ok && complete >= now.since:
			return errantError{now.gtids}
		}
		select {
		case <-time.After(strayPause):
		case <-ctx.Done():
			s.doubtful = now
			return fmt.Errorf("%w: %s", errUnknown, now.gtids)
		}
	}
}

// R26: the source moves while a server is sampled. What a sample means depends on whether the server is the source: on
// MariaDB a place in the source's binlog is a Seq, and what the source has is never errant.
//
//  1. A sample of the old source begins; it is the source.
//  2. The reader follows the new one: a new epoch begins.
//  3. The old source answers. As the source's, its answer would count in the new epoch.
//
// The epoch is looked at before the question who is the source, and the answer must be of that epoch. The reader follows
// nobody from before an epoch begins until the journal has begun it, too. So whoever finds a server to be the source finds
// an epoch of that server, or an earlier one, which the answer is not of.

// role is what a server was when its sample began.
type role struct {
	recorded cache.Mark
	source   bool
}

var errNobody = errors.New("nothing can be proved while the source is changing")

func (s *Sampler) roleOf(server identity.Identity) (role, error) {
	r := role{recorded: s.ledger.Mark()}
	source := s.source()
	if source == (identity.Identity{}) {
		return r, errNobody
	}
	r.source = source == server
	return r, nil
}

// check reports whether a mark is of the epoch in which the role was looked at.
func (r role) check(mark cache.Mark) error {
	if mark.Epoch != r.recorded.Epoch {
		return errNobody
	}
	return nil
}
