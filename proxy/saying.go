package proxy

import (
	"fmt"
	"strings"

	"weir/proxy/querycache"
	"weir/proxy/wire"
)

// What Weir has said itself can be asked for like what a server has said: by SHOW WARNINGS, @@error_count and so on. These are
// answered by a server, before which the last statement is repeated (see [session.replay]). In place of a statement that no
// server has seen stands one that makes a server say the same.

// sayError answers with an error of Weir's own that can be asked for.
func (s *session) sayError(e *wire.Error) error {
	s.last = said{text: signal("42000", e.Code, e.Message)}
	return s.writeError(e)
}

// sayOK answers with OK and warnings. Of several the last one can be asked for.
func (s *session) sayOK(warnings []querycache.Warning) error {
	if len(warnings) == 0 {
		s.leftNothing(s.last)
		return s.ok()
	}
	last := warnings[len(warnings)-1]
	s.last = said{text: signal("01000", last.Code, last.Message)}
	return s.writeMessage(wire.OK{Status: s.status(), Warnings: uint16(len(warnings))})
}

// signal is a statement that raises a condition. Its text says the same under every sql_mode.
func signal(state string, code wire.Code, message string) []byte {
	message = strings.ReplaceAll(strings.ReplaceAll(message, `\`, "/"), "'", "''")
	return fmt.Appendf(nil, "SIGNAL SQLSTATE '%s' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = '%.128s'", state, code, message)
}
