package replicator

import (
	"strings"

	"weir/cache/dep"
	"weir/replicator/change"
)

// touchRows notes that rows of a table changed. Rows of the schema mysql that change without a statement are
// privileges edited by hand, time zones, plugins: everything may depend on them.
func touchRows(t *change.Transaction, n dep.Name) {
	switch {
	case n.Schema != "mysql":
		t.Touch(n)
	case !bookkeeping(n.Table):
		t.Everything = "rows of " + n.String() + " changed"
	}
}

// bookkeeping lists the tables of the schema mysql that servers write to by themselves and that no result depends on.
func bookkeeping(table string) bool {
	switch table {
	case "gtid_executed", "innodb_table_stats", "innodb_index_stats", "table_stats", "column_stats", "index_stats",
		"general_log", "slow_log", "transaction_registry":
		return true
	}
	return strings.HasPrefix(table, "gtid_slave_pos") || strings.HasPrefix(table, "slave_") ||
		strings.HasPrefix(table, "ndb_") || strings.HasPrefix(table, "help_")
}
