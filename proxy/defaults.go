package proxy

import "strings"

// defaults are the values, on a new connection, of the session variables that change the bytes of answers, in the form
// name=value for each, in the server's order. SET GLOBAL changes them for connections to come, and is not in the
// binlog. So they are read on every new connection and are a part of every key.
type defaults struct {
	text       string
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
