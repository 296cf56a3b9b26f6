package replicator

import (
	"context"
	"errors"
	"fmt"
)

// resets asks the source how many RESET statements it has run since it was started.
//
// RESET MASTER can leave a binlog that cannot be told from the one before by its file, its length and its GTIDs:
//
//  1. The stream is at binlog.000001:2000, GTID 20.
//  2. RESET MASTER. Twenty other transactions are written, to 2000 in another binlog.000001. The connection that carries the
//     stream does not hear of it.
//  3. The probe asks where the binlog ends: binlog.000001:2000, GTID 20. All of that is recorded.
//
// So the number is asked before a stream is opened, and again after each position that the probe believes. If it is another
// one, the place is lost. RESET REPLICA and RESET QUERY CACHE count, too; they are rare, and cost no more than what is cached.
func (s *Source) resets(ctx context.Context) (string, error) {
	rows, err := s.session.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Com_reset'")
	if err != nil {
		return "", fmt.Errorf("ask the source how often it was reset: %w", err)
	}
	if len(rows) != 1 || len(rows[0]) != 2 {
		return "", errors.New("the source does not tell its status variable Com_reset")
	}
	return rows[0][1], nil
}

// notReset compares with the number from before the stream was opened.
func (p *Probe) notReset(ctx context.Context) error {
	now, err := p.source.resets(ctx)
	if err != nil {
		return err
	}
	if before := p.reader.before().resets; now != before {
		return p.lost("the source has run RESET since its binlog was opened (Com_reset was " + before + ", and is " + now + ")")
	}
	return nil
}

// unreset compares with when the stream was opened the last time. A server that was started since counts from zero; it has
// begun another file, and its old ones tell when they were begun.
func (c *checkpoint) unreset(now conduct) error {
	if before := c.conduct.resets; before != "" && now.resets != "0" && now.resets != before {
		return lostPlace("the source has run RESET since its binlog was followed (Com_reset was %s, and is %s)", before, now.resets)
	}
	return nil
}
