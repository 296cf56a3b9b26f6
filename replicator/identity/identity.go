// Package identity tells servers apart: what Weir knows of a server's position is worth something only together with
// the certainty which server said it. An address can lead to another server from one connection to the next.
package identity

import (
	"errors"
	"strings"

	"weir/replicator/gtid"
)

// Identity names a server in one data directory. Two connections with equal identities lead to the same.
//
// MySQL has server_uuid for it. MariaDB has nothing of the kind: server id, host name, port and data directory
// together tell a source from its replicas and from what a moved address leads to.
type Identity struct {
	Flavor gtid.Flavor
	ID     string
}

// FlavorOf reads the flavour off the version that a server gives at the handshake.
func FlavorOf(version string) gtid.Flavor {
	if strings.Contains(strings.ToLower(version), "mariadb") {
		return gtid.MariaDB
	}
	return gtid.MySQL
}

// Query returns the statement whose answer Parse reads. It needs no privilege.
func Query(f gtid.Flavor) string {
	if f == gtid.MariaDB {
		return "SELECT CONCAT_WS('/', @@global.server_id, @@global.hostname, @@global.port, @@global.datadir)"
	}
	return "SELECT @@global.server_uuid"
}

// Parse reads the answer to Query.
func Parse(f gtid.Flavor, rows [][]string) (Identity, error) {
	if len(rows) != 1 || len(rows[0]) != 1 || rows[0][0] == "" {
		return Identity{}, errors.New("the server does not tell its identity")
	}
	return Identity{Flavor: f, ID: rows[0][0]}, nil
}
