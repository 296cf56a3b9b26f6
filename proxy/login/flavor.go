package login

import "strings"

// Flavor says whose server it is.
type Flavor string

// The flavors that a handshake tells apart. Forks of MySQL count as MySQL.
const (
	MySQL   Flavor = "MySQL"
	MariaDB Flavor = "MariaDB"
)

// flavorOf guesses from the version in the handshake, which also says MariaDB where a distribution has added its name.
func flavorOf(version string) Flavor {
	if strings.Contains(strings.ToLower(version), "mariadb") {
		return MariaDB
	}
	return MySQL
}

// versionOf takes away what MariaDB up to 10.x puts before its version so that old MySQL replicas connect.
func versionOf(version string) string {
	if flavorOf(version) == MariaDB {
		return strings.TrimPrefix(version, "5.5.5-")
	}
	return version
}
