package daemon

import (
	"strconv"

	"weir/proxy"
	"weir/proxy/virtual"
)

// maxShownResults is how many results QUERY_CACHE_INFO has at most: it is written into a text for a server.
const maxShownResults = 20000

// queryCacheInfo is the table of MariaDB's plugin of that name, column by column. Like that it shows texts with their
// literals, and nothing to an account without PROCESS.
func (d *Daemon) queryCacheInfo() virtual.Table {
	return virtual.Table{
		Schema: "information_schema", Name: "query_cache_info", Privilege: virtual.Process, Partly: true,
		Columns: []virtual.Column{
			column("STATEMENT_SCHEMA", virtual.Text, "default database in which it was sent"),
			column("STATEMENT_TEXT", virtual.Long, "the statement as it was sent; of a prepared one the text with its parameters as ?"),
			column("RESULT_BLOCKS_COUNT", virtual.Signed, "1: Weir has each result in one piece"),
			column("RESULT_BLOCKS_SIZE", virtual.Signed, "bytes that it takes of query_cache_size"),
			column("RESULT_BLOCKS_SIZE_USED", virtual.Signed, "bytes of the same without the key"),
			column("LIMIT", virtual.Signed, "sql_select_limit of the session, -1 if it has none"),
			column("MAX_SORT_LENGTH", virtual.Signed, "that variable of the session, in bytes"),
			column("GROUP_CONCAT_MAX_LENGTH", virtual.Signed, "group_concat_max_len of the session, in bytes"),
			column("CHARACTER_SET_CLIENT", virtual.Text, "that variable of the session"),
			column("CHARACTER_SET_RESULT", virtual.Text, "character_set_results of the session"),
			column("COLLATION", virtual.Text, "collation_connection of the session, if it has set one"),
			column("TIMEZONE", virtual.Text, "time_zone of the session"),
			column("DEFAULT_WEEK_FORMAT", virtual.Signed, "that variable of the session"),
			column("DIV_PRECISION_INCREMENT", virtual.Signed, "that variable of the session"),
			column("SQL_MODE", virtual.Long, "that variable of the session, if it has set it"),
			column("LC_TIME_NAMES", virtual.Text, "that variable of the session"),
			column("CLIENT_LONG_FLAG", virtual.Signed, "1: all of Weir's clients have this capability"),
			column("CLIENT_PROTOCOL_41", virtual.Signed, "1, likewise"),
			column("CLIENT_EXTENDED_METADATA", virtual.Signed, "1 for clients with this capability of MariaDB's"),
			column("PROTOCOL_TYPE", virtual.Signed, "0 for an answer in text, 1 for one of a prepared statement"),
			column("MORE_RESULTS_EXISTS", virtual.Signed, "0: answers of several results are not cached"),
			column("IN_TRANS", virtual.Signed, "0: what is read in a transaction is not stored"),
			column("AUTOCOMMIT", virtual.Signed, "1: without autocommit nothing is stored"),
			column("PACKET_NUMBER", virtual.Signed, "1: number of the first packet of the answer"),
			column("HITS", virtual.Signed, "times that it was served, at least"),
		},
		Rows: d.resultRows,
	}
}

func (d *Daemon) resultRows(v virtual.Viewer) [][]any {
	if !v.Process {
		return nil
	}
	var rows [][]any
	d.proxy.EachCached(maxShownResults, func(r proxy.CachedResult) { rows = append(rows, resultRow(r, v.Literals)) })
	return rows
}

func resultRow(r proxy.CachedResult, literals bool) []any {
	number := func(name string, otherwise int64) int64 {
		n, err := strconv.ParseInt(r.Setting(name, ""), 10, 64)
		if err != nil {
			return otherwise
		}
		return n
	}
	var text any
	if literals {
		text = r.Text
	}
	extended, prepared := int64(0), int64(0)
	if r.ExtendedMetadata {
		extended = 1
	}
	if r.Prepared {
		prepared = 1
	}
	return []any{
		r.Schema, text, int64(1), r.Bytes, max(r.Bytes-r.KeyBytes, 0), number("sql_select_limit", -1), number("max_sort_length", 1024),
		number("group_concat_max_len", 1<<20), r.Setting("character_set_client", r.Charset), r.Setting("character_set_results", r.Charset),
		r.Setting("collation_connection", ""), r.Setting("time_zone", "SYSTEM"), number("default_week_format", 0), number("div_precision_increment", 4),
		r.Setting("sql_mode", ""), r.Setting("lc_time_names", "en_US"), int64(1), int64(1), extended, prepared, int64(0), int64(0), int64(1), int64(1), int64(r.Hits),
	}
}
