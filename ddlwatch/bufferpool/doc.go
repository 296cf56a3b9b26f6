// Package bufferpool watches the InnoDB buffer pool of each server, so that what comes after a schema change can be paced
// by what the server can bear: a rebuild, a restart or a failover leaves a pool that does not hold what readers want, and
// then each read is a disk access.
//
// It asks for a dozen global status counters and nothing else, every few seconds, and several times a second while a
// schema change or a refill runs. It never asks INFORMATION_SCHEMA.INNODB_BUFFER_PAGE, which walks the pool under its
// locks. One question is SHOW GLOBAL STATUS with the names in WHERE: measured with 140 idle sessions on a small machine
// it takes 0.16 ms on MySQL 9.7 and 0.17 ms on MariaDB 10.11, where all status takes 0.21 ms and 0.40 ms. It needs no privilege on
// either. performance_schema.global_status is a little quicker but off by default on MariaDB, and information_schema has
// the table on MariaDB alone.
//
// # States
//
// A reading says in which state the pool is. With m the share of page requests that went to the disk, over the last second
// or the last interval if that was longer, and b the same as it was before (the baseline, or 0.05 while there is none),
// the first row that fits decides:
//
//	unknown   the server does not answer, or lacks the counters
//	cold      the pool was emptied, no load of its dump runs, and either m is far above b and has not come down by 0.10 from its worst,
//	          or there is no traffic and the pool holds less than half of what it held before
//	pressed   a thread had to wait for a free page (wait_free grew), or under 2 % of the pool are free while over 75 %
//	          are dirty, which is where older versions begin to flush at all costs (innodb_max_dirty_pages_pct)
//	warming   the pool was emptied, and a load of its dump runs, with or without traffic, or m is still clearly above b
//	pressed   m is clearly above b, there is a baseline, and the pool was not emptied
//	unknown   the server has answered once since Weir, or itself, started
//	warm      nothing speaks against it
//
//	emptied   the server restarted or another answers (its Uptime is not where it should be, or a counter went back),
//	          or it is younger than Settle when Weir first sees it; or the pool holds less than half of what it held, and
//	          that is at least a tenth of it. It counts until m is no longer clearly above b, and for Settle (10 minutes)
//	          at most: then what is, is the new normal, and the baseline starts again
//	clearly   m > b + max(b, 0.03), but no more than a third of the way from b to 1
//	far       m > b + max(4 b, 0.10), but no more than two thirds of the way
//	traffic   at least 500 page requests; fewer say nothing, so that a server without readers is not cold
//
// # Invariants
//
//   - A counter that a server does not tell is unknown, never zero.
//   - A server that does not answer is a reading, too: unknown, and a gap. So is one that was not asked in time.
//   - The baseline does not learn while a schema change or a refill runs, nor from a pool that is cold or warming.
package bufferpool
