package wire

// Code is the number of a server error.
type Code uint16

// Error numbers, as in the "Server Error Message Reference" of MySQL; MariaDB has the same below 1900. These are the
// ones that a proxy answers itself or has to recognise.
const (
	CodeTooManyConnections  Code = 1040
	CodeBadHandshake        Code = 1043
	CodeDBAccessDenied      Code = 1044
	CodeAccessDenied        Code = 1045
	CodeNoDatabase          Code = 1046
	CodeUnknownCommand      Code = 1047
	CodeUnknownDatabase     Code = 1049
	CodeServerShutdown      Code = 1053
	CodeSyntax              Code = 1064
	CodeNoSuchThread        Code = 1094
	CodeKillDenied          Code = 1095
	CodeUnknown             Code = 1105
	CodeHostBlocked         Code = 1129
	CodeHostNotAllowed      Code = 1130
	CodeTableAccessDenied   Code = 1142
	CodeColumnAccessDenied  Code = 1143
	CodeNoSuchTable         Code = 1146
	CodeNotAllowedCommand   Code = 1148
	CodePacketTooLarge      Code = 1153
	CodePacketsOutOfOrder   Code = 1156
	CodeReadError           Code = 1158
	CodeReadTimeout         Code = 1159
	CodeWriteError          Code = 1160
	CodeWriteTimeout        Code = 1161
	CodeUnknownVariable     Code = 1193
	CodeTooManyUserSessions Code = 1203
	CodeLockWaitTimeout     Code = 1205
	CodeWrongArguments      Code = 1210
	CodeDeadlock            Code = 1213
	CodeWrongUsage          Code = 1221
	CodeUserLimitReached    Code = 1226
	CodeSpecificAccess      Code = 1227
	CodeGlobalVariable      Code = 1229
	CodeWrongValue          Code = 1231
	CodeWrongType           Code = 1232
	CodeNotSupportedYet     Code = 1235
	CodeIsGlobalVariable    Code = 1238
	CodeUnknownStatement    Code = 1243
	CodeNotSupportedAuth    Code = 1251
	// CodeReadOnlyServer is what a server with read_only answers to a write.
	CodeReadOnlyServer      Code = 1290
	CodeCacheResize         Code = 1282
	CodeTruncatedValue      Code = 1292
	CodeUnsupportedPS       Code = 1295
	CodeQueryInterrupted    Code = 1317
	CodeReadOnlyTransaction Code = 1792
	CodeNoCursor            Code = 1421
	CodeTooManyStatements   Code = 1461
	CodeNeedReprepare       Code = 1615
	CodeCacheDisabled       Code = 1651 // MySQL 5.7: query_cache_type cannot be switched on
	CodePasswordExpired     Code = 1820
	CodeReadOnlyMode        Code = 1836
	CodeCacheOffForAll      Code = 1925 // MariaDB: query_cache_type is OFF globally
	CodeKilledMariaDB       Code = 1927 // MariaDB: Connection was killed
	CodeStatementTimeout    Code = 1969 // MariaDB: max_statement_time exceeded
	CodeServerGone          Code = 2006 // client library: the server has gone away
	CodeServerLost          Code = 2013 // client library: lost connection during query
	CodeQueryTimeout        Code = 3024 // MySQL: maximum execution time exceeded
	CodeOfflineMode         Code = 3032 // MySQL: offline_mode is on
	CodeSecureTransport     Code = 3159 // MySQL 5.7.8 and later: TLS is required
	CodeIdleDisconnect      Code = 4031 // MySQL 8.0.24 and later: disconnected because of inactivity
)

// stateSize is the length of a SQLSTATE.
const stateSize = 5

const (
	stateDefault        = "HY000"
	stateConnection     = "08S01"
	stateRejected       = "08004"
	stateSyntaxOrAccess = "42000"
	stateInterrupted    = "70100"
)

// State returns the SQLSTATE that servers send with the error, HY000 if it is not one of those above.
func (c Code) State() string {
	switch c {
	case CodeTooManyConnections, CodeNotSupportedAuth:
		return stateRejected
	case CodeBadHandshake, CodeUnknownCommand, CodeServerShutdown, CodePacketTooLarge, CodePacketsOutOfOrder,
		CodeReadError, CodeReadTimeout, CodeWriteError, CodeWriteTimeout:
		return stateConnection
	case CodeDBAccessDenied, CodeUnknownDatabase, CodeSyntax, CodeTableAccessDenied, CodeColumnAccessDenied,
		CodeNotAllowedCommand, CodeTooManyUserSessions, CodeUserLimitReached, CodeSpecificAccess, CodeWrongValue,
		CodeWrongType, CodeNotSupportedYet, CodeTooManyStatements:
		return stateSyntaxOrAccess
	case CodeQueryInterrupted, CodeKilledMariaDB, CodeStatementTimeout:
		return stateInterrupted
	}
	return c.rareState()
}

// rareState has the SQLSTATEs that only one error uses.
func (c Code) rareState() string {
	switch c {
	case CodeAccessDenied:
		return "28000"
	case CodeNoDatabase:
		return "3D000"
	case CodeNoSuchTable:
		return "42S02"
	case CodeDeadlock:
		return "40001"
	case CodeReadOnlyTransaction:
		return "25006"
	}
	return stateDefault
}
