package statement

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// quotedTexts makes texts in quotes of what servers read in their own ways.
func quotedTexts(random *rand.Rand, n int) []string {
	parts := []string{"a", "B", "n", "0", "Z", " ", "%", "_", `\`, `\`, `\\`, "'", "''", `"`, `""`, "é", "🜁", "\n", "--", "/*", ";"}
	all := []string{`'\0\'\"\b\n\r\t\Z\\\%\_\q'`, `''`, `'\\'`, `'a''b'`, `"a'b"`, `'a"b'`, `'\é'`}
	for range n {
		quote := []string{"'", `"`}[random.IntN(2)]
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		all = append(all, quote+b.String()+quote)
	}
	return all
}

// TestPitfall19LiteralsAreTheServers: what is in a slot is what the server reads there, in each sql_mode that matters.
func TestPitfall19LiteralsAreTheServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		db := sandboxtest.RootDB(t, sandboxtest.Server(t, sandbox.Options{Flavor: flavor}), "mysql")
		for _, mode := range []string{"", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"} {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.ExecContext(t.Context(), "SET NAMES utf8mb4, sql_mode = '"+mode+"'"); err != nil {
				t.Fatal(err)
			}
			compared := 0
			for _, text := range quotedTexts(rand.New(rand.NewPCG(1, 0)), 400) {
				compared += checkLiteral(t, conn, mode, text, "HEX(%s)", dep.TextLiteral)
			}
			for _, text := range []string{"0x1f", "0xABC", "x'1F20'", "X'00ff'"} {
				compared += checkLiteral(t, conn, mode, text, "HEX(%s)", dep.BytesLiteral)
			}
			for _, text := range []string{"0.50", "-12345678901234567890.1234567890", "-0.0"} {
				compared += checkLiteral(t, conn, mode, text, "HEX(CAST(%s AS CHAR))", dep.DecimalLiteral)
			}
			for _, text := range []string{"0", "18446744073709551615", "-9223372036854775808", "-5", "TRUE", "false"} {
				compared += checkLiteral(t, conn, mode, text, "HEX(CAST(%s AS CHAR))", dep.WholeLiteral)
			}
			if compared < 80 {
				t.Errorf("%s: only %d literals were compared", mode, compared)
			}
			conn.Close()
		}
	})
}

// checkLiteral asks the server for the value of a literal, if a statement that compares with it has one in its slot.
func checkLiteral(t *testing.T, conn *sql.Conn, mode, text, asked string, kind dep.LiteralKind) int {
	t.Helper()
	env := onWorld()
	env.SQLMode, env.UTF8 = mode, true
	st := NewAnalyzer().Analyze("SELECT * FROM t WHERE a = "+text, env)
	if !st.Cacheable || len(st.Slots) != 1 {
		if kind != dep.TextLiteral {
			t.Errorf("%q: %s gives no literal", mode, text)
		}
		return 0
	}
	l := st.Slots[0].Literal
	value := l.Text
	if kind == dep.WholeLiteral {
		value = describeSlot(st.Slots[0])
	}
	var got string
	err := conn.QueryRowContext(t.Context(), "SELECT "+fmt.Sprintf(asked, text)).Scan(&got)
	if want := fmt.Sprintf("%X", value); err != nil || got != want || l.Kind != kind {
		t.Errorf("%q: %s is %s to the server (%v), in the slot it is %s, of kind %d", mode, text, got, err, want, l.Kind)
	}
	return 1
}
