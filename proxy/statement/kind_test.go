package statement

import (
	"reflect"
	"testing"
)

// kinds are statements that are not queries, of both flavors.
var kinds = []example{
	{"INSERT INTO t VALUES (1)", "write"},
	{"insert into t select * from u", "write"},
	{"INSERT INTO t VALUES (@a)", "write +"},
	{"INSERT INTO t SELECT GET_LOCK('a', 1)", "write +"},
	{"INSERT INTO t VALUES ('a@b.c')", "write"},
	{"INSERT INTO t VALUES (1) RETURNING id", "write"},
	{"REPLACE INTO t VALUES (1)", "write"},
	{"REPLACE t SET a = REPLACE(GREATEST(1, 2), 'a', 'b')", "write"},
	{"UPDATE t SET a = 1", "write"},
	{"DELETE FROM t", "write"},
	{"DELETE t FROM t JOIN u", "write"},
	{"/* a */ DELETE FROM t", "write"},
	{"# a\nDELETE FROM t", "write"},
	{"-- a\nDELETE FROM t", "write"},
	{";;DELETE FROM t", "write"},
	{"WITH c AS (SELECT * FROM t) UPDATE u SET a = 1", "write"},
	{"WITH c AS (SELECT * FROM t) DELETE FROM u WHERE a IN (SELECT a FROM c)", "write"},
	{"WITH `update` AS (SELECT 1) SELECT REPLACE(a, 'a', 'b') FROM t FOR UPDATE", "read locking_read"},
	{"WITH c AS (SELECT * FROM t) THIS IS ODD", "read unparsable +"},
	{"LOAD DATA INFILE 'f' INTO TABLE t", "write"},
	{"LOAD DATA LOCAL INFILE 'f' INTO TABLE t", "write"},
	{"LOAD XML INFILE 'f' INTO TABLE t", "write"},
	{"CALL p()", "write +"},
	{"DO 1", "read not_select"},
	{"DO SLEEP(1)", "read not_select"},
	{"DO RELEASE_LOCK('a')", "read not_select +"},
	{"DO f()", "write +"},
	{"DO (SELECT 1)", "write +"},
	{"DO SETVAL(s, 1)", "write +"},
	{"CREATE TABLE a (id INT)", "write"},
	{"CREATE OR REPLACE TABLE a (id INT) WITH SYSTEM VERSIONING", "write"},
	{"CREATE TEMPORARY TABLE a (id INT)", "write +"},
	{"CREATE OR REPLACE TEMPORARY TABLE a (id INT)", "write +"},
	{"CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; DELETE FROM u; END", "write +"},
	{"CREATE DEFINER = root@localhost EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t; END", "write +"},
	{"CREATE TABLE a (id INT); SELECT * FROM t", "multi"},
	{"ALTER TABLE t ADD COLUMN a INT INVISIBLE", "write"},
	{"DROP TABLE t", "write"},
	{"DROP TEMPORARY TABLE t", "write +"},
	{"DROP PREPARE p", "deallocate p +"},
	{"TRUNCATE t", "write"},
	{"RENAME TABLE t TO a", "write"},
	{"GRANT SELECT ON *.* TO u", "write"},
	{"REVOKE SELECT ON *.* FROM u", "write"},
	{"FLUSH TABLES WITH READ LOCK", "write +"},
	{"FLUSH QUERY CACHE", "write +"},
	{"RESET QUERY CACHE", "write"},
	{"LOCK TABLES t READ", "write +"},
	{"UNLOCK TABLES", "write +"},
	{"HANDLER t OPEN", "write +"},
	{"XA START 'a'", "write +"},
	{"OPTIMIZE TABLE t", "write"},
	{"REPAIR TABLE t", "write"},
	{"CHECK TABLE t", "write"},
	{"CACHE INDEX t IN c", "write"},
	{"INSTALL PLUGIN p SONAME 's'", "write"},
	{"UNINSTALL PLUGIN p", "write"},
	{"IMPORT TABLE FROM 'f'", "write"},
	{"SHUTDOWN", "write"},
	{"RESTART", "write"},
	{"PURGE BINARY LOGS TO 'f'", "write"},
	{"CHANGE MASTER TO MASTER_HOST = 'h'", "write"},
	{"START REPLICA", "write"},
	{"START SLAVE", "write"},
	{"STOP REPLICA", "write"},
	{"RESET MASTER", "write"},
	{"BACKUP STAGE START", "write +"},
	{"BINLOG 'x'", "write"},
	{"CLONE LOCAL DATA DIRECTORY 'd'", "write"},
	{"KILL 5", "kill"},
	{"GET DIAGNOSTICS @a = NUMBER", "read not_select +"},

	{"USE other", "use other"},
	{"USE `a``b`", "use a`b"},
	{"BEGIN", "begin"},
	{"BEGIN WORK", "begin"},
	{"BEGIN NOT ATOMIC DELETE FROM t; SELECT 1; END", "write +"},
	{"START TRANSACTION", "begin"},
	{"COMMIT", "commit"},
	{"ROLLBACK", "rollback"},
	{"ROLLBACK WORK", "rollback"},
	{"ROLLBACK TO SAVEPOINT a", "savepoint a"},
	{"ROLLBACK WORK TO a", "savepoint a"},
	{"SAVEPOINT a", "savepoint a"},
	{"RELEASE SAVEPOINT `a`", "savepoint a"},
	{"PREPARE p FROM 'SELECT 1'", "prepare p +"},
	{"EXECUTE p USING @a", "execute p +"},
	{"EXECUTE IMMEDIATE 'DELETE FROM t'", "write +"},
	{"DEALLOCATE PREPARE p", "deallocate p +"},

	{"", "unknown"},
	{" -- nothing", "unknown"},
	{";", "unknown"},
	{"IF 1 THEN DELETE FROM t; END IF", "write +"},
	{"FOR i IN 1 .. 5 DO DELETE FROM t; END FOR", "write +"},
	{"SIGNAL SQLSTATE '45000'", "unknown +"},
	{"DELIMITER //", "unknown +"},
	{"MERGE INTO t", "unknown +"},
	{"(DELETE FROM t)", "unknown +"},
	{"5", "unknown +"},
	{"`select` 1", "unknown +"},
	{"\x01SELECT 1", "unknown +"},

	{"SET autocommit = 0", "set_session"},
	{"SET STATEMENT max_statement_time = 1 FOR SELECT * FROM t", "read set_statement +"},
	{"SET STATEMENT a = (SELECT 1), b = 2 FOR DELETE FROM t", "write"},
	{"SET STATEMENT a = 1 FOR CALL p()", "write +"},
	{"SET STATEMENT a = 1 FOR SET b = 1", "unknown +"},
	{"SET STATEMENT a = 1", "unknown +"},
	{"SET STATEMENT max_statement_time = 1, Tx_Read_Only = 0 FOR SELECT f()", "unknown +"},
	{"SET PASSWORD = 'x'", "write"},
	{"SET PASSWORD FOR u@h = 'x'", "write +"},
	{"SET ROLE r", "set_session +"},
	{"SET DEFAULT ROLE r TO u", "write"},
	{"SET RESOURCE GROUP g", "set_session +"},
	{"SET RESOURCE GROUP g FOR 5", "write"},
	{"SET SESSION AUTHORIZATION u", "unknown +"},
	{"SET", "unknown +"},
	{"SET a", "unknown +"},
	{"SET a =", "unknown +"},
	{"SET a = 1,", "unknown +"},
	{"SET @a = NEXTVAL(s)", "write +"},
	{"SET @a = (SELECT 1 INTO OUTFILE 'x')", "write +"},
}

func TestKinds(t *testing.T) { check(t, onWorld(), kinds) }

func TestDetails(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string]string{
		"LOAD DATA LOCAL INFILE 'f' INTO TABLE t":                         "LOCAL",
		"LOAD DATA LOW_PRIORITY LOCAL INFILE 'f' INTO TABLE t":            "LOCAL",
		"LOAD DATA INFILE 'LOCAL' INTO TABLE t":                           "",
		"SET ROLE NONE":                                                   "ROLE",
		"SET PASSWORD = 'x'":                                              "PASSWORD",
		"SELECT a FROM (SELECT b FROM t WHERE c = f(1)) d WHERE x = g(2)": "f",
	} {
		if got := a.Analyze(sql, onWorld()).Detail; got != want {
			t.Errorf("%s: got detail %q, want %q", sql, got, want)
		}
	}
}

func TestTransactions(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string]Transaction{
		"START TRANSACTION":                                      {},
		"START TRANSACTION READ ONLY":                            {Access: ReadOnly},
		"START TRANSACTION READ WRITE, WITH CONSISTENT SNAPSHOT": {Access: ReadWrite, Snapshot: true},
		"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY":  {Access: ReadOnly, Snapshot: true},
		"START TRANSACTION /*!40100 WITH CONSISTENT SNAPSHOT */": {Snapshot: true},
		"COMMIT AND CHAIN":                                       {Chain: true},
		"COMMIT WORK AND NO CHAIN RELEASE":                       {Release: true},
		"ROLLBACK RELEASE":                                       {Release: true},
		"rollback work and chain":                                {Chain: true},
	} {
		if got := a.Analyze(sql, Env{}).Transaction; got != want {
			t.Errorf("%s: got %+v, want %+v", sql, got, want)
		}
	}
}

func TestPitfall42Kill(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string]Killing{
		"KILL 5":                    {ID: 5, Numbered: true},
		"kill connection 5;":        {ID: 5, Numbered: true},
		"KILL QUERY 5":              {ID: 5, Numbered: true, Query: true},
		"KILL HARD QUERY 5":         {ID: 5, Numbered: true, Query: true, Hard: true},
		"KILL SOFT 5":               {ID: 5, Numbered: true, Soft: true},
		"KILL 0":                    {Numbered: true},
		"KILL QUERY ID 5":           {Query: true}, // the number of a statement
		"KILL USER u":               {},
		"KILL QUERY USER u":         {Query: true},
		"KILL 5 + 1":                {},
		"KILL -5":                   {},
		"KILL '5'":                  {},
		"KILL CONNECTION_ID()":      {},
		"KILL 99999999999999999999": {},
	} {
		st := a.Analyze(sql, Env{})
		if st.Kind != Kill || st.Kill != want {
			t.Errorf("%s: got %s %+v, want kill %+v", sql, st.Kind, st.Kill, want)
		}
	}
}

func TestPrepareParts(t *testing.T) {
	a := NewAnalyzer()
	for sql, want := range map[string]string{
		"PREPARE p FROM 'SELECT * FROM t WHERE a = ?'":    "cache db.t",
		"PREPARE p FROM \"DELETE FROM t\"":                "write",
		"PREPARE p FROM 'SELECT ''x'' FROM t'":            "cache db.t",
		"PREPARE p FROM 'SELECT \\'x\\' FROM t'":          "",
		"PREPARE p FROM @sql":                             "",
		"PREPARE p FROM CONCAT('DELETE ', 'FROM t')":      "",
		"PREPARE p FROM 'SELECT * ' 'INTO OUTFILE ''a'''": "",
	} {
		got := ""
		if parts := a.Analyze(sql, onWorld()).Parts; len(parts) == 1 {
			got = describe(parts[0])
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}

func TestPitfall43Assignments(t *testing.T) {
	const session, global, persist, user, next = SessionScope, GlobalScope, PersistScope, UserScope, NextTransaction
	a := NewAnalyzer()
	for _, c := range []struct {
		sql      string
		kind     Kind
		stateful bool
		want     []Assignment
	}{
		{"SET autocommit=0", SetSession, false, []Assignment{{session, "autocommit", "0", true}}},
		{"set AUTOCOMMIT := off", SetSession, false, []Assignment{{session, "autocommit", "off", true}}},
		{"SET SESSION time_zone = '+01:00'", SetSession, false, []Assignment{{session, "time_zone", "'+01:00'", true}}},
		{`SET time_zone = "+01:00"`, SetSession, false, []Assignment{{session, "time_zone", "'+01:00'", true}}},
		{`SET a = "it's"`, SetSession, false, []Assignment{{session, "a", "'it''s'", true}}},
		{`SET a = 'x\'y'`, SetSession, false, []Assignment{{session, "a", `'x\'y'`, false}}},
		{"SET LOCAL a = DEFAULT, @@session.b = -5, @@c = 0x1F", SetSession, false, []Assignment{
			{session, "a", "DEFAULT", true}, {session, "b", "-5", true}, {session, "c", "0x1F", true}}},
		{"SET @@`a` = ON, `b` = utf8mb4, character_set_results = NULL", SetSession, false, []Assignment{
			{session, "a", "ON", true}, {session, "b", "utf8mb4", true}, {session, "character_set_results", "NULL", true}}},
		{"SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES'), a = 1", SetSession, false, []Assignment{
			{session, "sql_mode", "CONCAT(@@sql_mode, ',ANSI_QUOTES')", false}, {session, "a", "1", true}}},
		{"SET timestamp = CURRENT_TIMESTAMP", SetSession, false, []Assignment{{session, "timestamp", "CURRENT_TIMESTAMP", false}}},
		{"SET a = 1 + 1", SetSession, false, []Assignment{{session, "a", "1 + 1", false}}},
		{"SET a = 'x' 'y'", SetSession, false, []Assignment{{session, "a", "'x' 'y'", false}}},
		{"SET @x = 1, @`Y z` := 'a', @'q'=@x", SetSession, true, []Assignment{
			{user, "x", "1", true}, {user, "y z", "'a'", false}, {user, "q", "@x", false}}},
		{"SET @a = (SELECT 1, 2), b = 1", SetSession, true, []Assignment{{user, "a", "(SELECT 1, 2)", false}, {session, "b", "1", true}}},
		{"SET GLOBAL a = 1", Write, false, []Assignment{{global, "a", "1", true}}},
		{"SET @@GLOBAL.a = 1", Write, false, []Assignment{{global, "a", "1", true}}},
		{"SET PERSIST a = 1", Write, false, []Assignment{{persist, "a", "1", true}}},
		{"SET @@persist_only.a = 1", Write, false, []Assignment{{persist, "a", "1", true}}},
		{"SET GLOBAL a = 1, b = 2, @@c = 3, SESSION d = 4, e = 5", Write, false, []Assignment{
			{global, "a", "1", true}, {global, "b", "2", true}, {session, "c", "3", true}, {session, "d", "4", true}, {session, "e", "5", true}}},
		{"SET GLOBAL hot.key_buffer_size = 1", Write, false, []Assignment{{global, "hot.key_buffer_size", "1", true}}},
		{"SET NAMES utf8mb4", SetSession, false, []Assignment{
			{session, "character_set_client", "utf8mb4", true}, {session, "character_set_results", "utf8mb4", true},
			{session, "character_set_connection", "utf8mb4", true}}},
		{"SET NAMES 'utf8mb4' COLLATE utf8mb4_bin, autocommit = 1", SetSession, false, []Assignment{
			{session, "character_set_client", "'utf8mb4'", true}, {session, "character_set_results", "'utf8mb4'", true},
			{session, "character_set_connection", "'utf8mb4'", true}, {session, "collation_connection", "utf8mb4_bin", true},
			{session, "autocommit", "1", true}}},
		{"SET CHARACTER SET latin1", SetSession, false, []Assignment{
			{session, "character_set_client", "latin1", true}, {session, "character_set_results", "latin1", true},
			{session, "collation_connection", "@@collation_database", false}}},
		{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", SetSession, false, []Assignment{
			{next, "transaction_isolation", "'READ-COMMITTED'", true}, {next, "transaction_read_only", "1", true}}},
		{"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", SetSession, false, []Assignment{
			{session, "transaction_isolation", "'SERIALIZABLE'", true}}},
		{"SET SESSION TRANSACTION READ WRITE", SetSession, false, []Assignment{{session, "transaction_read_only", "0", true}}},
		{"SET GLOBAL TRANSACTION READ ONLY", Write, false, []Assignment{{global, "transaction_read_only", "1", true}}},
		{"SET @@transaction_isolation = 'READ-COMMITTED'", SetSession, false, []Assignment{{next, "transaction_isolation", "'READ-COMMITTED'", true}}},
		{"SET @@tx_isolation = 'READ-COMMITTED'", SetSession, false, []Assignment{{next, "tx_isolation", "'READ-COMMITTED'", true}}},
		{"SET transaction_isolation = 'READ-COMMITTED'", SetSession, false, []Assignment{{session, "transaction_isolation", "'READ-COMMITTED'", true}}},
		{"SET weir_wait_for = '0-1-5'", SetSession, false, []Assignment{{session, "weir_wait_for", "'0-1-5'", true}}},
		{"SET query_cache_type = DEMAND", SetSession, false, []Assignment{{session, "query_cache_type", "DEMAND", true}}},
		{"/*!40101 SET NAMES utf8 */", SetSession, false, []Assignment{
			{session, "character_set_client", "utf8", true}, {session, "character_set_results", "utf8", true},
			{session, "character_set_connection", "utf8", true}}},
		{"/*!80000 SET SESSION a = 1 */", SetSession, true, []Assignment{{session, "a", "1", false}}},
		// Rails.
		{"SET  @@SESSION.sql_auto_is_null = 0, @@SESSION.wait_timeout = 2147483, @@SESSION.sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')", SetSession, false, []Assignment{
			{session, "sql_auto_is_null", "0", true}, {session, "wait_timeout", "2147483", true},
			{session, "sql_mode", "CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')", false}}},
	} {
		st := a.Analyze(c.sql, Env{})
		if st.Kind != c.kind || st.Stateful != c.stateful || !reflect.DeepEqual(st.Assignments, c.want) {
			t.Errorf("%s\n got  %s stateful=%v %+v\n want %s stateful=%v %+v", c.sql, st.Kind, st.Stateful, st.Assignments, c.kind, c.stateful, c.want)
		}
	}
}

func TestTransactionVariablesOfMariaDB(t *testing.T) {
	st := NewAnalyzer().Analyze("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", Env{Flavor: MariaDB})
	want := []Assignment{{SessionScope, "tx_isolation", "'REPEATABLE-READ'", true}, {SessionScope, "tx_read_only", "1", true}}
	if !reflect.DeepEqual(st.Assignments, want) {
		t.Errorf("got %+v, want %+v", st.Assignments, want)
	}
}
