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
	rows, id, err := source.Session().QueryIdentified(ctx, "SELECT VERSION(), @@GLOBAL.max_allowed_packet")
	if err != nil {
		return proxy.Facts{}, fmt.Errorf("ask the source for its version: %w", err)
	}
	f := proxy.Facts{Version: rows[0][0], Flavor: statement.MySQL}
	if id.Flavor == gtid.MariaDB {
		f.Flavor = statement.MariaDB
	}
	if f.MaxPacket, err = strconv.Atoi(rows[0][1]); err != nil {
		return f, fmt.Errorf("read the source's max_allowed_packet: %w", err)
	}
	f.Charset, err = readCharsets(ctx, source)
	return f, err
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
