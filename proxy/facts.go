package proxy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// versionNumber reads 100 * major + minor off a version text such as 10.11.6-MariaDB, which some servers give behind
// 5.5.5-; zero if there is none.
func versionNumber(version string) int {
	version = strings.TrimPrefix(version, "5.5.5-")
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil || b > 99 {
		return 0
	}
	return 100*a + b
}

func (s *Server) lastDefaults() defaults { return *s.defaults.Load() }

// setDefaults keeps what the next session is taken to start with until it has been told. The character set follows from
// its own handshake, and the account from its name.
func (s *Server) setDefaults(d defaults) {
	d.charset, d.collation, d.account = "", "", ""
	s.defaults.Store(&d)
}

func (s *session) charset() string {
	handshake := s.defaults.charset // what the server made of the handshake
	if handshake == "" {
		handshake = s.server.facts.Charset(s.poolKey.collation)
	}
	return s.state.settings.charset(handshake)
}

// charset returns what the client's texts are encoded in, given what the handshake said.
func (s settings) charset(handshake string) string {
	charset := handshake
	if v, ok := s.value("character_set_client"); ok {
		charset = v
	}
	return strings.ToLower(strings.Trim(charset, `'"`))
}

// statistics is the answer to COM_STATISTICS, in the server's form.
func (s *Server) statistics() string {
	up := int(time.Since(s.started).Seconds())
	m := s.metrics
	return fmt.Sprintf("Uptime: %d  Threads: %d  Qcache hits: %d  Qcache misses: %d", up, s.clients.Load(), s.digests.Hits(), m.total(missesOf))
}
