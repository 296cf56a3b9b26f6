package catalog

import (
	"slices"
	"strings"
	"testing"
)

func TestParseGrants(t *testing.T) {
	all := "read process showView triggers"
	for _, tt := range []struct {
		name, grants, want string
	}{
		{"nothing", "GRANT USAGE ON *.* TO `weir`@`%`", ""},
		{"MySQL", "GRANT SELECT, PROCESS, REPLICATION SLAVE, REPLICATION CLIENT, SHOW VIEW, TRIGGER ON *.* TO `weir`@`%`", all},
		{"MariaDB", "GRANT SELECT, PROCESS, REPLICATION SLAVE, BINLOG MONITOR, SHOW VIEW, TRIGGER ON *.* TO `weir`@`%` IDENTIFIED BY PASSWORD '*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9'", all},
		{"all, MariaDB", "GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` IDENTIFIED VIA mysql_native_password USING 'invalid' OR unix_socket WITH GRANT OPTION\nGRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION", all},
		{"dynamic ones do not count", "GRANT APPLICATION_PASSWORD_ADMIN,AUDIT_ADMIN ON *.* TO `root`@`localhost`", ""},
		{"MariaDB role", "GRANT `r` TO `weir`@`localhost`\nGRANT USAGE ON *.* TO `weir`@`localhost`\nGRANT SELECT, PROCESS, SHOW VIEW, TRIGGER ON *.* TO `r`\nSET DEFAULT ROLE `r` FOR `weir`@`localhost`", all},
		{"MySQL role", "GRANT SELECT, PROCESS, SHOW VIEW, TRIGGER ON *.* TO `weir`@`localhost`\nGRANT `r`@`%` TO `weir`@`localhost`", all},
		{"one schema is not all", "GRANT PROCESS ON *.* TO `weir`@`%`\nGRANT SELECT, SHOW VIEW, TRIGGER ON `shop`.* TO `weir`@`%`", "process"},
		{"one table is not all", "GRANT USAGE ON *.* TO `weir`@`%`\nGRANT SELECT (`id`), TRIGGER ON `shop`.`orders` TO `weir`@`%`", ""},
		{"no triggers", "GRANT SELECT, PROCESS, SHOW VIEW ON *.* TO `weir`@`%`", "read process showView"},
		{"an account that is called TO", "GRANT SELECT ON *.* TO `a TO b`@`%`", "read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rightsText(parseGrants(lines(tt.grants))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParsePartialRevokes(t *testing.T) {
	r := parseGrants(lines("GRANT SELECT, PROCESS ON *.* TO `weir`@`%`\nREVOKE SELECT, TRIGGER ON `s2`.* FROM `weir`@`%`\nREVOKE SELECT ON `a``b FROM c`.* FROM `weir`@`%`"))
	for _, schema := range []string{"s2", "a`b FROM c"} {
		if !r.revoked[schema] {
			t.Errorf("%q is not revoked", schema)
		}
	}
	if len(r.revoked) != 2 || rightsText(r) != "read process" {
		t.Errorf("got %+v", r)
	}
}

func TestRightsThatNoLoadCanDoWithout(t *testing.T) {
	for grant, ok := range map[string]bool{
		"GRANT SELECT, PROCESS ON *.* TO `weir`@`%`": true,
		"GRANT SELECT ON *.* TO `weir`@`%`":          false,
		"GRANT PROCESS ON *.* TO `weir`@`%`":         false,
	} {
		if err := parseGrants(lines(grant)).check(); (err == nil) != ok {
			t.Errorf("%s: %v", grant, err)
		}
	}
}

func lines(text string) [][]string {
	var rows [][]string
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, []string{line})
	}
	return rows
}

func rightsText(r rights) string {
	var have []string
	for name, has := range map[string]bool{"read": r.read, "process": r.process, "showView": r.showView, "triggers": r.triggers} {
		if has {
			have = append(have, name)
		}
	}
	slices.SortFunc(have, func(a, b string) int {
		return strings.Index("read process showView triggers", a) - strings.Index("read process showView triggers", b)
	})
	return strings.Join(have, " ")
}
