package replicator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// candidate is a server that may be the source. It is for whoever holds the lock of choosing.
type candidate struct {
	addr    string
	tls     TLS
	session *Session
	// promotable: it was seen read-only, and not seen to take writes while another one was the source. If it takes
	// writes, it was promoted.
	promotable bool
	silent     bool // it did not answer the last time
}

func newCandidate(cfg Config, addr string, tls TLS) *candidate {
	return &candidate{addr: addr, tls: tls, session: NewSession(addr, cfg.User, cfg.Password, lookTimeout, tls)}
}

// sighting is what a candidate said when it was looked at.
type sighting struct {
	candidate *candidate
	err       error // why there was no answer
	id        identity.Identity
	readOnly  bool
	written   *gtid.State
	// replicates: it receives from another server, or tries to. from is that one's identity, empty if it cannot be told.
	replicates bool
	from       string
}

func (s sighting) writable() bool { return s.err == nil && !s.readOnly }

// note remembers what matters for later looks.
func (s sighting) note(found *candidate) {
	s.candidate.silent = s.err != nil
	switch {
	case s.err != nil:
	case s.readOnly:
		s.candidate.promotable = true
	case found != nil && found != s.candidate:
		s.candidate.promotable = false
	}
}

// sightings are those of all candidates, in their order.
type sightings []sighting

func (all sightings) writable() (n int) {
	for _, s := range all {
		if s.writable() {
			n++
		}
	}
	return n
}

func (all sightings) of(addr string) (none sighting) {
	for _, s := range all {
		if s.candidate.addr == addr {
			return s
		}
	}
	return none
}

// see asks the candidate what it is.
func (c *candidate) see(ctx context.Context) sighting {
	timeout := lookTimeout
	if c.silent {
		timeout = silentTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := sighting{candidate: c}
	if s.id, s.err = c.session.Identity(ctx); s.err == nil {
		s.err = s.ask(ctx)
	}
	return s
}

const (
	// Channels of Group Replication are no upstream.
	mysqlSighting = `SELECT @@global.read_only, @@global.gtid_executed, (SELECT COUNT(*) FROM performance_schema.replication_connection_status
		WHERE SERVICE_STATE <> 'OFF' AND CHANNEL_NAME NOT LIKE 'group_replication%'), (SELECT COALESCE(MAX(SOURCE_UUID), '')
		FROM performance_schema.replication_connection_status WHERE SERVICE_STATE <> 'OFF' AND CHANNEL_NAME NOT LIKE 'group_replication%')`
	// The status of a replica is not for an account that follows the binlog.
	mariaDBSighting = `SELECT @@global.read_only, CONCAT_WS(',', @@global.gtid_binlog_state, @@global.gtid_slave_pos),
		(SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE COMMAND = 'Slave_IO'), ''`
)

func (s *sighting) ask(ctx context.Context) error {
	sql := mysqlSighting
	if s.id.Flavor == gtid.MariaDB {
		sql = mariaDBSighting
	}
	rows, id, err := s.candidate.session.QueryIdentified(ctx, sql)
	switch {
	case err != nil:
		return err
	case id != s.id:
		return errors.New("another server answers there than a moment ago")
	case len(rows) != 1 || len(rows[0]) != 4:
		return errors.New("the server does not say what it is")
	}
	row := rows[0]
	s.readOnly, s.replicates, s.from = readOnly(row[0]), row[2] != "0", row[3]
	s.written, err = gtid.ParseState(id.Flavor, row[1])
	return err
}

// choose says which candidate is the source, from a look at all of them and, if more than one took writes then, a later
// look. followed is the one that was found before. An error says why it cannot be told.
func choose(first, later sightings, followed *candidate) (*candidate, error) {
	switch later.writable() {
	case 0:
		return nil, later.none()
	case 1:
		return later.only(followed)
	}
	for _, s := range later {
		if s.writable() && s.isSourceOf(first, later) {
			return s.candidate, nil
		}
	}
	return nil, later.two()
}

// only returns the one that takes writes, if that makes it the source.
func (all sightings) only(followed *candidate) (*candidate, error) {
	var one sighting
	var missing error
	for _, s := range all {
		if s.writable() {
			one = s
		}
		if s.err != nil {
			missing = fmt.Errorf("%s: %w", s.candidate.addr, s.err)
		}
	}
	if one.candidate != followed && one.replicates && !one.candidate.promotable && missing != nil {
		return nil, fmt.Errorf("%s takes writes, but it replicates from another server and was never seen read-only, so that it may not have been promoted, and not all of the others answer (%w)", one.candidate.addr, missing)
	}
	return one.candidate, nil
}

// isSourceOf reports whether all others that take writes replicate, and this one has all that they had at the first look,
// which was before this one said what it has.
func (s sighting) isSourceOf(first, later sightings) bool {
	for i, o := range later {
		if o.candidate == s.candidate || !o.writable() {
			continue
		}
		if !o.replicates || s.replicates && (s.from == "" || s.from == o.id.ID) || !later.knows(o.from) {
			return false
		}
		if first[i].err != nil || first[i].id.Flavor != s.id.Flavor || first[i].written.Beyond(s.written) != "" {
			return false
		}
	}
	return true
}

// knows reports whether the identity is that of a candidate, or cannot be told.
func (all sightings) knows(id string) bool {
	for _, s := range all {
		if id == "" || s.err == nil && s.id.ID == id {
			return true
		}
	}
	return false
}

// standIn is where statements go while nobody can tell which of those that take writes is the source: where they went, if
// that is one of them, else the first. There must be some.
func (all sightings) standIn(went string) *candidate {
	if all.of(went).writable() {
		return all.of(went).candidate
	}
	return all[slices.IndexFunc(all, sighting.writable)].candidate
}

// none says why there is no source, and what to do.
func (all sightings) none() error {
	var said []string
	refused, silent := 0, 0
	for _, s := range all {
		what := "is read-only"
		switch {
		case s.err != nil && serverSaid(s.err):
			what = "refuses to be looked at: " + s.err.Error()
			refused++
		case s.err != nil:
			what = "does not answer: " + s.err.Error()
			silent++
		}
		said = append(said, s.candidate.addr+" "+what)
	}
	each := strings.Join(said, "; ")
	switch {
	case silent == len(all):
		return fmt.Errorf("none of the servers in source.addrs answers (%s); check that they run, and the addresses", each)
	case refused > 0 && refused+silent == len(all):
		return fmt.Errorf("no server in source.addrs says whether it is the source (%s); check source.user and source.password", each)
	case refused+silent > 0:
		return fmt.Errorf("no server in source.addrs that can be looked at takes writes (%s); mend the one that is the source, or set read_only=OFF on the one that takes its place", each)
	}
	return fmt.Errorf("all servers in source.addrs are read-only (%s); set read_only=OFF on the one that is the source", each)
}

func (all sightings) two() error {
	var which []string
	for _, s := range all {
		if s.writable() {
			which = append(which, s.candidate.addr)
		}
	}
	return fmt.Errorf("%w: %s; make all but one of them read-only, or let them replicate from that one with nothing of their own", errTwoSources, strings.Join(which, " and "))
}
