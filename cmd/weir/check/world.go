package check

import (
	"strconv"
	"strings"
	"time"

	"weir/cmd/weir/daemon"
)

// World is what was seen: facts that nothing has judged yet.
type World struct {
	Config daemon.Config
	// File is the configuration's path; empty without one. FileErr is why it cannot be used.
	File    string
	FileErr error
	// Readable says that others than the file's owner may read it, and Secret that it has passwords as they are.
	Readable, Secret bool
	Servers          []*Server
	Redis            *Redis // nil if there is none
	Ports            []Port
	// Errant are transactions of each server that the source has not, by address. MySQL only.
	Errant map[string]string
}

// Port is one that Weir is to listen on.
type Port struct {
	Key, Addr string
	// Taken says that somebody listens there; Weir that it is one.
	Taken, Weir bool
	Err         error
}

// Server is what one server says.
type Server struct {
	Addr            string
	Source, Backend bool
	// Err is why it could not be asked, in words; all else but Obstacles is empty then.
	Err     error
	Version string
	MariaDB bool
	TLS     bool
	// Account is Weir's, as the server calls it: 'weir'@'%'.
	Account string
	// Vars and Status have names in lower case.
	Vars, Status map[string]string
	// Obstacles are what keeps Weir from following the source, by their ids.
	Obstacles map[string]error
	Grants    []string
	// DoDB and IgnoreDB are binlog filters.
	DoDB, IgnoreDB string
	// Following are the rows of SHOW REPLICA STATUS, with names of columns in lower case. FollowingErr: may not be asked.
	Following    []map[string]string
	FollowingErr error
	// Others are the ids of servers that read its binlog. It may lack some.
	Others []string
	// Plugin is the state of METADATA_LOCK_INFO, on MariaDB.
	Plugin bool
	// Clock is how far the server's clock is ahead of ours, give or take Doubt.
	Clock, Doubt time.Duration
	Schema       *Schema // of a source; nil if it could not be read
	SchemaErr    error   // why not; nil if the account does not see it all, which other rules say
	Accounts     []Account
	// Logins says, of each of `users`, why the server does not let it in; nil if it does.
	Logins map[string]error
	// Executed is gtid_executed.
	Executed string
}

// Account is one that is on a server.
type Account struct {
	Name, Host, Plugin string
}

// Schema is what matters of the tables, counted.
type Schema struct {
	Tables          int
	Uncached        Some // of engines that nothing is cached of
	Untransactional Some
	Unkeyed         Some // without a primary key
	Cascading       Some
	Triggered       Some
	// Triggers says that the account sees them.
	Triggers bool
	// Coarse are the columns whose collations Weir does not know exactly, by collation.
	Coarse map[string]*Some
}

// Role is what the server is to Weir.
func (s *Server) Role() string {
	switch {
	case s.Source && s.Backend:
		return "source and backend"
	case s.Source:
		return "source"
	}
	return "backend"
}

func (s *Server) flavor() string {
	switch {
	case s.Err != nil:
		return ""
	case s.MariaDB:
		return "MariaDB"
	}
	return "MySQL"
}

// asked reports whether there is anything to judge.
func (s *Server) asked() bool { return s.Err == nil }

// name returns the first of the names that the server knows for one variable: they were renamed.
func (s *Server) name(names ...string) string {
	for _, n := range names {
		if _, ok := s.Vars[n]; ok {
			return n
		}
	}
	return ""
}

// variable is the value of the first of the names that the server knows.
func (s *Server) variable(names ...string) string { return s.Vars[s.name(names...)] }

func (s *Server) on(names ...string) bool {
	v := s.variable(names...)
	return v == "1" || strings.EqualFold(v, "ON") || strings.EqualFold(v, "YES")
}

// number is a variable's; false if there is none.
func (s *Server) number(names ...string) (int64, bool) {
	n, err := strconv.ParseInt(s.variable(names...), 10, 64)
	return n, err == nil
}

func (s *Server) counter(name string) float64 {
	n, _ := strconv.ParseFloat(s.Status[name], 64)
	return n
}

// seen is name=value, as evidence.
func (s *Server) seen(names ...string) string {
	n := s.name(names...)
	return n + "=" + s.Vars[n]
}

// set are the statements that change a variable at run time, and keep it.
func (s *Server) set(value string, names ...string) []string {
	n := s.name(names...)
	if s.MariaDB {
		return []string{"SET GLOBAL " + n + " = " + value + ";", "-- and in the option file: " + n + " = " + strings.Trim(value, "'")}
	}
	return []string{"SET PERSIST " + n + " = " + value + ";"}
}

// configure is for variables that change only with a restart.
func configure(lines ...string) []string {
	return []string{"In the option file, below [mysqld], and restart the server: " + strings.Join(lines, ", ")}
}

// replica reports whether the server follows another.
func (s *Server) replica() bool { return len(s.Following) > 0 }

// source is the server that is the source, as far as one can tell: the one that takes writes.
func (w *World) source() *Server {
	var first *Server
	for _, s := range w.Servers {
		if !s.Source || !s.asked() {
			continue
		}
		if first == nil {
			first = s
		}
		if !s.on("read_only") {
			return s
		}
	}
	return first
}

// candidates reports whether there are several that may be the source.
func (w *World) candidates() bool { return len(w.Config.Source.Addrs) > 1 }

// eachAsked are the servers that have been asked.
func (w *World) eachAsked() (asked []*Server) {
	for _, s := range w.Servers {
		if s.asked() {
			asked = append(asked, s)
		}
	}
	return asked
}
