package gtid

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a position as a server prints it; nothing but white space is the empty set.
//
// For [MySQL] that is @@global.gtid_executed, gtid_purged, or Executed_Gtid_Set: uuid:interval[:interval]..., with
// :tag:interval... since 8.3, separated by commas, with new lines anywhere between. For [MariaDB] it is
// @@gtid_binlog_pos, @@gtid_slave_pos or @@gtid_current_pos: domain-server-seqno, one for each domain. It is not
// @@gtid_binlog_state, which lists several for a domain and has no such meaning; that is an error.
func Parse(flavor Flavor, text string) (*Set, error) {
	item, err := parserOf(flavor)
	if err != nil {
		return nil, err
	}
	s := &Set{flavor: flavor, streams: make(map[stream]run, 1+strings.Count(text, ","))}
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for rest, more := text, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		if err := item(s, strings.TrimSpace(part)); err != nil {
			return nil, fmt.Errorf("read %s GTIDs: %w", flavor, err)
		}
	}
	return s, nil
}

// parserOf returns what reads one item of a list into a set.
func parserOf(flavor Flavor) (func(s *Set, item string) error, error) {
	switch flavor {
	case MySQL:
		return parseMySQL, nil
	case MariaDB:
		return parseMariaDB, nil
	}
	return nil, fmt.Errorf("read GTIDs: unknown flavour %q, want %q or %q", flavor, MySQL, MariaDB)
}

// parseMariaDB reads domain-server-seqno. A seqno of 0, which gtid_slave_pos accepts, stands for no transaction.
func parseMariaDB(s *Set, item string) error {
	domain, rest, _ := strings.Cut(item, "-")
	server, seqno, _ := strings.Cut(rest, "-")
	d, err := parseNumber(domain, 32)
	if err != nil {
		return fmt.Errorf("domain of %q: %w", item, err)
	}
	id, err := parseNumber(server, 32)
	if err != nil {
		return fmt.Errorf("server id of %q: %w", item, err)
	}
	n, err := parseNumber(seqno, 64)
	if err != nil {
		return fmt.Errorf("sequence number of %q: %w", item, err)
	}
	if _, twice := s.streams[stream{domain: uint32(d)}]; twice {
		return fmt.Errorf("domain %d is there twice: a position has one GTID for each domain", d)
	}
	s.Add(OfMariaDB(uint32(d), uint32(id), n))
	return nil
}

// parseNumber reads an unsigned decimal number of up to so many bits, digits only.
func parseNumber(text string, bits int) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("want a number of %d bits, have %q", bits, text)
	}
	return n, nil
}
