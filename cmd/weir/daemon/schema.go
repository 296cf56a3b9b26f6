package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir/cache"
	"weir/proxy/statement"
	"weir/replicator"
	"weir/replicator/catalog"
)

// schemaTimeout bounds one query of the catalogue's. The source may have a hundred thousand tables.
const schemaTimeout = 2 * time.Minute

var errOtherServer = errors.New("another server answers at the source's address than the one that is followed")

// checkSchemaGrants reports, before anything is served, that the account sees too little of the schema for anything to
// be cached.
func checkSchemaGrants(ctx context.Context, source *replicator.Source) error {
	rows, err := source.Session().Query(ctx, "SHOW GRANTS")
	if err != nil {
		return fmt.Errorf("read the privileges of the account on the source: %w", err)
	}
	return catalog.CheckGrants(rows)
}

// catalogView is the catalogue as the proxy asks it.
type catalogView struct{ *catalog.Catalog }

// Snapshot implements [proxy.Catalog].
func (v catalogView) Snapshot() (statement.Catalog, uint64) {
	state := v.State()
	return state, state.Version()
}

// schemaSession is the connection on which the catalogue reads.
type schemaSession struct{ d *Daemon }

// Query implements [catalog.Querier].
func (s schemaSession) Query(ctx context.Context, sql string) ([][]string, error) {
	rows, server, err := s.d.schema.QueryIdentified(ctx, sql)
	if err == nil && server != s.d.following() {
		s.d.schema.Close() // the connection may be from before the address led to the one that is followed
		return nil, errOtherServer
	}
	return rows, err
}

// schemaStream tells the catalogue how the source and the ledger stand to each other.
type schemaStream struct{ d *Daemon }

// WaitHead implements [catalog.Stream].
func (s schemaStream) WaitHead(ctx context.Context, seq cache.Seq) error {
	return s.d.ledger.WaitHead(ctx, seq)
}

// Covered implements [catalog.Stream].
func (s schemaStream) Covered(ctx context.Context, seq cache.Seq) error {
	need := cache.Mark{Epoch: s.d.ledger.Epoch(), Seq: seq}
	return s.d.sampler(s.d.sourceAddr()).Covered(ctx, need)
}

// Position implements [catalog.Stream].
func (s schemaStream) Position(ctx context.Context) (cache.Seq, error) {
	p, err := s.d.source.Position(ctx)
	if err == nil && p.Identity != s.d.following() {
		s.d.source.Close()
		err = errOtherServer
	}
	return p.Seq, err
}
