package check

import (
	"fmt"
	"io"
	"strings"
)

// placeholder is where a person puts the password.
const placeholder = "CHANGE-THIS-PASSWORD"

// PrintGrants writes the statements that make Weir's account, ready for the server's own client, and changes nothing. The
// statements of a flavour that is not known are those of both, the other's in comments.
func PrintGrants(w io.Writer, user string, flavours ...string) error {
	account := quote(user) + "@'%'"
	var b strings.Builder
	fmt.Fprintf(&b, "-- Weir's account. Run this on the source as an account with CREATE USER and GRANT OPTION, and on replicas that do not\n")
	fmt.Fprintf(&b, "-- replicate accounts. Put a password in, and the host that Weir connects from in place of %%.\n")
	for i, f := range flavours {
		comment := ""
		if i > 0 {
			comment = "-- "
		}
		if len(flavours) > 1 {
			fmt.Fprintf(&b, "\n-- %s:\n", f)
		}
		for _, statement := range grantStatements(account, f == "MariaDB") {
			fmt.Fprintln(&b, comment+statement)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func grantStatements(account string, mariaDB bool) []string {
	statements := []string{
		fmt.Sprintf("CREATE USER IF NOT EXISTS %s IDENTIFIED BY '%s';", account, placeholder),
		"-- to read the binlog, and to ask where it ends:",
		fmt.Sprintf("GRANT REPLICATION SLAVE, %s ON *.* TO %s;", positionPrivilege(mariaDB), account),
		"-- to read definitions of tables, views, keys and triggers, and to see schema changes that run; Weir reads no rows:",
		fmt.Sprintf("GRANT SELECT, SHOW VIEW, TRIGGER, PROCESS ON *.* TO %s;", account),
	}
	if mariaDB {
		statements = append(statements, "-- for weir check alone, to see whether replicas replicate:",
			fmt.Sprintf("GRANT REPLICA MONITOR ON *.* TO %s;", account))
	}
	return statements
}
