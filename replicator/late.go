package replicator

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// lateCommits are the XA COMMITs of a MariaDB source. Its position does not prove that they are visible:
//
//  1. XA COMMIT is written to the binlog. Binlog_snapshot_position passes it at once, for this commit is not among
//     those that the server orders.
//  2. A sample says 95, which is after the XA COMMIT at 90.
//  3. A statement reads the old row: the engine has not committed yet. (Seen on 10.11, once in some thousand commits.)
//
// What proves it is that the statement has ended. So a sample counts up to 90 only if, asked after it, the connection
// that said XA COMMIT is idle or gone, and no other is saying it, as the applier of a replica does.
type lateCommits struct {
	mu sync.Mutex
	// byThread has the last one of each connection: if that has ended, those before have.
	byThread map[uint32]cache.Seq
}

func (l *lateCommits) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byThread = map[uint32]cache.Seq{}
}

func (l *lateCommits) add(thread uint32, seq cache.Seq) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byThread[thread] = seq
}

// between returns the first one after the place after, up to and with the place upTo, and the connections of all.
func (l *lateCommits) between(after, upTo cache.Seq) (first cache.Seq, threads []uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for thread, seq := range l.byThread {
		if seq <= after || seq > upTo {
			continue
		}
		if first == 0 || seq < first {
			first = seq
		}
		threads = append(threads, thread)
	}
	return first, threads
}

// settle takes from a mark what XA COMMITs make doubtful.
func (s *Sampler) settle(ctx context.Context, mark cache.Mark, server identity.Identity) (cache.Mark, error) {
	if server.Flavor != gtid.MariaDB {
		return mark, nil
	}
	first, threads := s.journal.late.between(s.settled, mark.Seq)
	if len(threads) > 0 {
		ended, err := s.ended(ctx, threads)
		if err != nil {
			return cache.Mark{}, err
		}
		if !ended {
			mark.Seq = first - 1
			return mark, nil
		}
	}
	s.settled = mark.Seq
	return mark, nil
}

// ended asks whether the connections' statements have ended. The numbers are those of the source; on a replica they
// are somebody else's, who can only make the answer no.
func (s *Sampler) ended(ctx context.Context, threads []uint32) (bool, error) {
	sort.Slice(threads, func(i, j int) bool { return threads[i] < threads[j] })
	rows, err := s.session.Query(ctx, endedQuery(threads))
	if err != nil {
		return false, fmt.Errorf("ask whether XA COMMITs have ended: %w", err)
	}
	return rows[0][0] == "0", nil
}

func endedQuery(threads []uint32) string {
	return "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND " +
		"(INFO LIKE 'XA COMMIT%' OR COMMAND <> 'Sleep' AND ID IN (" + list(threads) + "))"
}

func list(numbers []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}
