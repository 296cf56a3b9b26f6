package proxy

import "strings"

// defaults are the values, on a new connection, of the session variables that change the bytes of answers, in the form
// name=value for each, in the server's order. SET GLOBAL changes them for connections to come, and is not in the
// binlog. So they are read on every new connection and are a part of every key.
//
// Nor does a user's name tell what the user may do. A server has accounts, such as 'app'@'10.0.0.1' and 'app'@'%', and takes
// the one that fits the host which the connection comes from. To the server all connections of one Weir come from there. But
// several Weirs may share a second tier:
//
//  1. One Weir's app is 'app'@'10.0.0.1', which may read the table. It reads, and the result gets into the second tier.
//  2. Another Weir's app is 'app'@'10.0.0.2', which may not.
//  3. A client of that one asks for the same. It must not get the result.
//
// So the account as the server calls it is a part of every key, too, with the roles that it has from the login on. Of several
// servers one may call it otherwise, such as the one that is on Weir's own host. A session then keeps the name that it has,
// and what is read there is stored for this Weir alone: see [session.sameAccount].
type defaults struct {
	text       string
	account    string
	sqlMode    string
	isolation  string
	charset    string // character_set_client, by the collation of the handshake
	collation  string // collation_connection, likewise
	autocommit bool
	dirtyReads bool // READ UNCOMMITTED: what is read may never have been committed
}

// defaultsQuery works on both flavours, whatever they call the isolation level.
const defaultsQuery = "SHOW SESSION VARIABLES WHERE Variable_name IN (" +
	"'sql_mode', 'autocommit', 'character_set_client', 'character_set_results', 'collation_connection', " +
	"'sql_notes', 'note_verbosity', 'max_error_count', 'max_allowed_packet', 'sql_safe_updates', 'sql_big_selects', " +
	"'time_zone', 'system_time_zone', 'collation_server', 'group_concat_max_len', " +
	"'sql_select_limit', 'div_precision_increment', 'lc_time_names', 'default_week_format', 'max_sort_length', " +
	"'sql_auto_is_null', 'transaction_isolation', 'tx_isolation', 'init_connect', 'big_tables', 'old_mode', " +
	"'explicit_defaults_for_timestamp', 'max_length_for_sort_data', 'version', 'block_encryption_mode', " +
	"'default_collation_for_utf8mb4', 'character_set_collations', 'default_regex_flags', 'ft_boolean_syntax', " +
	"'cte_max_recursion_depth', 'max_recursive_iterations', 'system_versioning_asof', 'windowing_use_high_precision')"

// rolesQuery and startQuery ask for what else a login has established.
const (
	startQuery = "SELECT @@SESSION.wait_timeout, @@SESSION.character_set_client, @@SESSION.character_set_results, @@SESSION.collation_connection, CURRENT_USER()"
	rolesQuery = startQuery + ", CURRENT_ROLE()"
)

// startQuery returns the one that the server understands: MySQL has roles since 8.0, MariaDB since 10.0.5.
func (c *conn) startQuery() string {
	if c.version < 800 {
		return startQuery
	}
	return rolesQuery
}

func readDefaults(rows [][]string) (d defaults) {
	var b strings.Builder
	for _, row := range rows {
		if len(row) != 2 {
			continue
		}
		name, value := strings.ToLower(row[0]), row[1]
		switch name {
		case "sql_mode":
			d.sqlMode = value
		case "autocommit":
			d.autocommit = isOn(value)
		case "character_set_client":
			d.charset = value
		case "collation_connection":
			d.collation = value
		case "transaction_isolation", "tx_isolation":
			d.isolation = value
			d.dirtyReads = d.dirtyReads || isReadUncommitted(value)
		}
		b.WriteString(name + "=" + value + "\x00")
	}
	d.text = b.String()
	return d
}
