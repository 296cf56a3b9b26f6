package check

import (
	"slices"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator"
)

// TestRefusedAccount: who has no account yet is told what makes one, and who cannot reach the server is not.
func TestRefusedAccount(t *testing.T) {
	for code, want := range map[uint16]bool{gomysql.ER_ACCESS_DENIED_ERROR: true, gomysql.ER_CON_COUNT_ERROR: false} {
		said := replicator.ExplainLogin("source", gomysql.NewDefaultError(code, "weir", "db", "YES"), replicator.Config{Addr: "db:3306", User: "weir"})
		v := judgeConnect(nil, &Server{Source: true, Err: said})
		if got := slices.ContainsFunc(v.mend, func(m string) bool { return strings.Contains(m, "--print-grants") }); got != want {
			t.Errorf("error %d: the mend is %q", code, v.mend)
		}
	}
}
