package ddlwatch

import "testing"

var viewRows = []row{
	{"CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select * from t",
		"create_view (view) shop.v +schema"},
	{"ALTER ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select a from t",
		"alter_view (view) shop.v +schema"},
	{"CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v`(`x`) AS select b from t",
		"create_view (view) shop.v +schema"},
	{"CREATE ALGORITHM=MERGE DEFINER=\"root\"@\"%\" SQL SECURITY INVOKER VIEW \"v\" AS select 1", "create_view (view) shop.v +schema"},
	{"CREATE VIEW v AS SELECT 1", "create_view (view) shop.v +schema"},
	{"CREATE VIEW IF NOT EXISTS other.v (a, b) AS SELECT 1, 2", "create_view (view) other.v +schema"},
	{"CREATE DEFINER=admin VIEW v AS SELECT f(1)", "create_view (view) shop.v +schema"},
	{"CREATE DEFINER=CURRENT_USER() VIEW v AS SELECT 1", "create_view (view) shop.v +schema"},
	{"CREATE DEFINER = root@127.0.0.1 SQL SECURITY INVOKER VIEW v AS SELECT 1", "create_view (view) shop.v +schema"},
	{"CREATE DEFINER='a b'@'%' VIEW v AS SELECT ';' FROM t", "create_view (view) shop.v +schema"},
	{"CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': id) FROM t",
		"create_view (view) shop.v +schema"},
	{"/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select 1 as x */",
		"create_view (view) shop.v +schema"},
	{"DROP VIEW v", "drop_view (gone) shop.v +schema"},
	{"DROP VIEW IF EXISTS v, other.w CASCADE", "drop_view (gone) shop.v other.w +schema"},
	{"CREATE VIEW v SELECT 1", "create_view (unknown) unsure +schema +fk"},
	{"CREATE MATERIALIZED VIEW v AS SELECT 1", "unknown (unknown) unsure +schema +fk"},
}

func TestPitfall12Views(t *testing.T) { check(t, viewRows) }

var triggerRows = []row{
	{"CREATE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW SET @a = 1", "create_trigger (trigger) shop.t +schema +catalogonly"},
	{"CREATE DEFINER=`root`@`localhost` trigger trg after insert on lk for each row set @x=1", "create_trigger (trigger) shop.lk +schema +catalogonly"},
	{"CREATE DEFINER=`root`@`localhost` TRIGGER `pt_osc_shop_t_del` AFTER DELETE ON `shop`.`t` FOR EACH ROW DELETE IGNORE FROM `shop`.`_t_new` WHERE `id` <=> OLD.`id`",
		"create_trigger (trigger) shop.t +schema +catalogonly"},
	{"CREATE TRIGGER IF NOT EXISTS other.trg AFTER UPDATE OF a, b ON other.t FOR EACH ROW FOLLOWS x BEGIN DROP TEMPORARY TABLE y; END",
		"create_trigger (trigger) other.t +schema +catalogonly"},
	{"CREATE OR REPLACE TRIGGER trg BEFORE INSERT OR UPDATE ON t FOR EACH ROW SET @a = 1", "create_trigger (trigger) shop.t +schema +catalogonly"},
	{"CREATE TRIGGER `on` BEFORE INSERT ON t FOR EACH ROW SET @a = 1", "create_trigger (trigger) shop.t +schema +catalogonly"},
	{"DROP TRIGGER trg", "drop_trigger (trigger) shop.* +schema +catalogonly"},
	{"DROP TRIGGER IF EXISTS `other`.`trg`", "drop_trigger (trigger) other.* +schema +catalogonly"},
	{"CREATE TRIGGER trg BEFORE INSERT", "create_trigger (unknown) unsure +schema +fk"},
	{"CREATE TRIGGER trg ON DATABASE AFTER DDL EXECUTE f", "create_trigger (unknown) unsure +schema +fk"},
}

func TestPitfall6Triggers(t *testing.T) { check(t, triggerRows) }

var routineRows = []row{
	{"CREATE DEFINER=`root`@`localhost` FUNCTION `f`(i int) RETURNS int(11)\n    MODIFIES SQL DATA\n    DETERMINISTIC\nbegin insert into lk values(i,'x'); return i; end", "routine (routine)"},
	{"CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(x int)\nbegin insert into t values (x, 'it''s'); update t set b=concat(b,'!') where a=x; end", "routine (routine)"},
	{"CREATE AGGREGATE FUNCTION med RETURNS REAL SONAME 'udf.so'", "routine (routine)"},
	{"CREATE OR REPLACE FUNCTION f() RETURNS int RETURN 1", "routine (routine)"},
	{"CREATE FUNCTION gcd (a int, b int) RETURNS int LANGUAGE JAVASCRIPT AS $$ return \"it's\" $$", "routine (routine)"},
	{"ALTER FUNCTION f SQL SECURITY INVOKER", "routine (routine)"},
	{"ALTER PROCEDURE p COMMENT 'x'", "routine (routine)"},
	{"DROP FUNCTION IF EXISTS f", "routine (routine)"},
	{"DROP PROCEDURE shop.p", "routine (routine)"},
	{"CREATE DEFINER=\"root\"@\"localhost\" PACKAGE \"pk\" as procedure p1; end", "routine (routine)"},
	{"CREATE DEFINER=\"root\"@\"localhost\" PACKAGE BODY \"pk\" as procedure p1 as begin null; end; end", "routine (routine)"},
	{"drop package pk", "routine (routine)"},
	{"DROP PACKAGE BODY pk", "routine (routine)"},
	{"CREATE LIBRARY l LANGUAGE JAVASCRIPT AS 'x'", "routine (routine)"},
	{"CREATE DEFINER=`root`@`localhost` event e on schedule every 1 day do begin delete from t; end", "event (routine)"},
	{"/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT e ON SCHEDULE EVERY 1 DAY DO SET @x=1 */", "event (routine)"},
	{"alter event e disable", "event (routine)"},
	{"ALTER DEFINER=a@b EVENT e RENAME TO other.e2", "event (routine)"},
	{"drop event e", "event (routine)"},
}

// A statement that calls a routine is never cached, nor one that reads a view that does.
func TestPitfall12Routines(t *testing.T) { check(t, routineRows) }

var databaseRows = []row{
	{"CREATE DATABASE shop", "create_database (schema) shop.* +schema"},
	{"CREATE SCHEMA IF NOT EXISTS `Shop` DEFAULT CHARACTER SET utf8mb4", "create_database (schema) shop.* +schema"},
	{"CREATE OR REPLACE DATABASE shop", "create_database (schema) shop.* +schema"},
	{"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `x` /*!40100 DEFAULT CHARACTER SET utf8mb4 */ /*!80016 DEFAULT ENCRYPTION='N' */",
		"create_database (schema) x.* +schema"},
	{"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `x` /*!40100 DEFAULT CHARACTER SET utf8mb4 */ /* 80016 DEFAULT ENCRYPTION='N' */",
		"create_database (schema) x.* +schema"},
	{"DROP DATABASE shop", "drop_database (schema) shop.* +schema"},
	{"DROP SCHEMA IF EXISTS `old data`", "drop_database (schema) old data.* +schema"},
	{"-- schema: \nDROP DATABASE Other", "drop_database (schema) other.* +schema"},
	{"ALTER DATABASE shop CHARACTER SET latin1", "alter_database (schema) shop.* +schema"},
	{"ALTER SCHEMA `other` COLLATE = utf8mb4_bin", "alter_database (schema) other.* +schema"},
	{"alter database collate utf8mb4_bin", "alter_database (schema) shop.* +schema"},
	{"ALTER DATABASE DEFAULT CHARACTER SET utf8mb4", "alter_database (schema) shop.* +schema"},
	{"ALTER DATABASE shop READ ONLY = 1", "alter_database (schema) shop.* +schema"},
	{"-- schema: \nALTER DATABASE CHARACTER SET utf8mb4", "alter_database (unknown) unsure +schema +fk"},
	{"ALTER DATABASE CHARSET utf8mb4", "alter_database (unknown) unsure +schema +fk"},
	{"ALTER DATABASE `#mysql50#a-b` UPGRADE DATA DIRECTORY NAME", "alter_database (unknown) unsure +schema +fk"},
	{"DROP DATABASE a, b", "drop_database (unknown) unsure +schema +fk"},
}

func TestPitfall6Databases(t *testing.T) { check(t, databaseRows) }

var accountRows = []row{
	{"GRANT SELECT ON shop.* TO 'x'@'%'", "account (account) [account]"},
	{"grant select on shop.* to 'x'@'%' identified by 'p'", "account (account) [account]"},
	{"GRANT REFERENCES ON *.* TO x", "account (account) [account]"},
	{"GRANT r TO x WITH ADMIN OPTION", "account (account) [account]"},
	{"REVOKE SELECT ON shop.* FROM 'x'@'%'", "account (account) [account]"},
	{"REVOKE IF EXISTS ALL PRIVILEGES, GRANT OPTION FROM x IGNORE UNKNOWN USER", "account (account) [account]"},
	{"CREATE USER 'x'@'%' IDENTIFIED WITH 'caching_sha2_password' AS '$A$005$\\'x'", "account (account) [account]"},
	{"create user u@localhost", "account (account) [account]"},
	{"CREATE OR REPLACE USER u", "account (account) [account]"},
	{"ALTER USER u@localhost ACCOUNT LOCK", "account (account) [account]"},
	{"RENAME USER u@localhost TO v@localhost", "account (account) [account]"},
	{"DROP USER IF EXISTS u", "account (account) [account]"},
	{"CREATE ROLE r", "account (account) [account]"},
	{"DROP ROLE r", "account (account) [account]"},
	{"SET PASSWORD FOR 'x'@'%'='*7446F64EFCFB1294A6DE20CAE7E49C2377A9AA25'", "account (account) [account]"},
	{"SET DEFAULT ROLE 'NONE' FOR 'v'@'localhost'", "account (account) [account]"},
	{"FLUSH PRIVILEGES", "account (account) [account]"},
	{"FLUSH HOSTS, PRIVILEGES", "account (account) [account]"},
	{"UPDATE mysql.user SET Select_priv = 'N'", "dml (data) mysql.user [a system table] +rows"},
}

func TestAccounts(t *testing.T) { check(t, accountRows) }

var storageRows = []row{
	{"CREATE TABLESPACE ts ADD DATAFILE 'ts.ibd'", "storage (none)"},
	{"ALTER TABLESPACE ts RENAME TO ts2", "storage (none)"},
	{"DROP UNDO TABLESPACE u", "storage (none)"},
	{"CREATE LOGFILE GROUP g ADD UNDOFILE 'u'", "storage (none)"},
	{"CREATE RESOURCE GROUP rg TYPE = USER", "storage (none)"},
	{"ALTER RESOURCE GROUP rg DISABLE", "storage (none)"},
	{"DROP RESOURCE GROUP rg", "storage (none)"},
	{"ALTER INSTANCE ROTATE INNODB MASTER KEY", "storage (none)"},
	{"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h')", "server (unknown) [a foreign server changed]"},
	{"ALTER SERVER s OPTIONS (HOST 'h')", "server (unknown) [a foreign server changed]"},
	{"DROP SERVER IF EXISTS s", "server (unknown) [a foreign server changed]"},
	{"CREATE OR REPLACE SPATIAL REFERENCE SYSTEM 4120 NAME 'x'", "spatial_reference (unknown) [a spatial reference system changed]"},
	{"DROP SPATIAL REFERENCE SYSTEM 4120", "spatial_reference (unknown) [a spatial reference system changed]"},
	{"INSTALL PLUGIN p SONAME 'p.so'", "plugin (unknown) [plugins changed] +schema +fk"},
	{"INSTALL SONAME 'ha_blackhole'", "plugin (unknown) [plugins changed] +schema +fk"},
	{"UNINSTALL COMPONENT 'file://component_x'", "plugin (unknown) [plugins changed] +schema +fk"},
	{"IMPORT TABLE FROM '/tmp/t.sdi'", "import_table (unknown) [tables imported from files] +schema +fk"},
}

func TestPitfall6StorageAndServers(t *testing.T) { check(t, storageRows) }

var maintenanceRows = []row{
	{"ANALYZE TABLE t", "analyze_table (none) shop.t"},
	{"ANALYZE LOCAL TABLES t, u PERSISTENT FOR ALL", "analyze_table (none) shop.t shop.u"},
	{"ANALYZE TABLE t UPDATE HISTOGRAM ON a WITH 32 BUCKETS", "analyze_table (none) shop.t"},
	{"CHECK TABLE t EXTENDED", "check_table (none) shop.t"},
	{"OPTIMIZE TABLE t, other.u", "optimize_table (none) shop.t other.u"},
	{"OPTIMIZE NO_WRITE_TO_BINLOG TABLE t", "optimize_table (none) shop.t"},
	{"OPTIMIZE TABLE mysql.user", "optimize_table (none) mysql.user"},
	{"REPAIR TABLE t QUICK USE_FRM", "repair_table (shape) shop.t"},
	{"REPAIR VIEW v FROM MYSQL", "repair_table (shape) shop.v"},
	{"FLUSH TABLES", "flush (data)"},
	{"FLUSH LOCAL TABLES WITH READ LOCK", "flush (data)"},
	{"FLUSH TABLES t, u", "flush (data) shop.t shop.u"},
	{"FLUSH TABLE t FOR EXPORT", "flush (data) shop.t"},
	{"FLUSH STATUS", "flush (data)"},
	{"FLUSH BINARY LOGS, ENGINE LOGS, HOSTS", "flush (data)"},
	{"FLUSH QUERY CACHE", "flush (data)"},
	{"FLUSH WHATEVER", "flush (data) unsure"},
	{"OPTIMIZE t", "unknown (unknown) unsure +schema +fk"},
}

func TestMaintenance(t *testing.T) { check(t, maintenanceRows) }

var sequenceRows = []row{
	{"CREATE SEQUENCE s START WITH 1", "create_sequence (shape) shop.s +schema"},
	{"CREATE OR REPLACE SEQUENCE IF NOT EXISTS other.s", "create_sequence (shape) other.s +schema"},
	{"ALTER SEQUENCE IF EXISTS s RESTART 5", "alter_sequence (shape) shop.s +schema"},
	{"DROP SEQUENCE `s` /* generated by server */", "drop_sequence (gone) shop.s +schema"},
	{"SELECT SETVAL(s, 100)", "sequence (data) shop.s"},
	{"SELECT SETVAL(other.s, -100, 0, 1)", "sequence (data) other.s"},
	{"SELECT NEXTVAL(s)", "sequence (data) shop.s"},
	{"SELECT SETVAL(s, f(1))", "select (data) [a stored function wrote]"},
	{"SELECT NEXT VALUE FOR s", "select (data) [a stored function wrote]"},
	{"INSERT INTO t VALUES (NEXT VALUE FOR s)", "dml (data) shop.t [moves a sequence] +rows"},
	{"INSERT INTO t VALUES (s.nextval)", "dml (data) shop.t [moves a sequence] +rows"},
	{"INSERT INTO t VALUES (nextval(s))", "dml (data) shop.t [moves a sequence] +rows"},
}

func TestPitfall6Sequences(t *testing.T) { check(t, sequenceRows) }
