package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// dumpFile is the server's default, and what a replica may leave behind.
const dumpFile = "dump.rdb"

// Dump is all that a server held at one moment, in its own format.
type Dump []byte

// SaveDump returns what the server holds.
func (r *Redis) SaveDump(ctx context.Context) (Dump, error) {
	if _, err := r.Do(ctx, "SAVE"); err != nil {
		return nil, err
	}
	return os.ReadFile(r.folder.in(dumpFile))
}

// RestoreDump ends the server, unless it is down already, and starts it on the same port with what d holds, as an operator
// does who has found a backup. A value that was to expire meanwhile is not there. A node of a cluster stays in it.
func (r *Redis) RestoreDump(ctx context.Context, d Dump) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	r.proc.stop(stopGrace)
	if err := r.putDump(d); err != nil {
		return fmt.Errorf("restart Redis: %w", err)
	}
	if err := r.run(ctx); err != nil {
		return fmt.Errorf("restart Redis: %w", err)
	}
	return nil
}

func (r *Redis) putDump(d Dump) error {
	if d != nil {
		return os.WriteFile(r.folder.in(dumpFile), d, 0o600)
	}
	if err := os.Remove(r.folder.in(dumpFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// MakeReplicaOf has the server forget what it holds and follow other, and returns once it has all that other had. Nil
// makes it a master again, with what it has. Both need the same password, or none.
func (r *Redis) MakeReplicaOf(ctx context.Context, other *Redis) error {
	host, port := "NO", "ONE"
	if other != nil {
		host, port = "127.0.0.1", strconv.Itoa(other.Port)
	}
	if _, err := r.Do(ctx, "REPLICAOF", host, port); err != nil || other == nil {
		return err
	}
	return r.awaitLink(ctx)
}

// awaitLink returns once the replica follows its master.
func (r *Redis) awaitLink(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := poll(ctx, func() (bool, error) {
		info, err := r.briefly(ctx, "INFO", "replication")
		text, _ := info.(string)
		return err == nil && strings.Contains(text, "master_link_status:up"), nil
	})
	if err != nil {
		return fmt.Errorf("wait until Redis %s follows its master: %w; its log ends with:\n%s", r.Addr(), err, r.LogTail())
	}
	return nil
}
