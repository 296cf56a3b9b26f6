package inflight

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir/cache/dep"
	"weir/ddlwatch/target"
)

// info reads information_schema: of MariaDB, and of a MySQL server whose performance_schema is off or hidden from the
// account. PROCESSLIST shows an account without the privilege PROCESS its own statements only.
type info struct {
	server *target.Server
	maria  bool
	plugin bool // METADATA_LOCK_INFO is there

	// done is how far InnoDB is with an ALTER in place, and stale when that must be asked for again.
	done  float64
	stale time.Time

	// guesses are what was answered last without the plugin, at the moment guessed.
	guesses []lock
	guessed time.Time
}

// guessAfter is the least time between two questions for transactions. InnoDB answers them from a copy, which it makes
// anew only if nobody has read it in the last tenth of a second (storage/innobase/trx/trx0i_s.cc of either server): who
// asks more often sees for ever what there was at first.
const guessAfter = 150 * time.Millisecond

// textLimit bounds how much of a statement's text is fetched, in characters.
const textLimit = 65536

// processesSQL asks for what runs. Of what only waits, the beginning of the text is enough. MariaDB counts the stages
// of an ALTER, and tells in percent how far it is in the present one.
func (i *info) processesSQL() string {
	elapsed, progress := "TIME", "0,0,0"
	if i.maria {
		elapsed, progress = "TIME_MS/1000", "STAGE,MAX_STAGE,PROGRESS"
	}
	return "SELECT ID,IFNULL(DB,'')," + elapsed + ",IFNULL(STATE,'')," +
		"LEFT(INFO,IF(" + notData("INFO") + "," + strconv.Itoa(textLimit) + ",256))," + progress + " FROM information_schema.PROCESSLIST" +
		" WHERE INFO IS NOT NULL AND ID<>CONNECTION_ID() AND (" + notData("INFO") + " OR " + isWaiting("STATE") + ")" +
		" ORDER BY " + notData("INFO") + " DESC LIMIT " + rowLimit
}

func (i *info) processes(ctx context.Context) ([]process, error) {
	rows, err := ask(ctx, i.server, i.processesSQL(), 8)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, r := range rows {
		all = append(all, process{
			id: connection(r[0]), schema: r[1], elapsed: lasting(r[2]), state: r[3],
			sql: r[4], cut: len(r[4]) >= textLimit,
			stage: r[3], progress: share(number(r[5])-1+number(r[7])/100, number(r[6])),
		})
	}
	if altering := i.altering(all); len(altering) == 1 {
		altering[0].progress, err = i.inPlace(ctx)
	}
	return all, err
}

// altering are the statements that InnoDB alters or rebuilds a table for without a copy by the server.
func (i *info) altering(all []process) (altering []*process) {
	for n := range all {
		if i.maria && all[n].state == "altering table" && math.IsNaN(all[n].progress) {
			altering = append(altering, &all[n])
		}
	}
	return altering
}

// inPlace is how far InnoDB is, in parts of ten thousand by its status variable: one for all that the server alters,
// so that it means something only if that is one. A server adds up the status of all its threads for the answer, so it
// is asked no more than once a second.
func (i *info) inPlace(ctx context.Context) (float64, error) {
	now := time.Now()
	if now.Before(i.stale) {
		return i.done, nil
	}
	rows, err := ask(ctx, i.server, "SHOW GLOBAL STATUS LIKE 'Innodb_onlineddl_pct_progress'", 2)
	i.done, i.stale = number(""), now.Add(time.Second)
	if len(rows) == 1 {
		i.done = share(number(rows[0][1]), 10000)
	}
	return i.done, err
}

const (
	// LOCK_TIME_MS counts from when the lock was taken.
	pluginLocks = `SELECT l.TABLE_SCHEMA,l.TABLE_NAME,l.LOCK_MODE,p.ID,p.USER,p.HOST,p.COMMAND,
GREATEST(IFNULL(l.LOCK_TIME_MS,0),p.TIME_MS)/1000,IFNULL(p.INFO,'')
FROM information_schema.METADATA_LOCK_INFO l JOIN information_schema.PROCESSLIST p ON p.ID=l.THREAD_ID
WHERE l.LOCK_TYPE='Table metadata lock' LIMIT ` + rowLimit

	// Who itself waits for a table's lock cannot be what the DDL waits for, but for two that wait for each other,
	// which the server ends.
	oldTransactions = `SELECT '','','',p.ID,p.USER,p.HOST,p.COMMAND,
TIMESTAMPDIFF(MICROSECOND,x.trx_started,NOW(6))/1e6,IFNULL(p.INFO,'')
FROM information_schema.INNODB_TRX x JOIN information_schema.PROCESSLIST p ON p.ID=x.trx_mysql_thread_id
WHERE IFNULL(p.STATE,'') NOT LIKE 'Waiting for table %' ORDER BY x.trx_started LIMIT 10`
)

// locks are those that are held, if the plugin tells; else guesses.
func (i *info) locks(ctx context.Context, waiting bool) ([]lock, error) {
	switch {
	case !waiting:
		return nil, nil
	case i.plugin:
		return i.ask(ctx, pluginLocks)
	}
	if since := time.Since(i.guessed); since < guessAfter {
		return older(i.guesses, since), nil
	}
	all, err := i.ask(ctx, oldTransactions)
	if err == nil {
		i.guesses, i.guessed = all, time.Now()
	}
	return all, err
}

// older are the locks after some time.
func older(all []lock, by time.Duration) []lock {
	all = slices.Clone(all)
	for n := range all {
		all[n].owner.For += by
	}
	return all
}

func (i *info) ask(ctx context.Context, sql string) ([]lock, error) {
	rows, err := ask(ctx, i.server, sql, 9)
	if err != nil {
		return nil, err
	}
	var all []lock
	for _, r := range rows {
		all = append(all, lock{
			table: dep.Fold(r[0], r[1]), mode: strings.TrimPrefix(r[2], "MDL_"), guess: !i.plugin,
			owner: Blocker{
				ID: connection(r[3]), User: r[4], Host: r[5], Command: r[6], For: lasting(r[7]),
				Statement: public(r[8]), Guess: !i.plugin,
			},
		})
	}
	return all, nil
}
