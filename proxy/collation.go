package proxy

import (
	"context"
	"fmt"
)

// handshakeCollation is what Weir tells a server in the handshake in place of a collation that does not fit: id 45,
// utf8mb4_general_ci, which both flavours know. SET says the rest.
const handshakeCollation = 45

// collationByte is the collation of the handshake with a server, for a client that has asked for one by its id.
func collationByte(id uint16) uint8 {
	if fitsHandshake(id) {
		return uint8(id)
	}
	return handshakeCollation
}

// fitsHandshake: the handshake has one byte for the id of a collation, while COM_CHANGE_USER has two, and MySQL's ids go up
// to 323, MariaDB's from 2304 on. Zero is the low byte of 2304, and no collation.
func fitsHandshake(id uint16) bool { return id > 0 && id < 256 }

// adoptCollation gives the session the settings that a server gives for a collation that does not fit into a handshake:
// as SET NAMES would, or those of @@global if it does not know the collation. A server that cannot be asked will be
// noticed by whoever needs it next.
func (s *session) adoptCollation(ctx context.Context) {
	id := s.client.Collation
	if fitsHandshake(id) {
		return
	}
	c, err := s.server.borrow(ctx, s, false)
	if err != nil {
		return
	}
	client, results, collation := c.characterSetsOf(id)
	c.pool.put(c)
	if client == "" {
		return
	}
	s.initial.settings = settings{
		{"character_set_client", "'" + client + "'"}, {"character_set_results", results}, {"collation_connection", "'" + collation + "'"},
	}
	s.setState(s.initial)
}

// characterSetsOf asks what a session starts with that asks for the collation. results is a literal.
func (c *conn) characterSetsOf(id uint16) (client, results, collation string) {
	for _, sql := range []string{
		// MariaDB since 10.10, where one id stands for a collation in several character sets.
		"SELECT CHARACTER_SET_NAME, FULL_COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY WHERE ID = %d",
		"SELECT CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLLATIONS WHERE ID = %d",
	} {
		if rows, err := c.query(fmt.Sprintf(sql, id)); err == nil && len(rows) > 0 {
			return rows[0][0], "'" + rows[0][0] + "'", rows[0][1]
		}
	}
	rows, err := c.query("SELECT @@global.character_set_client, COALESCE(CONCAT('''', @@global.character_set_results, ''''), 'NULL'), @@global.collation_connection")
	if err != nil || len(rows) == 0 {
		return "", "", ""
	}
	return rows[0][0], rows[0][1], rows[0][2]
}
