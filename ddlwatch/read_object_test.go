package ddlwatch

import "testing"

var viewRows = []row{
	{"CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select * from t",
		"create_view shop.v +schema"},
	{"ALTER ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select a from t",
		"alter_view shop.v +schema"},
	{"CREATE OR REPLACE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v`(`x`) AS select b from t",
		"create_view shop.v +schema"},
	{"CREATE ALGORITHM=MERGE DEFINER=\"root\"@\"%\" SQL SECURITY INVOKER VIEW \"v\" AS select 1", "create_view shop.v +schema"},
	{"CREATE VIEW v AS SELECT 1", "create_view shop.v +schema"},
	{"CREATE VIEW IF NOT EXISTS other.v (a, b) AS SELECT 1, 2", "create_view other.v +schema"},
	{"CREATE DEFINER=admin VIEW v AS SELECT f(1)", "create_view shop.v +schema"},
	{"CREATE DEFINER=CURRENT_USER() VIEW v AS SELECT 1", "create_view shop.v +schema"},
	{"CREATE DEFINER = root@127.0.0.1 SQL SECURITY INVOKER VIEW v AS SELECT 1", "create_view shop.v +schema"},
	{"CREATE DEFINER='a b'@'%' VIEW v AS SELECT ';' FROM t", "create_view shop.v +schema"},
	{"CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW v AS SELECT JSON_DUALITY_OBJECT('_id': id) FROM t",
		"create_view shop.v +schema"},
	{"/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select 1 as x */",
		"create_view shop.v +schema"},
	{"DROP VIEW v", "drop_view shop.v +schema"},
	{"DROP VIEW IF EXISTS v, other.w CASCADE", "drop_view shop.v other.w +schema"},
	{"CREATE VIEW v SELECT 1", "create_view unsure +schema +fk"},
	{"CREATE MATERIALIZED VIEW v AS SELECT 1", "unknown unsure +schema +fk"},
}

func TestPitfall12Views(t *testing.T) { check(t, viewRows) }

var triggerRows = []row{
	{"CREATE TRIGGER trg BEFORE INSERT ON t FOR EACH ROW SET @a = 1", "create_trigger shop.t +schema"},
	{"CREATE DEFINER=`root`@`localhost` trigger trg after insert on lk for each row set @x=1", "create_trigger shop.lk +schema"},
	{"CREATE DEFINER=`root`@`localhost` TRIGGER `pt_osc_shop_t_del` AFTER DELETE ON `shop`.`t` FOR EACH ROW DELETE IGNORE FROM `shop`.`_t_new` WHERE `id` <=> OLD.`id`",
		"create_trigger shop.t +schema"},
	{"CREATE TRIGGER IF NOT EXISTS other.trg AFTER UPDATE OF a, b ON other.t FOR EACH ROW FOLLOWS x BEGIN DROP TEMPORARY TABLE y; END",
		"create_trigger other.t +schema"},
	{"CREATE OR REPLACE TRIGGER trg BEFORE INSERT OR UPDATE ON t FOR EACH ROW SET @a = 1", "create_trigger shop.t +schema"},
	{"CREATE TRIGGER `on` BEFORE INSERT ON t FOR EACH ROW SET @a = 1", "create_trigger shop.t +schema"},
	{"DROP TRIGGER trg", "drop_trigger shop.* +schema +catalogonly"},
	{"DROP TRIGGER IF EXISTS `other`.`trg`", "drop_trigger other.* +schema +catalogonly"},
	{"CREATE TRIGGER trg BEFORE INSERT", "create_trigger unsure +schema +fk"},
	{"CREATE TRIGGER trg ON DATABASE AFTER DDL EXECUTE f", "create_trigger unsure +schema +fk"},
}

func TestPitfall6Triggers(t *testing.T) { check(t, triggerRows) }

var routineRows = []row{
	{"CREATE DEFINER=`root`@`localhost` FUNCTION `f`(i int) RETURNS int(11)\n    MODIFIES SQL DATA\n    DETERMINISTIC\nbegin insert into lk values(i,'x'); return i; end", "routine"},
	{"CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(x int)\nbegin insert into t values (x, 'it''s'); update t set b=concat(b,'!') where a=x; end", "routine"},
	{"CREATE AGGREGATE FUNCTION med RETURNS REAL SONAME 'udf.so'", "routine"},
	{"CREATE OR REPLACE FUNCTION f() RETURNS int RETURN 1", "routine"},
	{"CREATE FUNCTION gcd (a int, b int) RETURNS int LANGUAGE JAVASCRIPT AS $$ return \"it's\" $$", "routine"},
	{"ALTER FUNCTION f SQL SECURITY INVOKER", "routine"},
	{"ALTER PROCEDURE p COMMENT 'x'", "routine"},
	{"DROP FUNCTION IF EXISTS f", "routine"},
	{"DROP PROCEDURE shop.p", "routine"},
	{"CREATE DEFINER=\"root\"@\"localhost\" PACKAGE \"pk\" as procedure p1; end", "routine"},
	{"CREATE DEFINER=\"root\"@\"localhost\" PACKAGE BODY \"pk\" as procedure p1 as begin null; end; end", "routine"},
	{"drop package pk", "routine"},
	{"DROP PACKAGE BODY pk", "routine"},
	{"CREATE LIBRARY l LANGUAGE JAVASCRIPT AS 'x'", "routine"},
	{"CREATE DEFINER=`root`@`localhost` event e on schedule every 1 day do begin delete from t; end", "event"},
	{"/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT e ON SCHEDULE EVERY 1 DAY DO SET @x=1 */", "event"},
	{"alter event e disable", "event"},
	{"ALTER DEFINER=a@b EVENT e RENAME TO other.e2", "event"},
	{"drop event e", "event"},
}

// A statement that calls a routine is never cached, nor one that reads a view that does.
func TestPitfall12Routines(t *testing.T) { check(t, routineRows) }

var databaseRows = []row{
	{"CREATE DATABASE shop", "create_database shop.* +schema"},
	{"CREATE SCHEMA IF NOT EXISTS `Shop` DEFAULT CHARACTER SET utf8mb4", "create_database shop.* +schema"},
	{"CREATE OR REPLACE DATABASE shop", "create_database shop.* +schema"},
	{"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `x` /*!40100 DEFAULT CHARACTER SET utf8mb4 */ /*!80016 DEFAULT ENCRYPTION='N' */",
		"create_database x.* +schema"},
	{"CREATE DATABASE /*!32312 IF NOT EXISTS*/ `x` /*!40100 DEFAULT CHARACTER SET utf8mb4 */ /* 80016 DEFAULT ENCRYPTION='N' */",
		"create_database x.* +schema"},
	{"DROP DATABASE shop", "drop_database shop.* +schema +fk"},
	{"DROP SCHEMA IF EXISTS `old data`", "drop_database old data.* +schema +fk"},
	{"-- schema: \nDROP DATABASE Other", "drop_database other.* +schema +fk"},
	{"ALTER DATABASE shop CHARACTER SET latin1", "alter_database shop.* +schema"},
	{"ALTER SCHEMA `other` COLLATE = utf8mb4_bin", "alter_database other.* +schema"},
	{"alter database collate utf8mb4_bin", "alter_database shop.* +schema"},
	{"ALTER DATABASE DEFAULT CHARACTER SET utf8mb4", "alter_database shop.* +schema"},
	{"ALTER DATABASE shop READ ONLY = 1", "alter_database shop.* +schema"},
	{"-- schema: \nALTER DATABASE CHARACTER SET utf8mb4", "alter_database unsure +schema +fk"},
	{"ALTER DATABASE CHARSET utf8mb4", "alter_database unsure +schema +fk"},
	{"ALTER DATABASE `#mysql50#a-b` UPGRADE DATA DIRECTORY NAME", "alter_database unsure +schema +fk"},
	{"DROP DATABASE a, b", "drop_database unsure +schema +fk"},
}

func TestPitfall6Databases(t *testing.T) { check(t, databaseRows) }

var accountRows = []row{
	{"GRANT SELECT ON shop.* TO 'x'@'%'", "account [account]"},
	{"grant select on shop.* to 'x'@'%' identified by 'p'", "account [account]"},
	{"GRANT REFERENCES ON *.* TO x", "account [account]"},
	{"GRANT r TO x WITH ADMIN OPTION", "account [account]"},
	{"REVOKE SELECT ON shop.* FROM 'x'@'%'", "account [account]"},
	{"REVOKE IF EXISTS ALL PRIVILEGES, GRANT OPTION FROM x IGNORE UNKNOWN USER", "account [account]"},
	{"CREATE USER 'x'@'%' IDENTIFIED WITH 'caching_sha2_password' AS '$A$005$\\'x'", "account [account]"},
	{"create user u@localhost", "account [account]"},
	{"CREATE OR REPLACE USER u", "account [account]"},
	{"ALTER USER u@localhost ACCOUNT LOCK", "account [account]"},
	{"RENAME USER u@localhost TO v@localhost", "account [account]"},
	{"DROP USER IF EXISTS u", "account [account]"},
	{"CREATE ROLE r", "account [account]"},
	{"DROP ROLE r", "account [account]"},
	{"SET PASSWORD FOR 'x'@'%'='*7446F64EFCFB1294A6DE20CAE7E49C2377A9AA25'", "account [account]"},
	{"SET DEFAULT ROLE 'NONE' FOR 'v'@'localhost'", "account [account]"},
	{"FLUSH PRIVILEGES", "account [account]"},
	{"FLUSH HOSTS, PRIVILEGES", "account [account]"},
	{"UPDATE mysql.user SET Select_priv = 'N'", "dml mysql.user [a system table] +rows"},
}

func TestAccounts(t *testing.T) { check(t, accountRows) }

var storageRows = []row{
	{"CREATE TABLESPACE ts ADD DATAFILE 'ts.ibd'", "storage"},
	{"ALTER TABLESPACE ts RENAME TO ts2", "storage"},
	{"DROP UNDO TABLESPACE u", "storage"},
	{"CREATE LOGFILE GROUP g ADD UNDOFILE 'u'", "storage"},
	{"CREATE RESOURCE GROUP rg TYPE = USER", "storage"},
	{"ALTER RESOURCE GROUP rg DISABLE", "storage"},
	{"DROP RESOURCE GROUP rg", "storage"},
	{"ALTER INSTANCE ROTATE INNODB MASTER KEY", "storage"},
	{"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h')", "server [a foreign server changed]"},
	{"ALTER SERVER s OPTIONS (HOST 'h')", "server [a foreign server changed]"},
	{"DROP SERVER IF EXISTS s", "server [a foreign server changed]"},
	{"CREATE OR REPLACE SPATIAL REFERENCE SYSTEM 4120 NAME 'x'", "spatial_reference [a spatial reference system changed]"},
	{"DROP SPATIAL REFERENCE SYSTEM 4120", "spatial_reference [a spatial reference system changed]"},
	{"INSTALL PLUGIN p SONAME 'p.so'", "plugin [plugins changed] +schema +fk"},
	{"INSTALL SONAME 'ha_blackhole'", "plugin [plugins changed] +schema +fk"},
	{"UNINSTALL COMPONENT 'file://component_x'", "plugin [plugins changed] +schema +fk"},
	{"IMPORT TABLE FROM '/tmp/t.sdi'", "import_table [tables imported from files] +schema +fk"},
}

func TestPitfall6StorageAndServers(t *testing.T) { check(t, storageRows) }

var maintenanceRows = []row{
	{"ANALYZE TABLE t", "analyze_table"},
	{"ANALYZE LOCAL TABLES t, u PERSISTENT FOR ALL", "analyze_table"},
	{"ANALYZE TABLE t UPDATE HISTOGRAM ON a WITH 32 BUCKETS", "analyze_table"},
	{"CHECK TABLE t EXTENDED", "check_table"},
	{"OPTIMIZE TABLE t, other.u", "optimize_table shop.t other.u"},
	{"OPTIMIZE NO_WRITE_TO_BINLOG TABLE t", "optimize_table shop.t"},
	{"OPTIMIZE TABLE mysql.user", "optimize_table mysql.user"},
	{"REPAIR TABLE t QUICK USE_FRM", "repair_table shop.t"},
	{"REPAIR VIEW v FROM MYSQL", "repair_table shop.v"},
	{"FLUSH TABLES", "flush"},
	{"FLUSH LOCAL TABLES WITH READ LOCK", "flush"},
	{"FLUSH TABLES t, u", "flush shop.t shop.u"},
	{"FLUSH TABLE t FOR EXPORT", "flush shop.t"},
	{"FLUSH STATUS", "flush"},
	{"FLUSH BINARY LOGS, ENGINE LOGS, HOSTS", "flush"},
	{"FLUSH QUERY CACHE", "flush"},
	{"FLUSH WHATEVER", "flush unsure"},
	{"OPTIMIZE t", "unknown unsure +schema +fk"},
}

func TestMaintenance(t *testing.T) { check(t, maintenanceRows) }

var sequenceRows = []row{
	{"CREATE SEQUENCE s START WITH 1", "create_sequence shop.s +schema"},
	{"CREATE OR REPLACE SEQUENCE IF NOT EXISTS other.s", "create_sequence other.s +schema"},
	{"ALTER SEQUENCE IF EXISTS s RESTART 5", "alter_sequence shop.s +schema"},
	{"DROP SEQUENCE `s` /* generated by server */", "drop_sequence shop.s +schema"},
	{"SELECT SETVAL(s, 100)", "sequence shop.s"},
	{"SELECT SETVAL(other.s, -100, 0, 1)", "sequence other.s"},
	{"SELECT NEXTVAL(s)", "sequence shop.s"},
	{"SELECT SETVAL(s, f(1))", "select [a stored function wrote]"},
	{"SELECT NEXT VALUE FOR s", "select [a stored function wrote]"},
	{"INSERT INTO t VALUES (NEXT VALUE FOR s)", "dml shop.t [moves a sequence] +rows"},
	{"INSERT INTO t VALUES (s.nextval)", "dml shop.t [moves a sequence] +rows"},
	{"INSERT INTO t VALUES (nextval(s))", "dml shop.t [moves a sequence] +rows"},
}

func TestPitfall6Sequences(t *testing.T) { check(t, sequenceRows) }
