package replicator

import (
	"context"
	"errors"
	"time"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// errNotThatServer: what another server shows says nothing.
var errNotThatServer = errors.New("another server answers at the source's address than the one whose changes are followed")

// Shows returns when the source has all these transactions, and shows whatever definitions they have changed; or with an
// error, if another server answers or ctx ends before. It is for who has them from somebody else: a server sends a transaction
// before it shows it. MySQL adds one to gtid_executed after the commit; MariaDB changes a definition before it writes so.
func (s *Source) Shows(ctx context.Context, source identity.Identity, done *gtid.Set) error {
	for {
		p, err := s.Position(ctx)
		switch {
		case err != nil:
			return err
		case p.Identity != source:
			s.Close() // the connection may be from before the address led to the right one
			return errNotThatServer
		case p.GTIDs.Covers(done):
			return nil
		}
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
