// Package sandbox starts real MySQL, MariaDB and Redis servers on free loopback ports, each with a folder of its own,
// and stops them by process id. Integration tests use it through package sandboxtest, and `weir demo` directly.
//
// It is not for servers that anybody else uses: passwords are known, nothing waits for a disk, and all data goes when
// the server stops. It installs nothing; install.sh beside it does.
//
// # The life of a server
//
//  1. The server program is looked for: WEIR_MYSQLD or WEIR_MARIADBD, then the private root that install.sh makes, then
//     the places where packages put it. `--version` tells whose it is, since mysqld is MariaDB on many systems.
//  2. A port is reserved, with a lock file, until Stop. The number is the server id too.
//  3. A data directory with accounts and an empty history is copied from the cache folder. The first process that needs
//     it makes it, under a file lock; it is kept by flavor, build and the options that are fixed in it.
//  4. The program runs, and [StartServer] returns when root can log in over the Unix socket, which is in the server's
//     own folder, so that nothing else can answer there.
//  5. A replica is pointed at its source and awaited.
//  6. Kill, Restart, Suspend and Resume do what an operator or an accident would do. Stop ends it and removes the folder.
//
// # Redis
//
// A Redis or Valkey server goes the same way, without steps 3 and 5. [StartRedisCluster] starts several as a Redis Cluster
// and moves slots in it, [StartRedisSentinel] a master, replicas and the sentinels that replace it; both need Redis 7 or
// Valkey. What a cache must bear of them can be brought about: an old state restored, a server made the replica of an empty
// one, writes lost in a failover.
//
// # Defaults
//
// Binlog on, format ROW, full row image, GTIDs on (MySQL: gtid_mode and enforce_gtid_consistency; MariaDB always has
// them; gtid_strict_mode stays at the server's default), replicas log what they apply, a buffer pool of 64 MiB, a redo
// log of 32 MiB, sync_binlog=0. The performance schema is at the server's default: on for MySQL, off for MariaDB.
//
// # Invariants
//
//   - A server never outlives the process that started it on Linux, however that process ends. Elsewhere it does if that
//     process is killed.
//   - No two servers of one user have the same port, and a port is not given away while its server is down.
//   - A server's history starts empty: the first transaction in its binlog is the caller's.
//   - Nothing is written outside the cache folder (WEIR_SANDBOX_CACHE, or weir in the user's cache folder) and the
//     server's own folder.
package sandbox
