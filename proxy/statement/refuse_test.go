package statement

import (
	"strings"
	"testing"
)

// functionCalls are all hidden or plain calls of functions whose value is not the argument's alone.
var functionCalls = []example{
	{"SELECT NOW() FROM t", "read nondeterministic_function NOW"},
	{"SELECT now() FROM t", "read nondeterministic_function NOW"},
	{"SELECT NOW(6) FROM t", "read nondeterministic_function NOW"},
	{"SELECT now () FROM t", "read nondeterministic_function NOW +"},
	{"SELECT NOW/**/() FROM t", "read nondeterministic_function NOW +"},
	{"SELECT NOW\n() FROM t", "read nondeterministic_function NOW +"},
	{"SELECT {fn now()} FROM t", "read nondeterministic_function NOW"},
	{"SELECT * FROM t WHERE d > NOW() - INTERVAL 1 DAY", "read nondeterministic_function NOW"},
	{"SELECT a FROM t ORDER BY RAND()", "read nondeterministic_function RAND"},
	{"SELECT a FROM t ORDER BY RAND(5) LIMIT 1", "read nondeterministic_function RAND"},
	{"SELECT a FROM t GROUP BY NOW()", "read nondeterministic_function NOW"},
	{"SELECT a FROM t HAVING a > NOW()", "read nondeterministic_function NOW"},
	{"SELECT * FROM t JOIN u ON t.d > CURDATE()", "read nondeterministic_function CURDATE"},
	{"SELECT * FROM (SELECT NOW() AS n FROM t) d", "read nondeterministic_function NOW"},
	{"SELECT SUM(a) OVER (ORDER BY UUID()) FROM t", "read nondeterministic_function UUID"},
	{"WITH c AS (SELECT SYSDATE() FROM t) SELECT * FROM c", "read nondeterministic_function SYSDATE"},
	{"SELECT a FROM t UNION SELECT CURTIME()", "read nondeterministic_function CURTIME"},
	{"SELECT CURRENT_TIMESTAMP FROM t", "read nondeterministic_function CURRENT_TIMESTAMP"},
	{"SELECT current_timestamp() FROM t", "read nondeterministic_function CURRENT_TIMESTAMP"},
	{"SELECT CURRENT_TIMESTAMP(3) FROM t", "read nondeterministic_function CURRENT_TIMESTAMP"},
	{"SELECT CURRENT_DATE FROM t", "read nondeterministic_function CURRENT_DATE"},
	{"SELECT CURRENT_TIME FROM t", "read nondeterministic_function CURRENT_TIME"},
	{"SELECT LOCALTIME, 1 FROM t", "read nondeterministic_function LOCALTIME"},
	{"SELECT LOCALTIMESTAMP FROM t", "read nondeterministic_function LOCALTIMESTAMP"},
	{"SELECT LOCALTIMESTAMP() FROM t", "read nondeterministic_function LOCALTIMESTAMP"},
	{"SELECT UTC_DATE FROM t", "read nondeterministic_function UTC_DATE"},
	{"SELECT UTC_TIME() FROM t", "read nondeterministic_function UTC_TIME"},
	{"SELECT UTC_TIMESTAMP FROM t", "read nondeterministic_function UTC_TIMESTAMP"},
	{"SELECT UNIX_TIMESTAMP() FROM t", "read nondeterministic_function UNIX_TIMESTAMP"},
	{"SELECT UNIX_TIMESTAMP ( /* now */ ) FROM t", "read nondeterministic_function UNIX_TIMESTAMP"},
	{"SELECT UUID() FROM t", "read nondeterministic_function UUID"},
	{"SELECT UUID_SHORT() FROM t", "read nondeterministic_function UUID_SHORT"},
	{"SELECT RANDOM_BYTES(8) FROM t", "read nondeterministic_function RANDOM_BYTES"},
	{"SELECT ENCRYPT(a) FROM t", "read nondeterministic_function ENCRYPT"},
	{"SELECT SLEEP(1) FROM t", "read nondeterministic_function SLEEP"},
	{"SELECT BENCHMARK(1000, MD5(a)) FROM t", "read nondeterministic_function BENCHMARK"},
	{"SELECT SYS_GUID() FROM t", "read nondeterministic_function SYS_GUID"},

	{"SELECT CONNECTION_ID() FROM t", "read session_function CONNECTION_ID"},
	{"SELECT USER() FROM t", "read session_function USER"},
	{"SELECT CURRENT_USER FROM t", "read session_function CURRENT_USER"},
	{"SELECT CURRENT_USER() FROM t", "read session_function CURRENT_USER"},
	{"SELECT SESSION_USER() FROM t", "read session_function SESSION_USER"},
	{"SELECT SYSTEM_USER() FROM t", "read session_function SYSTEM_USER"},
	{"SELECT CURRENT_ROLE FROM t", "read session_function CURRENT_ROLE"}, // bare on MariaDB
	{"SELECT CURRENT_ROLE() FROM t", "read session_function CURRENT_ROLE"},
	{"SELECT DATABASE() FROM t", "read session_function DATABASE"},
	{"SELECT SCHEMA() FROM t", "read session_function SCHEMA"},
	{"SELECT VERSION() FROM t", "read session_function VERSION"},
	{"SELECT LOAD_FILE('/etc/passwd') FROM t", "read session_function LOAD_FILE"},
	{"SELECT IS_FREE_LOCK('a') FROM t", "read session_function IS_FREE_LOCK"},
	{"SELECT MASTER_POS_WAIT('f', 4) FROM t", "read session_function MASTER_POS_WAIT"},
	{"SELECT WAIT_FOR_EXECUTED_GTID_SET('x') FROM t", "read session_function WAIT_FOR_EXECUTED_GTID_SET"},
	{"SELECT PS_CURRENT_THREAD_ID() FROM t", "read session_function PS_CURRENT_THREAD_ID"},
	{"SELECT ICU_VERSION() FROM t", "read session_function ICU_VERSION"},
	{"SELECT ROLES_GRAPHML() FROM t", "read session_function ROLES_GRAPHML"},

	{"SELECT f(a) FROM t", "read stored_function f +"},
	{"SELECT db.f(a) FROM t", "read stored_function db.f +"},
	{"SELECT db.concat(a) FROM t", "read stored_function db.concat +"},
	{"SELECT `f`(a) FROM t", "read stored_function f +"},
	{"SELECT `count`(a) FROM t", "read stored_function count +"},
	{"SELECT `now`() FROM t", "read stored_function now +"},
	{"SELECT SUM (a) FROM t", "read stored_function sum +"},
	{"SELECT POINT(a) FROM t", "read stored_function point +"},
	{"SELECT LINESTRING() FROM t", "read stored_function linestring +"},
	{"SELECT char_func(a) FROM t", "read ambiguous_text CHAR_FUNC +"},
	{"SELECT `char_func`(a) FROM t", "read stored_function char_func +"},
	{"SELECT * FROM t WHERE a = 1 AND b = my_function(2)", "read stored_function my_function +"},
	{"SELECT PASSWORD('x') FROM t", "read stored_function password +"},
	{"SELECT TIDB_VERSION() FROM t", "read stored_function tidb_version +"},
	{"SELECT TIDB_CURRENT_TSO FROM t", "read stored_function tidb_current_tso +"},
	{"SELECT APPROX_COUNT_DISTINCT(a) FROM t", "read stored_function approx_count_distinct +"},
	{"SELECT DEFAULT(a) FROM t", "read unsupported_syntax DefaultExpr"},
	{"SELECT VALUES(a) FROM t", "read unsupported_syntax ValuesExpr"},

	// The TiDB parser drops the ORDER BY here. The words are found all the same.
	{"SELECT GROUP_CONCAT(a ORDER BY (SELECT a FROM u)) OVER () FROM t", "read ambiguous_text a subquery is missing from the parsed statement +"},
	{"SELECT GROUP_CONCAT(a ORDER BY NOW()) OVER () FROM t", "read nondeterministic_function NOW"},
}

func TestPitfall26Functions(t *testing.T) { check(t, onWorld(), functionCalls) }

var sessionState = []example{
	{"SELECT @a FROM t", "read user_variable @a +"},
	{"SELECT @a := 1 FROM t", "read user_variable @a +"},
	{"SELECT @`a b` FROM t", "read user_variable @`a b` +"},
	{"SELECT a FROM t WHERE b > @last LIMIT 1", "read user_variable @last +"},
	{"SELECT @@sql_mode FROM t", "read system_variable @@sql_mode"},
	{"SELECT @@version_comment LIMIT 1", "read system_variable @@version_comment"},
	{"SELECT @@session.auto_increment_increment AS a, @@character_set_client AS b", "read system_variable @@session.auto_increment_increment"},
	{"SELECT @@global.gtid_executed", "read system_variable @@global.gtid_executed"},
	{"SELECT @@last_insert_id", "read system_variable @@last_insert_id +"},
	{"SELECT @@identity FROM t", "read system_variable @@identity +"},
	{"SELECT @@warning_count", "read system_variable @@warning_count +"},
	{"SELECT LAST_INSERT_ID()", "read session_function LAST_INSERT_ID +"},
	{"SELECT LAST_INSERT_ID(5) FROM t", "read session_function LAST_INSERT_ID +"},
	{"SELECT FOUND_ROWS()", "read session_function FOUND_ROWS +"},
	{"SELECT ROW_COUNT()", "read session_function ROW_COUNT +"},
	{"SELECT SQL_CALC_FOUND_ROWS * FROM t LIMIT 1", "read sql_calc_found_rows +"},
	{"SELECT GET_LOCK('a', 1)", "read session_function GET_LOCK +"},
	{"SELECT RELEASE_LOCK('a') FROM t", "read session_function RELEASE_LOCK +"},
	{"SELECT IS_USED_LOCK('a')", "read session_function IS_USED_LOCK +"},
	{"SELECT a INTO @x FROM t", "read into +"},
	{"SELECT a, b FROM t LIMIT 1 INTO @x, @y", "read into +"},
	{"SELECT a INTO OUTFILE '/tmp/a' FROM t", "write"},
	{"SELECT a FROM t INTO DUMPFILE '/tmp/a'", "write"},
	{"SELECT a FROM t UNION SELECT b FROM u INTO OUTFILE '/tmp/a'", "write"},
	{"(SELECT a FROM t INTO OUTFILE '/tmp/a')", "write"},
	{"WITH c AS (SELECT 1) SELECT * INTO OUTFILE '/tmp/a' FROM c", "write"},
	{"SELECT NEXTVAL(s)", "write +"},
	{"SELECT NEXT VALUE FOR s", "write +"},
	{"SELECT SETVAL(s, 5)", "write +"},
	{"SELECT LASTVAL(s)", "read sequence LASTVAL +"},
	{"SELECT PREVIOUS VALUE FOR s", "read sequence PREVIOUS VALUE FOR +"},
	{"SELECT * FROM s", "read sequence db.s"},
}

func TestPitfall27SessionState(t *testing.T) { check(t, onWorld(), sessionState) }

var locking = []example{
	{"SELECT * FROM t FOR UPDATE", "read locking_read"},
	{"SELECT * FROM t WHERE id = 5 FOR UPDATE NOWAIT", "read locking_read"},
	{"SELECT * FROM t FOR UPDATE OF t SKIP LOCKED", "read locking_read"},
	{"SELECT * FROM t FOR SHARE", "read locking_read"},
	{"SELECT * FROM t LOCK IN SHARE MODE", "read locking_read"},
	{"SELECT * FROM (SELECT * FROM t FOR UPDATE) d", "read locking_read"},
	{"SELECT * FROM t WHERE a IN (SELECT a FROM u FOR SHARE)", "read locking_read"},
	{"(SELECT * FROM t FOR UPDATE) UNION SELECT * FROM u", "read locking_read"},
	{"WITH c AS (SELECT * FROM t FOR UPDATE) SELECT * FROM c", "read locking_read"},
	{"SELECT * FROM t FOR UPDATE WAIT 5", "read locking_read"},
	{"SELECT * FROM t LOCK IN SHARE MODE NOWAIT", "read locking_read +"}, // MariaDB's; the TiDB parser does not read it
}

func TestPitfall28LockingReads(t *testing.T) { check(t, onWorld(), locking) }

var systemSchemas = []example{
	{"SELECT * FROM information_schema.tables", "read system_schema information_schema.tables"},
	{"SELECT * FROM INFORMATION_SCHEMA.TABLES", "read system_schema information_schema.tables"},
	{"SELECT * FROM `mysql`.`user`", "read system_schema mysql.user"},
	{"SELECT * FROM performance_schema.threads", "read system_schema performance_schema.threads"},
	{"SELECT * FROM sys.version", "read system_schema sys.version"},
	{"SELECT * FROM t JOIN information_schema.tables i ON t.a = i.table_name", "read system_schema information_schema.tables"},
	{"SELECT * FROM t WHERE a IN (SELECT table_name FROM information_schema.tables)", "read system_schema information_schema.tables"},
	{"SELECT * FROM db.vsys", "read system_schema db.vsys: information_schema.tables"},
	{"SHOW TABLES", "read not_select"},
	{"SHOW FULL COLUMNS FROM t", "read not_select"},
	{"SHOW VARIABLES LIKE 'a%'", "read not_select"},
	{"SHOW WARNINGS", "read not_select +"},
	{"SHOW COUNT(*) ERRORS", "read not_select +"},
	{"SHOW PROFILES", "read not_select +"},
	{"DESC t", "read not_select"},
	{"DESCRIBE t 'a%'", "read not_select"},
	{"EXPLAIN SELECT * FROM t", "read not_select"},
	{"EXPLAIN FORMAT=JSON SELECT * FROM t", "read not_select"},
	{"EXPLAIN ANALYZE SELECT * FROM t", "read not_select"},
	{"EXPLAIN DELETE FROM t", "read not_select"},
	{"EXPLAIN UPDATE t SET a = 1", "read not_select"},
	{"EXPLAIN FOR CONNECTION 5", "read not_select"},
	{"EXPLAIN ANALYZE DELETE FROM t", "write"},
	{"EXPLAIN ANALYZE FORMAT=TREE UPDATE t SET a = 1", "write"},
	{"EXPLAIN ANALYZE WITH c AS (SELECT 1) DELETE FROM t", "write"},
	{"EXPLAIN ANALYZE WITH c AS (SELECT 1) SELECT * FROM c", "read not_select"},
	{"EXPLAIN FORMAT=JSON INTO @p SELECT * FROM t", "read not_select +"},
	{"ANALYZE SELECT * FROM t", "read not_select"},
	{"ANALYZE FORMAT=JSON SELECT * FROM t", "read not_select"},
	{"ANALYZE UPDATE t SET a = 1", "write"},
	{"ANALYZE FORMAT=JSON DELETE FROM t", "write"},
	{"ANALYZE TABLE t", "write"},
	{"HELP 'SELECT'", "read not_select"},
	{"CHECKSUM TABLE t", "read not_select"},
}

func TestPitfall30SystemSchemas(t *testing.T) {
	check(t, onWorld(), systemSchemas)
	env := onWorld()
	env.Schema = "Information_Schema"
	check(t, env, []example{
		{"SELECT * FROM tables", "read system_schema information_schema.tables"},
		{"SELECT * FROM db.t, tables", "read system_schema information_schema.tables"},
	})
}

var comments = []example{
	{"SELECT 1; SELECT 2", "multi"},
	{"SELECT * FROM t; DELETE FROM t", "multi"},
	{"SELECT * FROM t;SELECT * FROM u;", "multi"},
	{"SELECT ';' FROM t", "cache db.t"},
	{"SELECT * FROM t WHERE a = 'it''s; DROP TABLE t'", "cache db.t"},
	{"SELECT * FROM t WHERE a = '\\'; DROP TABLE t -- '", "cache db.t"},
	{"SELECT `;` FROM t /* ; */ # ;\n-- ;", "cache db.t"},
	{"SELECT * FROM t; -- done", "read multi_statement"},
	{"SELECT * FROM t; /* done */", "read multi_statement"},
	{"SELECT /*!40001 SQL_NO_CACHE */ * FROM t", "read sql_no_cache"},
	{"SELECT /*!50000 a, */ b FROM t", "read version_comment"},
	{"SELECT /*! a, */ b FROM t", "read version_comment"},
	{"SELECT /*!80000 a, */ b FROM t", "read version_comment +"},
	{"SELECT /*!100100 a, */ b FROM t", "read version_comment +"},
	{"SELECT /*M! a, */ b FROM t", "read version_comment +"},
	{"SELECT /*M!100100 a, */ b FROM t", "read version_comment +"},
	{"SELECT a FROM t /*!50700 WHERE b = 1 */", "read version_comment +"},
	{"SELECT '/*!50700 x */' FROM t", "cache db.t"},
	{"SELECT `/*! x */` FROM t", "cache db.t"},
	{"SELECT /* /*! */ a FROM t", "cache db.t"}, // a comment in a comment
	{"SELECT a FROM t /*T! , u */", "read version_comment /*T! +"},
	{"SELECT a FROM t /*T![auto_rand] , u */", "read version_comment /*T! +"},
	{"SELECT /*+ SET_VAR(sort_buffer_size = 16M) */ * FROM t", "read set_var_hint"},
	{"SELECT /*+ set_var(time_zone='+01:00') */ * FROM t", "read ambiguous_text quotes in a hint +"},
	{"SELECT SQL_NO_CACHE * FROM t", "read sql_no_cache"},
	{"SELECT * FROM (SELECT SQL_NO_CACHE * FROM t) d", "read sql_no_cache"},

	// What a comment hides, and what it pretends.
	{"/*!50000 DELETE FROM t */", "write"},
	{"/*!99999 EXPLAIN */ DELETE FROM t", "write +"},
	{"/*M! EXPLAIN */ DELETE FROM t", "write +"},
	{"/*!99999 SELECT 1; */ DELETE FROM t", "write +"},
	{"/*!99999 SELECT ' */ DELETE FROM t -- '", "write +"},
	{"SELECT 1 /*!99999 ; DELETE FROM t */", "write +"},
	{"SELECT 1 /*M! ; SET GLOBAL a = 1 */", "write +"},
	{"SELECT a /*!99999 INTO OUTFILE 'x' */ FROM t", "write +"},
	{"/*T! EXPLAIN */ DELETE FROM t", "write"},
	{"/*T!99999 EXPLAIN */ UPDATE t SET a = 1", "write"},
	{"/*!50100 SELECT 1 /* inner */ FROM t */", "read version_comment"},
	{"/*!99999 SHOW */ SELECT 1", "read not_select +"},
	{"/*!99999 BEGIN */", "unknown +"},
}

func TestPitfall32CommentsAndMultiStatements(t *testing.T) { check(t, onWorld(), comments) }

func TestPitfall32Parts(t *testing.T) {
	st := NewAnalyzer().Analyze("SET @a = 1; SELECT * FROM t; CREATE PROCEDURE p() BEGIN DELETE FROM t; SELECT 1; END", onWorld())
	var got []string
	for _, p := range st.Parts {
		got = append(got, describe(p))
	}
	const want = "set_session +|read multi_statement|write"
	if st.Kind != Multi || strings.Join(got, "|") != want {
		t.Errorf("got %s: %q, want multi: %q", st.Kind, strings.Join(got, "|"), want)
	}
}

var various = []example{
	{"SELECT 1", "read no_table"},
	{"SELECT 1 FROM DUAL", "read no_table"},
	{"SELECT * FROM (SELECT 1) d", "read no_table"},
	{"VALUES ROW (1, 2)", "read no_table"},
	{"SELECT * FROM nope", "read unknown_table db.nope"},
	{"SELECT * FROM t, nope.t", "read unknown_table nope.t"},
	{"SELECT * FROM seq_1_to_10", "read unknown_table db.seq_1_to_10"},
	{"SELECT * FROM t TABLESAMPLE SYSTEM (10)", "read unsupported_syntax TableName"},
	{"SELECT * FROM t AS OF TIMESTAMP '2024-01-01 00:00:00'", "read unsupported_syntax TableName"},

	// What the TiDB parser does not read, and servers do.
	{"SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01'", "read unparsable +"},
	{"SELECT * FROM t FOR SYSTEM_TIME ALL", "read unparsable +"},
	{"SELECT * FROM t PROCEDURE ANALYSE()", "read unparsable +"},
	{"SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) j", "read unparsable +"},
	{"SELECT a FROM t WHERE a SOUNDS LIKE 'b'", "read unparsable +"},
	{"VALUES (1, 2), (3, 4)", "read unparsable +"},
	{"SELECT * FROM t LIMIT 5 ROWS EXAMINED 10", "read unparsable +"},
	{"SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) OVER () FROM t", "read unparsable +"},
	{"SELECT a FROM t MINUS SELECT a FROM u", "read unparsable +"},
	{"SELECT FROM WHERE", "read unparsable +"},
	{"SELECT * FROM t garbage here", "read unparsable +"},
	{"SELECT 'open", "read ambiguous_text open quote +"},
	{"SELECT 1 /* open", "read ambiguous_text open comment +"},
	{"SELECT a FROM t WHERE b = \x01", "read ambiguous_text control character +"},
	{"SELECT a\x00 FROM t", "read ambiguous_text control character +"},
	{"SELECT $$a$$ FROM t", "read ambiguous_text dollar quotes +"},
	{"SELECT '\xff' FROM t", "read character_set"},
	{"SELECT a FROM t WHERE b IN (" + strings.Repeat("1,", MaxLength/2) + "1)", "read too_long +"},
}

func TestOtherReasons(t *testing.T) { check(t, onWorld(), various) }

func TestNoSchemaNoCatalog(t *testing.T) {
	check(t, Env{Catalog: world}, []example{
		{"SELECT * FROM t", "read unknown_table t"},
		{"SELECT * FROM db.t", "cache db.t"},
		{"WITH t AS (SELECT * FROM db.u) SELECT * FROM t", "cache db.u"},
	})
	check(t, Env{Schema: "db"}, []example{{"SELECT * FROM t", "read unknown_table db.t"}})
}

// TestSQLModes reads the same texts under other modes.
func TestPitfall25SQLModes(t *testing.T) {
	for mode, examples := range map[string][]example{
		"": {
			{`SELECT * FROM "t"`, "read unparsable +"},
			{`SELECT a FROM t WHERE b = "x; y"`, "cache db.t"},
			{`SELECT a FROM t WHERE b = 'x\' FROM u -- '`, "cache db.t"},
		},
		"ANSI_QUOTES": {
			{`SELECT * FROM "t"`, "cache db.t"},
			{`SELECT "a;b" FROM "other"."t"`, "cache other.t"},
			{`SELECT "a\" FROM t WHERE "b"`, "read ambiguous_text backslash in a quoted identifier +"},
			{`SELECT "now"() FROM t`, "read stored_function now +"},
		},
		"ANSI":                 {{`SELECT * FROM "t"`, "cache db.t"}, {"SELECT SUM (a) FROM t", "cache db.t"}},
		"NO_BACKSLASH_ESCAPES": {{`SELECT a FROM t WHERE b = 'x\' UNION SELECT a FROM u -- '`, "cache db.t db.u"}},
		"IGNORE_SPACE":         {{"SELECT SUM (a) FROM t", "cache db.t"}, {"SELECT SUM /* a */ (a) FROM t", "read stored_function sum +"}, {"SELECT now () FROM t", "read nondeterministic_function NOW"}},
		"PIPES_AS_CONCAT":      {{"SELECT a || (SELECT b FROM u) FROM t", "cache db.t db.u"}},
		"HIGH_NOT_PRECEDENCE":  {{"SELECT NOT a BETWEEN 1 AND (SELECT b FROM u) FROM t", "cache db.t db.u"}},
		"STRICT_TRANS_TABLES,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO": {{"SELECT * FROM t", "cache db.t"}},
		"ORACLE": {{"SELECT * FROM t", "read sql_mode ORACLE"}},
		"MSSQL":  {{"SELECT * FROM t", "read sql_mode MSSQL"}},
		"FUTURE": {{"SELECT * FROM t", "read sql_mode FUTURE"}},
		"4":      {{"SELECT * FROM t", "read sql_mode 4"}},
	} {
		env := onWorld()
		env.SQLMode = mode
		t.Run(mode, func(t *testing.T) { check(t, env, examples) })
	}
}

// TestPitfall23CharacterSets reads texts whose bytes mean something else in another character set.
func TestPitfall23CharacterSets(t *testing.T) {
	for charset, examples := range map[string][]example{
		"utf8mb3": {{"SELECT 'é' FROM t", "cache db.t"}},
		"latin1":  {{"SELECT 'e' FROM t", "cache db.t"}, {"SELECT '\xe9' FROM t", "read character_set latin1"}, {"SELECT * FROM naïve", "read character_set latin1"}},
		"gbk": {
			{"SELECT 'e' FROM t", "cache db.t"},
			// The second byte of a character looks like a backslash, or like a backquote.
			{"SELECT '\xbf\\' FROM t; DELETE FROM u -- '", "multi +"},
			{"SELECT `\xbf`` FROM t; DELETE FROM u -- `", "multi +"},
			{"SELECT '\xbf\\\\' FROM t; DELETE FROM u", "read character_set gbk +"},
			{"SELECT '\\\xbf' FROM t; DELETE FROM u -- '", "multi"},
		},
		"sjis":   {{"SELECT '\x83\\' FROM t; DELETE FROM u -- '", "multi +"}, {"SELECT '\xb1\\' FROM t; DELETE FROM u -- '", "read character_set sjis"}},
		"big5":   {{"SELECT '\xa5\\' FROM t; DELETE FROM u -- '", "multi +"}},
		"cp932":  {{"SELECT '\x83\\' FROM t; DELETE FROM u -- '", "multi +"}},
		"swe7":   {{"SELECT * FROM t", "read character_set swe7"}},
		"binary": {{"SELECT * FROM t", "cache db.t"}},
	} {
		env := onWorld()
		env.Charset = charset
		t.Run(charset, func(t *testing.T) { check(t, env, examples) })
	}
}

// TestFlavors checks functions that only one flavor, or only newer versions, have built in.
func TestFlavors(t *testing.T) {
	const stored = "read stored_function "
	for _, c := range []struct {
		flavor    Flavor
		version   int
		sql, want string
	}{
		{AnyFlavor, 0, "SELECT ANY_VALUE(a) FROM t", stored + "any_value +"},
		{MySQL, 0, "SELECT ANY_VALUE(a) FROM t", "cache db.t"},
		{MariaDB, 1011, "SELECT ANY_VALUE(a) FROM t", stored + "any_value +"},
		{AnyFlavor, 0, "SELECT NVL(a, b) FROM t", stored + "nvl +"},
		{MariaDB, 0, "SELECT NVL(a, b) FROM t", "cache db.t"},
		{MySQL, 804, "SELECT NVL(a, b) FROM t", stored + "nvl +"},
		{MariaDB, 1006, "SELECT SFORMAT('{}', a) FROM t", stored + "sformat +"},
		{MariaDB, 1011, "SELECT SFORMAT('{}', a) FROM t", "cache db.t"},
		{MySQL, 900, "SELECT SFORMAT('{}', a) FROM t", stored + "sformat +"},
		{AnyFlavor, 0, "SELECT SFORMAT('{}', a) FROM t", stored + "sformat +"},
		{MySQL, 804, "SELECT VECTOR_DIM(a) FROM t", stored + "vector_dim +"},
		{MySQL, 903, "SELECT VECTOR_DIM(a) FROM t", "cache db.t"},
		{MySQL, 0, "SELECT JSON_OVERLAPS(a, b) FROM t", "cache db.t"},
		{MariaDB, 1006, "SELECT JSON_OVERLAPS(a, b) FROM t", stored + "json_overlaps +"},
		{MariaDB, 1104, "SELECT JSON_OVERLAPS(a, b) FROM t", "cache db.t"},
		{AnyFlavor, 0, "SELECT JSON_OVERLAPS(a, b) FROM t", stored + "json_overlaps +"},
	} {
		env := onWorld()
		env.Flavor, env.Version = c.flavor, c.version
		check(t, env, []example{{c.sql, c.want}})
	}
}

// TestFunctionLists checks that no function is both cached and refused.
func TestFunctionLists(t *testing.T) {
	f := newFunctions()
	for name := range f.refused {
		if _, ok := f.native[name]; ok {
			t.Errorf("%s is on the list of deterministic functions and on one of the others", name)
		}
	}
	for _, list := range []map[string]bool{f.stateful, f.bare} {
		for name := range list {
			if _, ok := f.refused[name]; !ok && name != "current_catalog" && name != "current_schema" {
				t.Errorf("%s has no reason to be refused for", name)
			}
		}
	}
	for name := range f.clock {
		if _, ok := f.native[name]; !ok {
			t.Errorf("%s wants a date but is never cached anyway", name)
		}
	}
}
