package gtid

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Flavor is the kind of server that a position comes from.
type Flavor string

// The flavours.
const (
	MySQL   Flavor = "mysql"
	MariaDB Flavor = "mariadb"
)

// GTID names one transaction of either flavour. Two are the same transaction exactly if they are ==. The zero value
// names none. Make one with [OfMySQL] or [OfMariaDB].
type GTID struct {
	Flavor Flavor

	// UUID and Tag are MySQL's: the server that committed first, and the optional tag (8.3 and later), lower case.
	UUID [16]byte
	Tag  string

	// Domain and Server are MariaDB's.
	Domain, Server uint32

	// Number counts from 1: the gno of MySQL, the seqno of MariaDB.
	Number uint64
}

// OfMySQL returns the name of a MySQL transaction, as Gtid_log_event and Gtid_tagged_log_event carry it. Tags are
// not case sensitive. A gno below 1, which anonymous transactions have, gives the zero GTID.
func OfMySQL(uuid [16]byte, tag string, gno int64) GTID {
	if gno < 1 {
		return GTID{}
	}
	return GTID{Flavor: MySQL, UUID: uuid, Tag: strings.ToLower(tag), Number: uint64(gno)}
}

// OfMariaDB returns the name of a MariaDB transaction, as Gtid_log_event carries it. A seqno of 0 gives the zero GTID.
func OfMariaDB(domain, server uint32, seqno uint64) GTID {
	if seqno == 0 {
		return GTID{}
	}
	return GTID{Flavor: MariaDB, Domain: domain, Server: server, Number: seqno}
}

// IsZero reports that g names no transaction.
func (g GTID) IsZero() bool { return g == GTID{} }

// String gives the name as the server prints it: uuid:gno, uuid:tag:gno or domain-server-seqno, and nothing for none.
func (g GTID) String() string {
	switch {
	case g.IsZero():
		return ""
	case g.Flavor == MariaDB:
		return string(appendMariaDB(nil, g.Domain, g.Server, g.Number))
	}
	b := appendUUID(nil, g.UUID)
	b = appendTag(b, g.Tag)
	return string(strconv.AppendUint(append(b, ':'), g.Number, 10))
}

func appendMariaDB(b []byte, domain, server uint32, seqno uint64) []byte {
	b = strconv.AppendUint(b, uint64(domain), 10)
	b = strconv.AppendUint(append(b, '-'), uint64(server), 10)
	return strconv.AppendUint(append(b, '-'), seqno, 10)
}

func appendUUID(b []byte, uuid [16]byte) []byte {
	for i, end := range uuidGroups {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, uuid[end.from:end.to])
	}
	return b
}

// uuidGroups are the bytes between the dashes of a UUID.
var uuidGroups = [...]struct{ from, to int }{{0, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 16}}

func appendTag(b []byte, tag string) []byte {
	if tag == "" {
		return b
	}
	return append(append(b, ':'), tag...)
}
