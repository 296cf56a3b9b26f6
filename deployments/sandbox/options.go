package sandbox

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Flavor says whose server it is.
type Flavor string

// The flavors that the sandbox can start.
const (
	MySQL   Flavor = "MySQL"
	MariaDB Flavor = "MariaDB"
)

// Options say what kind of server [StartServer] starts. The zero value of each field but Flavor is a default.
type Options struct {
	Flavor Flavor

	// Port on 127.0.0.1; 0 takes a free one. A port is reserved until Stop, also while the server is down.
	Port int
	// Dir is the folder in which the server makes a folder of its own; empty is the system's temporary folder. It
	// must be short: a Unix socket's path has at most about 100 bytes.
	Dir string

	BinlogFormat string // ROW (default), STATEMENT or MIXED
	RowImage     string // FULL (default), MINIMAL or NOBLOB
	SyncBinlog   int    // sync_binlog; 0 leaves syncing to the operating system
	NoBinlog     bool   // no binary log at all
	NoGTID       bool   // MySQL: gtid_mode=OFF. MariaDB cannot switch GTIDs off; a replica then follows by position

	// SemiSync switches semi-synchronous replication on, source side, with wait point AFTER_SYNC: a commit is in
	// the binlog, and with every reader of it, before the storage engine has it. Until a replica acknowledges,
	// each commit blocks for SemiSyncTimeout (default 5 s, whole milliseconds); [Server.SetSemiSync] switches it.
	SemiSync        bool
	SemiSyncTimeout time.Duration

	// ReplicaOf makes the server a replica of that one, which must be of the same flavor and have all its binlogs.
	ReplicaOf *Server
	// Workers is the number of parallel appliers of a replica; 0 is the server's default.
	Workers int

	BufferPool          int64 // innodb_buffer_pool_size in bytes; default 64 MiB
	LowerCaseTableNames int   // lower_case_table_names: 0, 1 or 2

	// TimeZone is the time zone of the system for the server, as in the variable TZ; empty is the process's own.
	TimeZone string
	// Extra are further options for the server program, as in --max-allowed-packet=64M. They come last and win.
	Extra []string

	// Log gets a line for each step that takes a while; nil is silence.
	Log io.Writer
}

func (o Options) withDefaults() Options {
	if o.BinlogFormat == "" {
		o.BinlogFormat = "ROW"
	}
	if o.RowImage == "" {
		o.RowImage = "FULL"
	}
	if o.SemiSyncTimeout == 0 {
		o.SemiSyncTimeout = 5 * time.Second
	}
	if o.BufferPool == 0 {
		o.BufferPool = 64 << 20
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	return o
}

// validate reports the first option that no server could be started with. It expects the defaults to be filled in.
func (o Options) validate() error {
	if err := oneOf("Flavor", o.Flavor, MySQL, MariaDB); err != nil {
		return err
	}
	if err := oneOf("BinlogFormat", o.BinlogFormat, "ROW", "STATEMENT", "MIXED"); err != nil {
		return err
	}
	if err := oneOf("RowImage", o.RowImage, "FULL", "MINIMAL", "NOBLOB"); err != nil {
		return err
	}
	if err := oneOf("LowerCaseTableNames", o.LowerCaseTableNames, 0, 1, 2); err != nil {
		return err
	}
	if o.ReplicaOf != nil && o.ReplicaOf.Flavor != o.Flavor {
		return fmt.Errorf("ReplicaOf is a %s server: a %s server cannot follow it", o.ReplicaOf.Flavor, o.Flavor)
	}
	if o.ReplicaOf != nil && o.ReplicaOf.opts.NoBinlog {
		return fmt.Errorf("ReplicaOf has no binlog: start it without NoBinlog")
	}
	if o.ReplicaOf != nil && o.Flavor == MySQL && o.ReplicaOf.opts.NoGTID != o.NoGTID {
		return fmt.Errorf("NoGTID is %v here and %v on ReplicaOf: make them equal", o.NoGTID, o.ReplicaOf.opts.NoGTID)
	}
	return nil
}

func oneOf[T comparable](name string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s is %v: choose one of %v", name, value, allowed)
}
