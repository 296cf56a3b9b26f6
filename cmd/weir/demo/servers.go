package demo

import (
	"context"
	"fmt"
	"strconv"

	"weir/deployments/sandbox"
)

// servers are a source and its replica.
type servers struct {
	source, replica *sandbox.Server
}

// start starts both and makes the accounts, which the replica gets from the source. What it has started is in s even
// if there was an error.
func (s *servers) start(ctx context.Context, o Options) (err error) {
	so := sandbox.Options{Flavor: o.Flavor, Dir: o.Dir, BufferPool: 128 << 20, Log: o.Out}
	if s.source, err = sandbox.StartServer(ctx, so); err != nil {
		return fmt.Errorf("start the source: %w", err)
	}
	so.ReplicaOf = s.source
	if s.replica, err = sandbox.StartServer(ctx, so); err != nil {
		return fmt.Errorf("start the replica: %w", err)
	}
	if err = s.source.CreateUser(ctx, weirUser, weirPassword, weirGrants...); err != nil {
		return fmt.Errorf("make an account for Weir: %w", err)
	}
	if err = s.source.CreateUser(ctx, shopUser, shopPassword, shopGrants...); err != nil {
		return fmt.Errorf("make an account for the shop: %w", err)
	}
	return nil
}

// stop ends both, with all their files. Nobody needs the data any more.
func (s *servers) stop() {
	for _, server := range []*sandbox.Server{s.replica, s.source} {
		if server != nil {
			server.Kill()
			server.Stop()
		}
	}
}

// selects is how many SELECTs both have run so far, whoever sent them.
func (s *servers) selects(ctx context.Context) (sum int64, err error) {
	for _, server := range []*sandbox.Server{s.source, s.replica} {
		n, err := selects(ctx, server)
		if err != nil {
			return 0, fmt.Errorf("count the SELECTs of %s: %w", server.Addr(), err)
		}
		sum += n
	}
	return sum, nil
}

func selects(ctx context.Context, server *sandbox.Server) (int64, error) {
	db, err := server.RootDB("")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var name, value string
	if err := db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Com_select'").Scan(&name, &value); err != nil {
		return 0, err
	}
	return strconv.ParseInt(value, 10, 64)
}
