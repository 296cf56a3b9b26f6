package daemon

import (
	"context"
	"fmt"
	"strconv"

	"weir/proxy"
	"weir/proxy/statement"
	"weir/replicator"
	"weir/replicator/gtid"
)

// readFacts asks the source what the proxy has to know before it serves.
func readFacts(ctx context.Context, source *replicator.Source) (proxy.Facts, error) {
	rows, id, err := source.Session().QueryIdentified(ctx, "SELECT VERSION(), @@global.collation_server, @@global.max_allowed_packet")
	if err != nil {
		return proxy.Facts{}, fmt.Errorf("ask the source for its version: %w", err)
	}
	f := proxy.Facts{Version: rows[0][0], Flavor: statement.MySQL}
	if id.Flavor == gtid.MariaDB {
		f.Flavor = statement.MariaDB
	}
	if f.MaxPacket, err = strconv.Atoi(rows[0][2]); err != nil {
		return f, fmt.Errorf("read the source's max_allowed_packet: %w", err)
	}
	if f.Charset, err = readCharsets(ctx, source); err != nil {
		return f, err
	}
	f.Collation, err = readCollation(ctx, source, rows[0][1])
	return f, err
}

// readCollation reads what a server says of its default collation at the handshake: the low byte of its id. MariaDB lists
// the ids of its newer collations under the full names, with the character set in front, in another table.
func readCollation(ctx context.Context, source *replicator.Source, name string) (uint8, error) {
	rows, err := source.Session().Query(ctx, "SELECT ID FROM information_schema.COLLATIONS WHERE COLLATION_NAME = '"+name+"' AND ID IS NOT NULL")
	if err == nil && len(rows) == 0 {
		rows, err = source.Session().Query(ctx, "SELECT ID FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY WHERE FULL_COLLATION_NAME = '"+name+"'")
	}
	if err != nil {
		return 0, fmt.Errorf("read the id of the source's collation %s: %w", name, err)
	}
	if len(rows) == 0 {
		return 0, fmt.Errorf("read the id of the source's collation %s: there is none", name)
	}
	id, err := strconv.ParseUint(rows[0][0], 10, 16)
	if err != nil {
		return 0, fmt.Errorf("read the id of the source's collation %s: %w", name, err)
	}
	return uint8(id), nil
}

// readCharsets reads which character set belongs to each collation id that fits into a handshake. MariaDB lists
// collations without an id, too.
func readCharsets(ctx context.Context, source *replicator.Source) (func(uint8) string, error) {
	rows, err := source.Session().Query(ctx, "SELECT ID, CHARACTER_SET_NAME FROM information_schema.COLLATIONS WHERE ID BETWEEN 1 AND 255")
	if err != nil {
		return nil, fmt.Errorf("read the source's collations: %w", err)
	}
	var names [256]string
	for _, row := range rows {
		if id, err := strconv.ParseUint(row[0], 10, 8); err == nil {
			names[id] = row[1]
		}
	}
	return func(id uint8) string { return names[id] }, nil
}
