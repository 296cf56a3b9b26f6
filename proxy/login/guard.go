package login

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// defaultTimeout is the default of connect_timeout of both servers.
const defaultTimeout = 10 * time.Second

// ErrTimeout says that the peer did not finish the login within the time for it.
var ErrTimeout = errors.New("login took too long")

// guarded runs a login that ends, with the connection's reads and writes, when the context does or time is up.
func guarded(ctx context.Context, conn net.Conn, timeout time.Duration, login func() error) error {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err := login()
	if stop() {
		return err
	}
	return because(ctx, err)
}

// because adds why the context ended, if it has. An error or not, the connection's deadline has passed then.
func because(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return err
	case err == nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), err)
}
