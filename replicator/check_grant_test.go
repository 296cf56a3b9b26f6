package replicator

import "testing"

// TestMayReadBinlog: the privilege is one of the server, and nobody has it by what a schema's grants say.
func TestMayReadBinlog(t *testing.T) {
	for grant, want := range map[string]bool{
		"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO `weir`@`%`": true,
		"GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION":  true,
		"GRANT `reader`@`%` TO `weir`@`%`":                             true, // who knows what the role has
		"GRANT USAGE ON *.* TO `weir`@`%`":                             false,
		"GRANT ALL PRIVILEGES ON `shop`.* TO `app`@`%`":                false,
		"GRANT SELECT ON `REPLICATION SLAVE`.* TO `app`@`%`":           false,
	} {
		if got := mayReadBinlog(grant); got != want {
			t.Errorf("%s: %v, want %v", grant, got, want)
		}
	}
}
