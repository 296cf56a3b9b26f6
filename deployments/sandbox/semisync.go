package sandbox

import (
	"context"
	"fmt"
)

// SetSemiSync switches the source side of a server that was started with SemiSync on or off. Commits that wait for an
// acknowledgement when it goes off end at once. The server itself switches to asynchronous replication after a wait
// that timed out, until an acknowledging replica has caught up; switching it off and on starts afresh.
func (s *Server) SetSemiSync(ctx context.Context, on bool) error {
	value := map[bool]string{false: "OFF", true: "ON"}[on]
	variable := s.say("rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled")
	return s.Exec(ctx, fmt.Sprintf("SET GLOBAL %s = %s", variable, value))
}
