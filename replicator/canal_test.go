package replicator

import (
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// What canal does, and why its event loop is not used. An upgrade that changes one of these shows here; then the
// decision can be looked at again.

// TestCanalSkipsWhatItsParserCannotRead: canal gives the text of each Query event to this parser, and skips the event,
// with a line in its log, if that fails. Each of these is an ordinary statement of MySQL or MariaDB.
func TestCanalSkipsWhatItsParserCannotRead(t *testing.T) {
	for _, sql := range []string{
		"CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.v = 1",
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
		"CREATE FUNCTION f () RETURNS INT RETURN 1",
		"XA COMMIT X'61',X'',1",
		"ALTER TABLE t ADD c INT INVISIBLE",
		"CREATE OR REPLACE TABLE t (id INT)",
		"ALTER TABLE t WAIT 5 ADD c INT",
		"RENAME TABLE t WAIT 5 TO u",
	} {
		if _, _, err := parser.New().Parse(sql, "", ""); err == nil {
			t.Errorf("the parser can read %q now", sql)
		}
	}
}

// TestCanalBreaksRestore: this package imports canal, and canal a driver for the parser's values that prints none of
// them. So no key is made from a text that the parser has restored.
func TestCanalBreaksRestore(t *testing.T) {
	restored := func(sql string) string {
		nodes, _, err := parser.New().Parse(sql, "", "")
		if err != nil {
			t.Fatal(err)
		}
		return restore(t, nodes[0])
	}
	one, two := restored("SELECT v FROM t WHERE id = 1"), restored("SELECT v FROM t WHERE id = 2")
	if one != two {
		t.Errorf("the parser tells values apart now: %q and %q", one, two)
	}
}

func restore(t *testing.T, n ast.Node) string {
	t.Helper()
	var b strings.Builder
	if err := n.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
