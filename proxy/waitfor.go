package proxy

import (
	"context"

	"weir/proxy/wire"
)

// setWaitFor is called for SET weir_wait_for = 'GTID set', with the value in quotes taken off, and with an empty value for
// DEFAULT and ”. The session's reads after it wait for these transactions.
func (s *session) setWaitFor(context.Context, string) *wire.Error {
	return wire.Errorf(wire.CodeNotSupportedYet, "Weir does not support weir_wait_for yet")
}
