package wire

import "fmt"

// Command is the first byte of what a client sends after the login.
type Command uint8

// Commands, as in the protocol page "Command Phase". The ones that a server uses internally are left out.
const (
	ComQuit             Command = 0x01
	ComInitDB           Command = 0x02
	ComQuery            Command = 0x03
	ComFieldList        Command = 0x04
	ComCreateDB         Command = 0x05
	ComDropDB           Command = 0x06
	ComRefresh          Command = 0x07
	ComShutdown         Command = 0x08
	ComStatistics       Command = 0x09
	ComProcessInfo      Command = 0x0A
	ComProcessKill      Command = 0x0C
	ComDebug            Command = 0x0D
	ComPing             Command = 0x0E
	ComChangeUser       Command = 0x11
	ComBinlogDump       Command = 0x12
	ComTableDump        Command = 0x13
	ComRegisterReplica  Command = 0x15
	ComStmtPrepare      Command = 0x16
	ComStmtExecute      Command = 0x17
	ComStmtSendLongData Command = 0x18
	ComStmtClose        Command = 0x19
	ComStmtReset        Command = 0x1A
	ComSetOption        Command = 0x1B
	ComStmtFetch        Command = 0x1C
	ComBinlogDumpGTID   Command = 0x1E
	ComResetConnection  Command = 0x1F
	ComClone            Command = 0x20
	// ComStmtBulkExecute is MariaDB's, since 10.2.
	ComStmtBulkExecute Command = 0xFA
)

// String gives the number; a name is of no use to a user who sees one that is not supported.
func (c Command) String() string { return fmt.Sprintf("command 0x%02x", uint8(c)) }

// ResponseTo returns the shape of the response to a command. It is not ok for the commands that are no exchange of
// one command for one response in the sense of [Scanner]: COM_CHANGE_USER, replication, and what is not known.
func ResponseTo(c Command) (shape Shape, ok bool) {
	switch c {
	case ComQuit, ComStmtClose, ComStmtSendLongData:
		return ShapeNone, true
	case ComQuery, ComProcessInfo:
		return ShapeQuery, true
	case ComStmtExecute, ComStmtBulkExecute:
		return ShapeExecute, true
	case ComStmtPrepare:
		return ShapePrepare, true
	case ComStmtFetch:
		return ShapeFetch, true
	case ComFieldList:
		return ShapeFieldList, true
	case ComStatistics:
		return ShapeText, true
	case ComInitDB, ComCreateDB, ComDropDB, ComRefresh, ComShutdown, ComProcessKill, ComDebug, ComPing,
		ComStmtReset, ComSetOption, ComResetConnection:
		return ShapeSimple, true
	}
	return ShapeNone, false
}
