package sandbox

import (
	"fmt"
	"os"
)

// baseArgs are the options of every run of a server program in the folder f, also of the run that prepares a
// data directory to copy: small, quick to start, nothing outside the folder.
func baseArgs(flavor Flavor, f *folder) []string {
	args := []string{
		"--datadir=" + f.in("data"),
		"--tmpdir=" + f.in("tmp"),
		"--socket=" + f.in("sock"),
		"--pid-file=" + f.in("pid"),
		"--skip-name-resolve",
		// Data must survive the server's crash, not the machine's: nothing waits for a disk.
		"--innodb-flush-log-at-trx-commit=2",
		"--innodb-flush-method=nosync",
		// The kernel's contexts for native I/O are few and shared by all servers of a machine.
		"--innodb-use-native-aio=0",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--user=root") // neither server runs as root unless told to
	}
	if flavor == MySQL {
		return append(args, "--mysqlx=OFF", "--secure-file-priv=", "--loose-innodb-redo-log-capacity=32M",
			// With these the performance schema, which is on, sizes itself for a small server.
			"--table-open-cache=2000", "--table-definition-cache=400")
	}
	return append(args, "--innodb-log-file-size=32M", "--aria-pagecache-buffer-size=8M", "--key-buffer-size=1M")
}

// serverArgs are the options for a server that o describes.
func serverArgs(o Options, f *folder, port int) []string {
	args := append(baseArgs(o.Flavor, f),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--port=%d", port),
		fmt.Sprintf("--server-id=%d", port), // reserved, hence unique
		fmt.Sprintf("--innodb-buffer-pool-size=%d", o.BufferPool),
		fmt.Sprintf("--lower-case-table-names=%d", o.LowerCaseTableNames),
	)
	args = append(args, binlogArgs(o)...)
	args = append(args, flavorArgs(o)...)
	return append(args, o.Extra...)
}

func binlogArgs(o Options) []string {
	if o.NoBinlog {
		return []string{"--skip-log-bin"}
	}
	args := []string{
		"--log-bin=binlog",
		"--binlog-row-image=" + o.RowImage,
		fmt.Sprintf("--sync-binlog=%d", o.SyncBinlog),
	}
	// MySQL has ROW as its default and warns about whoever says so.
	if o.Flavor == MariaDB || o.BinlogFormat != "ROW" {
		args = append(args, "--binlog-format="+o.BinlogFormat)
	}
	return args
}

func flavorArgs(o Options) []string {
	if o.Flavor == MySQL {
		return mysqlArgs(o)
	}
	return mariadbArgs(o)
}

func mysqlArgs(o Options) []string {
	args := []string{"--relay-log=relay"}
	if !o.NoGTID {
		args = append(args, "--gtid-mode=ON", "--enforce-gtid-consistency=ON")
	} else {
		args = append(args, "--gtid-mode=OFF", "--enforce-gtid-consistency=OFF") // on by default since MySQL 9.7
	}
	if o.Workers > 0 {
		args = append(args, fmt.Sprintf("--replica-parallel-workers=%d", o.Workers))
	}
	if o.SemiSync {
		args = append(args,
			"--plugin-load-add=semisync_source.so",
			"--rpl-semi-sync-source-enabled=ON",
			"--rpl-semi-sync-source-wait-point=AFTER_SYNC",
			fmt.Sprintf("--rpl-semi-sync-source-timeout=%d", o.SemiSyncTimeout.Milliseconds()))
	}
	return args
}

func mariadbArgs(o Options) []string {
	args := []string{"--relay-log=relay"}
	if !o.NoBinlog {
		args = append(args, "--log-slave-updates=ON")
	}
	if o.Workers > 0 {
		args = append(args, fmt.Sprintf("--slave-parallel-threads=%d", o.Workers))
	}
	if o.SemiSync {
		args = append(args,
			"--rpl-semi-sync-master-enabled=ON",
			"--rpl-semi-sync-master-wait-point=AFTER_SYNC",
			fmt.Sprintf("--rpl-semi-sync-master-timeout=%d", o.SemiSyncTimeout.Milliseconds()))
	}
	return args
}
