package proof

import (
	"strconv"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall23ConnectionCharset: the same characters find the same texts, whatever the character set of the connection, but
// other bytes.
func TestPitfall23ConnectionCharset(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, s := startServer(t, flavor)
		s.exec("CREATE DATABASE d")
		s.exec("USE d")
		s.exec("CREATE TABLE b (id INT PRIMARY KEY, c VARBINARY(10))")
		s.exec("INSERT INTO b VALUES (1, 'a'), (2, x'0061')")
		s.exec("CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci)")
		s.exec("INSERT INTO t VALUES (1, 'a'), (2, 'A '), (3, 'b'), (4, x'0061')")
		bytes, texts := s.describe("b", flavor), s.describe("t", flavor)
		literal := dep.Literal{Kind: dep.TextLiteral, Text: "a"}
		code, _ := texts.AppendLiteral(nil, literal)
		for _, connection := range []string{"utf8mb4_bin", "latin1_bin", "utf16_general_ci", "utf32_bin", "ucs2_bin"} {
			s.exec("SET collation_connection = " + connection)
			want := map[bool]string{true: "1", false: "2"}[connection[0] == 'l' || connection == "utf8mb4_bin"]
			for _, row := range s.query("SELECT id FROM b WHERE c = 'a'") {
				if row[0] != want && connection != "utf32_bin" {
					t.Errorf("%s: row %s of bytes was found, expected %s", connection, row[0], want)
				}
			}
			rows := s.query("SELECT id, c FROM t WHERE c = 'a' ORDER BY id")
			if len(rows) != 2 {
				t.Errorf("%s: %d texts were found, expected 2", connection, len(rows))
			}
			for _, row := range rows {
				if got, ok := texts.AppendImage(nil, []byte(row[1]), dep.Field{}); !ok || string(got) != string(code) {
					t.Errorf("%s: row %s is encoded as %x, the literal as %x", connection, row[0], got, code)
				}
			}
		}
		if code, ok := bytes.AppendLiteral(nil, literal); ok {
			t.Errorf("a literal of a connection that is not in UTF-8 is encoded as %s", strconv.Quote(string(code)))
		}
	})
}
