package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"weir/cache/dep"
)

// maxExcept bounds how many locked names a query leaves out by name. With more it waits for them.
const maxExcept = 200

// loader gathers facts, one query after the other, in one session.
type loader struct {
	q Querier
	facts

	// wanted are the names to read, in the place of what old knows of them; nil is all. scope is how they are spelled.
	wanted map[dep.Name]bool
	old    *Snapshot
	scope  []rawName
	// portion is how many tables one query for columns asks for.
	portion int
	// progress hears of each step; nil is for nobody.
	progress *progress
	// legacy says that the server has INNODB_SYS_FOREIGN: MariaDB, and MySQL 5.7.
	legacy bool
}

func newLoader(q Querier) *loader { return &loader{q: q, portion: maxPortion} }

// Load reads the schema of MySQL 5.7 and later or MariaDB 10.5 and later. The account needs SELECT, SHOW VIEW,
// TRIGGER and PROCESS on *.*; what follows from a missing one is in [Snapshot.Warnings], or an error where nothing
// could be trusted. A nil log is silent; else each step is told at level Debug, with its rows and time.
//
// On MariaDB and MySQL 5.7 a statement that holds a table exclusively, as CREATE TABLE ... SELECT does all the time,
// keeps information_schema waiting. A load waits one second for such a table and then goes without it, see
// [Snapshot.Locked].
func Load(ctx context.Context, q Querier, log *slog.Logger) (*Snapshot, error) {
	return loadAll(ctx, q, log, nil)
}

func loadAll(ctx context.Context, q Querier, log *slog.Logger, told *progress) (*Snapshot, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := newLoader(q)
	l.progress = told
	if err := l.run(ctx, log); err != nil {
		return nil, err
	}
	return l.assemble(), nil
}

func (l *loader) run(ctx context.Context, log *slog.Logger) error {
	for _, s := range l.steps() {
		l.progress.begin(s.what)
		started := time.Now()
		rows, err := s.run(ctx)
		if err != nil {
			return fmt.Errorf("load the catalogue: %s: %w", s.what, err)
		}
		log.Debug("loading the catalogue", "step", s.what, "rows", rows, "took", time.Since(started))
	}
	return nil
}

type step struct {
	what string
	run  func(context.Context) (rows int, err error)
}

// stepShapes is the step that takes longest.
const stepShapes = "read columns and keys"

// steps are in order. Foreign keys are read first and last, and both count: on MariaDB before 10.6 and MySQL 5.7, a
// table that is being rebuilt may be away for a moment, under another name, and its keys with it.
func (l *loader) steps() []step {
	return []step{
		{"prepare the session", l.prepare},
		{"read the account's privileges", l.readRights},
		{"find out what the server offers", l.readAge},
		{"read foreign keys", l.readForeignKeys},
		{"find names", l.findNames},
		{"read tables", l.readTables},
		{"read views", l.readViews},
		{"read triggers", l.readTriggers},
		{stepShapes, l.readShapes},
		{"read foreign keys again", l.readForeignKeys},
	}
}

// showGenerated makes MySQL 8.0.30 and later tell of primary keys that it generated; nobody else reads the comment.
const showGenerated = " /*!80030 , SESSION show_gipk_in_create_table_and_information_schema = ON */"

// prepare makes the session read and write literals in one way.
func (l *loader) prepare(ctx context.Context) (int, error) {
	for _, sql := range []string{"SET NAMES utf8mb4", "SET SESSION sql_mode = ''" + showGenerated} {
		if _, err := l.q.Query(ctx, sql); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (l *loader) readRights(ctx context.Context) (int, error) {
	rows, err := l.query(ctx, 1, "SHOW GRANTS")
	if err != nil {
		return 0, err
	}
	l.rights = parseGrants(rows)
	if l.wanted != nil && !l.rights.same(l.old.rights) {
		l.wanted = nil
	}
	return len(rows), l.rights.check()
}

// readAge finds out which of its names the server gives to InnoDB's list of foreign keys, and whether it is MariaDB:
// its version may be set to look like another's, but only it has a table of system variables there, since 10.1.
func (l *loader) readAge(ctx context.Context) (int, error) {
	rows, err := l.query(ctx, 1, `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'information_schema'
		AND TABLE_NAME IN ('INNODB_FOREIGN', 'INNODB_SYS_FOREIGN', 'SYSTEM_VARIABLES')`)
	if err != nil {
		return 0, err
	}
	has := map[string]bool{}
	for _, r := range rows {
		has[strings.ToUpper(r[0])] = true
	}
	l.legacy, l.mariaDB = has["INNODB_SYS_FOREIGN"], has["SYSTEM_VARIABLES"]
	l.mayDiffer = l.legacy
	if has["INNODB_FOREIGN"] == l.legacy {
		return 0, errors.New("want one of INNODB_FOREIGN and INNODB_SYS_FOREIGN in information_schema: is InnoDB switched off?")
	}
	return len(rows), nil
}

// query runs one statement and checks that its rows have so many columns.
func (l *loader) query(ctx context.Context, columns int, sql string) ([][]string, error) {
	rows, err := l.q.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if len(r) != columns {
			return nil, fmt.Errorf("want %d columns, have %d", columns, len(r))
		}
	}
	return rows, nil
}

// literal writes a text as a string of SQL, for a session with an empty sql_mode.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}
