package ddlwatch

import "testing"

// What changes how rows are found, and not what they are.
var indexRows = []row{
	{"ALTER TABLE t ADD INDEX (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i (a), ADD KEY j (b DESC), ADD UNIQUE (c)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE other.t ADD KEY IF NOT EXISTS i USING BTREE (a(10)) USING HASH COMMENT 'x, DROP COLUMN y' KEY_BLOCK_SIZE = 4", "alter_table (none) other.t +schema"},
	{"ALTER TABLE t ADD UNIQUE INDEX u (a, b) INVISIBLE", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD UNIQUE KEY `u` (`a`) VISIBLE, ALGORITHM=INPLACE, LOCK=NONE", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD CONSTRAINT UNIQUE (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD CONSTRAINT `c` UNIQUE KEY (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD CONSTRAINT c UNIQUE u USING BTREE (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD FULLTEXT (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD FULLTEXT KEY f (a, b) WITH PARSER ngram", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD SPATIAL INDEX (g)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD VECTOR INDEX v (x) M=6 DISTANCE=cosine", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i ((a + 1)), ADD INDEX j ((CAST(b->'$.x' AS CHAR(10) ARRAY)), (lower(c)))", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i (a) IGNORED, ADD INDEX j (b) NOT IGNORED", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i (a) CLUSTERING=YES ENGINE_ATTRIBUTE='{}'", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX wait (a), ADD INDEX `primary key` (b)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t DROP INDEX i", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t DROP KEY `a b`, DROP INDEX IF EXISTS j;", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t WAIT 5 DROP INDEX i, ADD INDEX i (a, b)", "alter_table (none) shop.t +schema"},
	{"ALTER ONLINE TABLE IF EXISTS t NOWAIT ADD INDEX (a)", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t RENAME INDEX a TO b, RENAME KEY `c` TO `d`", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ALTER INDEX i VISIBLE", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ALTER KEY IF EXISTS i NOT IGNORED, ALTER INDEX j IGNORED", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t DISABLE KEYS", "alter_table (none) shop.t +schema"},
	{"/*!40000 ALTER TABLE `t` ENABLE KEYS */", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t /*!50100 ADD INDEX (a) */", "alter_table (none) shop.t +schema"},
	{"alter /* gh-ost */ table `shop`.`t` add index `i` (`a`)", "alter_table (none) shop.t +schema"},
	{"CREATE INDEX i ON t (a) ALGORITHM=INPLACE LOCK=NONE", "create_index (none) shop.t +schema"},
	{"CREATE INDEX i USING HASH ON t WAIT 3 (a, (b * 2)) COMMENT 'x'", "create_index (none) shop.t +schema"},
	{"CREATE UNIQUE INDEX i ON t (a) INVISIBLE;", "create_index (none) shop.t +schema"},
	{"CREATE OR REPLACE INDEX i ON t NOWAIT (a) LOCK DEFAULT", "create_index (none) shop.t +schema"},
	{"DROP INDEX i ON t WAIT 5 LOCK=DEFAULT", "drop_index (none) shop.t +schema"},
	{"DROP INDEX `i` ON `t`;", "drop_index (none) shop.t +schema"},
	{"SET STATEMENT lock_wait_timeout=1 FOR CREATE INDEX i ON t (a)", "create_index (none) shop.t +schema"},
	{"START ALTER TABLE t ADD INDEX (a)", "alter_table (none) shop.t +schema"},
}

func TestIndexesLeaveResults(t *testing.T) { check(t, indexRows) }

// Without a primary key, a unique one stands in for it, and results say so: what may add or drop one, or have another be the
// first, changes them.
var keylessRows = []row{
	{"ALTER TABLE keyless ADD UNIQUE (a)", "alter_table (shape) shop.keyless +schema"},
	{"ALTER TABLE keyless ADD CONSTRAINT UNIQUE (a)", "alter_table (shape) shop.keyless +schema +moves"},
	{"ALTER TABLE keyless ADD CONSTRAINT c UNIQUE KEY (a)", "alter_table (shape) shop.keyless +schema +moves"},
	{"ALTER TABLE keyless ADD INDEX (b), ADD UNIQUE INDEX u (a)", "alter_table (shape) shop.keyless +schema"},
	{"ALTER TABLE keyless DROP INDEX u", "alter_table (shape) shop.keyless +schema"},
	{"ALTER TABLE keyless DROP KEY u, ADD KEY u (a)", "alter_table (shape) shop.keyless +schema"},
	{"ALTER TABLE keyless RENAME INDEX u TO v", "alter_table (shape) shop.keyless +schema +moves"},
	{"ALTER TABLE keyless ALTER INDEX u INVISIBLE", "alter_table (shape) shop.keyless +schema"},
	{"CREATE UNIQUE INDEX u ON keyless (a)", "create_index (shape) shop.keyless +schema"},
	{"CREATE OR REPLACE INDEX u ON keyless (a)", "create_index (shape) shop.keyless +schema"},
	{"DROP INDEX u ON keyless", "drop_index (shape) shop.keyless +schema"},
	{"ALTER TABLE unheard_of ADD UNIQUE (a)", "alter_table (shape) shop.unheard_of +schema"},
	{"DROP INDEX u ON unheard_of", "drop_index (shape) shop.unheard_of +schema"},
	{"ALTER TABLE keyless ADD INDEX (a), ADD KEY k (b), FORCE", "alter_table (none) shop.keyless +schema"},
	{"ALTER TABLE keyless ADD FULLTEXT (a)", "alter_table (none) shop.keyless +schema"},
	{"CREATE INDEX i ON keyless (a)", "create_index (none) shop.keyless +schema"},
	{"CREATE INDEX i ON unheard_of (a)", "create_index (none) shop.unheard_of +schema"},
	{"ALTER TABLE keyless DISABLE KEYS", "alter_table (none) shop.keyless +schema"},
}

func TestUniqueKeysOfTablesWithoutAPrimaryOne(t *testing.T) { check(t, keylessRows) }

var rebuildRows = []row{
	{"ALTER TABLE t FORCE, ALGORITHM=COPY", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ENGINE InnoDB", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ENGINE=innodb, FORCE, LOCK=SHARED", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE unheard_of ENGINE=InnoDB", "alter_table (shape) shop.unheard_of +schema"},
	{"ALTER TABLE t ENGINE=MyISAM", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ENGINE='InnoDB'", "alter_table (shape) shop.t +schema"},
	{"OPTIMIZE TABLE t WAIT 5", "optimize_table (none) shop.t"},
	{"OPTIMIZE LOCAL TABLES t, u NOWAIT;", "optimize_table (none) shop.t shop.u"},
	{"OPTIMIZE TABLE t REMOVE ROWS", "optimize_table (shape) shop.t"},
	{"ANALYZE TABLE t DROP HISTOGRAM ON a, b", "analyze_table (none) shop.t"},
	{"ANALYZE TABLE t PERSISTENT FOR COLUMNS (a) INDEXES ()", "analyze_table (none) shop.t"},
	{"ANALYZE TABLE t SOMEHOW", "analyze_table (shape) shop.t"},
	{"CHECK TABLE t FOR UPGRADE QUICK", "check_table (none) shop.t"},
	{"CHECK TABLE t AND MEND", "check_table (shape) shop.t"},
	{"REPAIR TABLE t", "repair_table (shape) shop.t"},
}

func TestRebuildsLeaveResults(t *testing.T) { check(t, rebuildRows) }

var optionRows = []row{
	{"ALTER TABLE t COMMENT 'x'", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t COMMENT = 'it''s', ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t STATS_PERSISTENT=1, STATS_AUTO_RECALC DEFAULT, STATS_SAMPLE_PAGES 50", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t AUTO_INCREMENT=1000", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t COMPRESSION='zlib'", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t PAGE_COMPRESSED=1 PAGE_COMPRESSION_LEVEL=9", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t SECONDARY_UNLOAD", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ROW_FORMAT DYNAMIC, ADD INDEX (a), COMMENT 'y', ALGORITHM DEFAULT", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t DEFAULT CHARSET=utf8mb4", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t COLLATE utf8mb4_bin", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t COMMENT 'x' COLLATE utf8mb4_bin", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t CONNECTION='x'", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ENCRYPTION='Y'", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t TABLESPACE ts", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t MAX_ROWS=5", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t UNHEARD_OF=1", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t COMMENT `x`", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t COMMENT \"x\"", "alter_table (shape) shop.t +schema"}, // a name under ANSI_QUOTES
	{"ALTER TABLE t COMMENT 'x\\''", "alter_table (none) shop.t +schema"},
}

func TestOptionsLeaveResults(t *testing.T) { check(t, optionRows) }

var partitionLayoutRows = []row{
	{"ALTER TABLE pt ADD PARTITION (PARTITION p2 VALUES LESS THAN (30) COMMENT = ')' ENGINE = InnoDB, PARTITION p3 VALUES LESS THAN MAXVALUE)", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt ADD PARTITION PARTITIONS 4", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt ADD PARTITION IF NOT EXISTS LOCAL (PARTITION p VALUES IN (1))", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt REBUILD PARTITION p0, p1", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt OPTIMIZE PARTITION NO_WRITE_TO_BINLOG ALL", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt ANALYZE PARTITION p0", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt CHECK PARTITION ALL FOR UPGRADE", "alter_table (none) shop.pt +schema"},
	{"ALTER TABLE pt REPAIR PARTITION p0", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt COALESCE PARTITION 2", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt REORGANIZE PARTITION", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt DISCARD PARTITION p0 TABLESPACE", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt IMPORT PARTITION p0 TABLESPACE", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt PARTITION BY HASH (a) PARTITIONS 4", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt ADD INDEX (a) PARTITION BY HASH (a)", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt FORCE REMOVE PARTITIONING", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt ADD PARTITION", "alter_table (shape) shop.pt +schema"},
	{"ALTER TABLE pt ADD PARTITION (PARTITION p2", "alter_table (shape) shop.pt +schema"},
}

func TestPartitionsLeaveResults(t *testing.T) { check(t, partitionLayoutRows) }

// The strongest specification decides, and so does the strongest of two readings.
var mixedClassRows = []row{
	{"ALTER TABLE t ADD INDEX i (a), ADD COLUMN b int", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD COLUMN b int, ADD INDEX i (b)", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t DROP INDEX i, DROP PRIMARY KEY", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a), RENAME TO u", "alter_table (swap) shop.t shop.u +schema +moves"},
	{"ALTER TABLE t FORCE, RENAME COLUMN a TO b", "alter_table (shape) shop.t +schema +moves"},
	{"ALTER TABLE t COMMENT 'x', ADD CONSTRAINT FOREIGN KEY (a) REFERENCES u (id)", "alter_table (shape) shop.t +schema +fk"},
	{"ALTER TABLE t COMMENT 'x\\', ADD INDEX (a), COMMENT 'y'", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t COMMENT 'x\\', DROP COLUMN a, COMMENT '\\'", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a) /*!50100 , DROP COLUMN b */", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a) /*!80000 , DROP COLUMN b */", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a) /*!80000 INVISIBLE */", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a /*!80000 , b */)", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a) /* , DROP COLUMN b */", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a) -- , DROP COLUMN b", "alter_table (none) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX (a); DROP TABLE t", "alter_table (unknown) unsure +schema +fk"},
	{"CREATE INDEX i ON t (a); DROP TABLE t", "create_index (unknown) unsure +schema +fk"},
	{"OPTIMIZE TABLE t; DROP TABLE t", "optimize_table (unknown) unsure"},
}

func TestTheStrongestClassWins(t *testing.T) { check(t, mixedClassRows) }

// What looks as if it left results alone.
var notNoneRows = []row{
	{"ALTER TABLE t ADD PRIMARY KEY (a)", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD CONSTRAINT PRIMARY KEY (a)", "alter_table (shape) shop.t +schema +moves"},
	{"ALTER TABLE t DROP INDEX `PRIMARY`", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t DROP KEY `primary`", "alter_table (shape) shop.t +schema"},
	{"DROP INDEX `Primary` ON t LOCK=NONE", "drop_index (shape) shop.t +schema"},
	{"ALTER IGNORE TABLE t ADD UNIQUE (a)", "alter_table (shape) shop.t +schema"},
	{"ALTER IGNORE ONLINE TABLE t ADD UNIQUE (a)", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD UNIQUE (a, p WITHOUT OVERLAPS)", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD vector int", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD vector INT UNIQUE", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD `index` int", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD (a int, INDEX (a))", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD INDEX i (a) UNHEARD_OF", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t DROP i", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t DROP COLUMN i", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t DROP CHECK c", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ALTER COLUMN a SET DEFAULT 5", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ALTER a DROP DEFAULT", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ALTER COLUMN a SET INVISIBLE", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ALTER CHECK c NOT ENFORCED", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t MODIFY a int COMMENT 'x'", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t CHANGE a b int", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t WITH VALIDATION, FORCE", "alter_table (shape) shop.t +schema"},
	{"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", "alter_table (shape) shop.t +schema +moves"},
	{"ALTER TABLE t DROP PERIOD FOR SYSTEM_TIME", "alter_table (shape) shop.t +schema"},
	{"CREATE INDEX i ON t", "create_index (shape) shop.t +schema"},
	{"CREATE INDEX i ON t (a) (b)", "create_index (shape) shop.t +schema"},
	{"CREATE INDEX i ON t (a) PARTITION 5", "create_index (shape) shop.t +schema"},
	{"CREATE INDEX i ON mysql.event (a)", "create_index (unknown) mysql.event [a system table] +schema"},
	{"DROP INDEX i ON t AND ALL ROWS", "drop_index (shape) shop.t +schema"},
}

func TestOthersEndResults(t *testing.T) { check(t, notNoneRows) }

func TestClassesAreOrdered(t *testing.T) {
	all := Classes()
	for i, c := range all {
		for j, d := range all {
			if want := all[max(i, j)]; c.or(d) != want {
				t.Errorf("%s or %s is %s, want %s", c, d, c.or(d), want)
			}
		}
		if Class("").or(c) != c {
			t.Errorf("%s is not stronger than none at all", c)
		}
	}
}
