package check

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator"
)

func connectionRules() []rule {
	return []rule{
		{id: "connect", server: judgeConnect},
		{id: "tls", server: judgeTLS},
		{id: "version", server: judgeVersion},
		{id: "flavours", where: aboutServers, world: judgeFlavours},
		{id: "source", where: aboutServers, world: judgeSource},
	}
}

func judgeConnect(_ *World, s *Server) verdict {
	if s.Err == nil {
		return fine("%s %s answers", s.flavor(), s.Version)
	}
	means := "Nothing else could be looked at on this server."
	if s.Source {
		means = "Weir does not start without the source. " + means
	}
	why, mend := s.Err.Error(), "See that the server runs, and that its address, account and TLS in the configuration are right."
	if said, todo, ok := strings.Cut(why, "; "); ok { // as all errors of a start: what happened; what to do
		why, mend = said, strings.ToUpper(todo[:1])+todo[1:]+"."
	}
	mends := []string{mend}
	if refusal, ok := errors.AsType[*gomysql.MyError](s.Err); ok && refusal.Code == gomysql.ER_ACCESS_DENIED_ERROR {
		mends = append(mends, "If there is no such account yet: weir check --print-grants, with the same --source or --config, prints the SQL that makes it.")
	}
	return fail(why, means, mends...)
}

func judgeTLS(_ *World, s *Server) verdict {
	switch {
	case !s.asked() || isLocal(s.Addr):
		return verdict{}
	case s.TLS:
		return fine("connections are encrypted")
	}
	return note("connections are not encrypted",
		"Weir's password is not sent in clear, but rows and definitions are.",
		"Give the server a certificate, and set source.tls.mode (or backends[].tls.mode) to required or verify_identity.")
}

func isLocal(addr string) bool {
	if strings.HasPrefix(addr, "/") {
		return true
	}
	host, _, _ := net.SplitHostPort(addr)
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// The oldest versions that Weir works with.
var oldest = map[bool][3]int{false: {8, 0, 30}, true: {10, 6, 0}}

func judgeVersion(_ *World, s *Server) verdict {
	v, ok := parseVersion(s.Version)
	if !s.asked() || !ok {
		return verdict{}
	}
	least := oldest[s.MariaDB]
	for i := range v {
		if v[i] != least[i] {
			if v[i] > least[i] {
				break
			}
			return fail(s.flavor()+" "+s.Version, fmt.Sprintf("Weir is tested with %s %d.%d.%d and later.", s.flavor(), least[0], least[1], least[2]),
				"Upgrade the server.")
		}
	}
	return fine("%s %s", s.flavor(), s.Version)
}

func parseVersion(text string) (v [3]int, ok bool) {
	text, _, _ = strings.Cut(text, "-")
	parts := strings.SplitN(text, ".", 3)
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, len(parts) == 3
}

// atLeast reports whether the server is of that version or later; for MySQL.
func (s *Server) atLeast(major, minor int) bool {
	v, ok := parseVersion(s.Version)
	return ok && (v[0] > major || v[0] == major && v[1] >= minor)
}

func judgeFlavours(w *World) verdict {
	asked := w.eachAsked()
	if len(asked) < 2 {
		return verdict{}
	}
	for _, s := range asked[1:] {
		if s.MariaDB != asked[0].MariaDB {
			return fail(fmt.Sprintf("%s is %s, %s is %s", asked[0].Addr, asked[0].flavor(), s.Addr, s.flavor()),
				"Positions of MySQL and of MariaDB cannot be compared: nothing that the other one answers is kept.",
				"Let the source and all backends be of one flavour.")
		}
	}
	return fine("all servers are %s", asked[0].flavor())
}

// judgeSource: of several that may be the source one has to take writes.
func judgeSource(w *World) verdict {
	if !w.candidates() {
		return verdict{}
	}
	var writable []string
	for _, s := range w.eachAsked() {
		if s.Source && !s.on("read_only") {
			writable = append(writable, s.Addr)
		}
	}
	switch len(writable) {
	case 1:
		return fine("%s takes writes", writable[0])
	case 0:
		return fail("none of source.addrs takes writes", "Weir does not know which one to follow, and does not start.",
			"On the one that is to be the source: SET GLOBAL read_only = OFF;")
	}
	return warn(strings.Join(writable, " and ")+" take writes",
		"Weir follows one of them only if all others replicate from it. If it cannot tell, nothing is answered from the cache.",
		"On all but the source: SET GLOBAL read_only = ON;")
}

// obstacle is a rule that is decided by what keeps Weir from starting.
func (s *Server) obstacle(id string) error {
	if !s.Source || !s.asked() {
		return nil
	}
	return s.Obstacles[id]
}

// unless is a verdict that holds only without the obstacle, of which [Report.addObstacles] speaks.
func (s *Server) unless(id string, v verdict) verdict {
	if s.obstacle(id) != nil {
		return verdict{}
	}
	return v
}

// clear reports whether the obstacle was looked for and not found.
func (s *Server) clear(id string) bool {
	return s.Source && s.asked() && s.Obstacles != nil && s.Obstacles[id] == nil && s.Obstacles[replicator.NoConnection] == nil
}
