package inflight

import (
	"context"
	"strings"

	"weir/cache/dep"
	"weir/ddlwatch/target"
)

// perf reads MySQL's performance_schema. Its tables take no locks that statements need; threads shows all threads to
// whoever may select from it, those of the replication appliers among them.
type perf struct{ server *target.Server }

// rowLimit bounds what one look fetches.
const rowLimit = "1000"

// The statement's own timer counts in picoseconds, processlist_time in whole seconds, and from the source's beginning
// for the applier. The text is at most 1,024 bytes long (COL_INFO_SIZE in storage/perfschema).
var perfProcesses = `SELECT t.PROCESSLIST_ID, IFNULL(t.PROCESSLIST_DB,''), IFNULL(e.TIMER_WAIT/1e12,t.PROCESSLIST_TIME),
IFNULL(t.PROCESSLIST_STATE,''), t.PROCESSLIST_INFO, IFNULL(s.EVENT_NAME,''), s.WORK_COMPLETED, s.WORK_ESTIMATED
FROM performance_schema.threads t
LEFT JOIN performance_schema.events_statements_current e
ON e.THREAD_ID=t.THREAD_ID AND e.NESTING_EVENT_LEVEL=0 AND e.END_EVENT_ID IS NULL
LEFT JOIN performance_schema.events_stages_current s
ON s.THREAD_ID=t.THREAD_ID AND s.END_EVENT_ID IS NULL
WHERE t.PROCESSLIST_INFO IS NOT NULL AND t.PROCESSLIST_ID<>CONNECTION_ID()
AND (` + notData("t.PROCESSLIST_INFO") + ` OR ` + isWaiting("t.PROCESSLIST_STATE") + `)
ORDER BY ` + notData("t.PROCESSLIST_INFO") + ` DESC LIMIT ` + rowLimit

func (p perf) processes(ctx context.Context) ([]process, error) {
	rows, err := ask(ctx, p.server, perfProcesses, 8)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, r := range rows {
		all = append(all, process{
			id: connection(r[0]), schema: r[1], elapsed: lasting(r[2]), state: r[3],
			sql: r[4], cut: len(r[4]) > statementLimit-4, // it may end before a character that did not fit
			stage: stageOf(r[5], r[3]), progress: share(number(r[6]), number(r[7])),
		})
	}
	return all, nil
}

// stageOf is the name of a stage without its instrument's path, or if there is none the thread's state.
func stageOf(event, state string) string {
	if event == "" {
		return state
	}
	return event[strings.LastIndexByte(event, '/')+1:]
}

// All locks on tables that somebody waits for, and those of DDL on other tables. Those that are held come first: there
// is no limit to those who wait.
var perfLocks = `SELECT l.OBJECT_SCHEMA, l.OBJECT_NAME, l.LOCK_TYPE, l.LOCK_STATUS<>'GRANTED',
t.PROCESSLIST_ID, IFNULL(t.PROCESSLIST_USER,''), IFNULL(t.PROCESSLIST_HOST,''), IFNULL(t.PROCESSLIST_COMMAND,''),
GREATEST(IFNULL(x.TIMER_WAIT/1e12,0),t.PROCESSLIST_TIME), IFNULL(IFNULL(t.PROCESSLIST_INFO,e.SQL_TEXT),'')
FROM performance_schema.metadata_locks l
JOIN performance_schema.threads t ON t.THREAD_ID=l.OWNER_THREAD_ID
LEFT JOIN performance_schema.events_statements_current e ON e.THREAD_ID=t.THREAD_ID AND e.NESTING_EVENT_LEVEL=0
LEFT JOIN performance_schema.events_transactions_current x ON x.THREAD_ID=t.THREAD_ID AND x.STATE='ACTIVE'
WHERE l.OBJECT_TYPE='TABLE' AND t.PROCESSLIST_ID<>CONNECTION_ID()
AND (l.LOCK_TYPE IN ('SHARED_UPGRADABLE','SHARED_NO_WRITE','SHARED_NO_READ_WRITE','EXCLUSIVE')
OR (l.OBJECT_SCHEMA,l.OBJECT_NAME) IN (SELECT p.OBJECT_SCHEMA, p.OBJECT_NAME
FROM performance_schema.metadata_locks p WHERE p.OBJECT_TYPE='TABLE' AND p.LOCK_STATUS='PENDING'))
ORDER BY 4 LIMIT ` + rowLimit

func (p perf) locks(ctx context.Context, _ bool) ([]lock, error) {
	rows, err := ask(ctx, p.server, perfLocks, 10)
	if err != nil {
		return nil, err
	}
	var all []lock
	for _, r := range rows {
		all = append(all, lock{
			table: dep.Fold(r[0], r[1]), mode: r[2], pending: r[3] == "1",
			owner: Blocker{
				ID: connection(r[4]), User: r[5], Host: r[6], Command: r[7], For: lasting(r[8]), Statement: public(r[9]),
			},
		})
	}
	return all, nil
}

// ask runs a query of so many columns.
func ask(ctx context.Context, server *target.Server, sql string, columns int) ([][]string, error) {
	rows, err := server.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return rows, wide(rows, columns)
}
