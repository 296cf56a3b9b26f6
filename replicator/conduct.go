package replicator

import (
	"context"
	"fmt"
	"strings"

	"weir/replicator/gtid"
)

// conduct is how a server treats its binlog, which decides whether the binlog tells of every change between two places.
//
// A hole in it:
//
//  1. A source is at binlog.000007:900. Weir stops. A result that was read from the source is in a second tier, as of 900.
//  2. The source becomes a replica of another server for a while, without log_slave_updates: it applies what changes the
//     result, and writes nothing of it to its binlog.
//  3. It is the source again, and goes on writing at 900. Weir starts, and goes on at 900, too.
//  4. No event says that the result has changed. It would be served for ever.
//
// MySQL has all that it has applied in gtid_executed, logged or not. So it is asked at the start for that, and for its
// position; once the stream has come to the position, what was read, and what had been read before, must be all of it: see
// [pursuit]. What is applied without being logged has other GTIDs than what is.
//
// On MariaDB gtid_slave_pos says how far the server has applied another's changes, and it must not have changed, unless the
// server logs what it applies. The first value is asked before the position at which the epoch begins, so that nothing is
// applied between the two that shows in both:
//
//  1. The position is 900.
//  2. Something is applied, and not logged. gtid_slave_pos is 0-2-50 from then on.
//  3. gtid_slave_pos is asked: 0-2-50, now and for ever. The hole of 2 would not show.
//
// Another hole is what a server loses when it dies, if it does not write its binlog and its tables through to the disk at
// each commit:
//
//  1. A commits, and is in the tables. A result with it is read, as of before A, and kept.
//  2. The server dies, and A is gone from the tables. Or it is gone from the binlog, and still in the tables.
//  3. The stream goes on. No event says that what A changed is as it was before, or as A has made it.
//
// The binlog shows it: a server that ends in order, or goes on to the next file, says so at the end of the file. Where it
// does not, nothing from before is relied on, unless the server says, now and when its stream was opened before, that it
// writes through.
type conduct struct {
	unlogged string
	durable  bool
	resets   string // see [Source.resets]; empty in what another process has left
	// hides says that the server may have applied something without logging it, since it began its present file: the
	// setting does not change before a restart, which begins another.
	hides bool
}

// logsAll stands for a server that writes to its binlog what it applies as a replica.
const logsAll = "logs all that it applies"

// conduct asks the source.
func (s *Source) conduct(ctx context.Context) (conduct, error) {
	id, err := s.session.Identity(ctx)
	if err != nil {
		return conduct{}, err
	}
	const through = "@@global.sync_binlog = 1 AND @@global.innodb_flush_log_at_trx_commit = 1"
	sql := "SELECT " + through + ", 1, ''"
	if id.Flavor == gtid.MariaDB {
		sql = "SELECT " + through + ", @@global.log_slave_updates, @@global.gtid_slave_pos"
	}
	rows, err := s.session.Query(ctx, sql)
	if err != nil {
		return conduct{}, fmt.Errorf("ask the source how it writes its binlog: %w", err)
	}
	c := conduct{durable: rows[0][0] == "1", unlogged: rows[0][2]}
	c.hides = c.unlogged != ""
	if rows[0][1] == "1" {
		c.unlogged, c.hides = logsAll, false
	}
	if id.Flavor == gtid.MySQL {
		if c.hides, err = s.hides(ctx); err != nil {
			return c, err
		}
	}
	c.resets, err = s.resets(ctx)
	return c, err
}

// hides asks MySQL whether it logs what it applies. The older name is known to all versions before 8.0.26.
func (s *Source) hides(ctx context.Context) (bool, error) {
	rows, err := s.session.Query(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('log_replica_updates', 'log_slave_updates')")
	if err != nil {
		return false, fmt.Errorf("ask the source whether it logs what it applies: %w", err)
	}
	return len(rows) == 0 || !strings.EqualFold(rows[0][1], "ON"), nil
}

// keeps reports whether a place is as good as it was, by what the source has done without logging it.
func (c *checkpoint) keeps(now conduct) error {
	if c.conduct.unlogged != now.unlogged {
		return lostPlace("the source has applied changes of another server that are not in its binlog (gtid_slave_pos was %q, and is %q); set log_slave_updates on servers that may become the source", c.conduct.unlogged, now.unlogged)
	}
	return nil
}

// goOn takes what the source says of itself when its stream is opened at the place once more.
func (c *checkpoint) goOn(now conduct) {
	c.conduct.durable, c.conduct.resets = c.conduct.durable && now.durable, now.resets
}

// binlogs asks for the files that the source has, and how large they are.
func (s *Source) binlogs(ctx context.Context) (map[string]uint64, error) {
	rows, err := s.session.Query(ctx, "SHOW BINARY LOGS")
	if err != nil {
		return nil, fmt.Errorf("ask the source for its binlog files: %w", err)
	}
	sizes := make(map[string]uint64, len(rows))
	for _, r := range rows {
		_, size, err := parsePlace(r[0], strings.TrimSpace(r[1]))
		if err != nil {
			return nil, err
		}
		sizes[r[0]] = size
	}
	return sizes, nil
}
