package proof

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestPitfall18Collations asks servers, for each collation that dep knows, which characters and which texts are equal.
// All of them are sorted, and each is compared with the one before. What is equal must have one encoding.
//
// The collations for single languages are asked about the characters in which they may differ from the others, and all
// characters of the basic plane are taken only by -every.
func TestPitfall18Collations(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, s := startServer(t, flavor)
		root := most
		if *every {
			root = all
		}
		s.exec("CREATE DATABASE d")
		s.exec("USE d")
		for charset, least := range map[string]int{"utf8mb4": 29, "utf8mb3": 26, "latin1": 7, "ascii": 2} {
			s.insertTexts("language_"+charset, charset, append(characters(languages), combinations()...))
			s.insertTexts("root_"+charset, charset, append(characters(root), combinations()...))
			known := 0
			for _, collation := range s.collations(charset) {
				d := dep.Described{
					DataType: "varchar", ColumnType: "varchar(40)", Charset: charset, Collation: collation,
					MariaDB: flavor == sandbox.MariaDB,
				}
				if typ := dep.TypeOf(d); typ.Class == dep.Text {
					known++
					s.compareTexts(charset, typ)
				}
			}
			if known < least {
				t.Errorf("%d collations of %s are known, expected %d or more", known, charset, least)
			}
		}
	})
}

// collations gives the full names of a character set's collations.
func (s session) collations(charset string) (names []string) {
	column := "COLLATION_NAME"
	if len(s.query("SHOW COLUMNS FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY LIKE 'FULL_COLLATION_NAME'")) > 0 {
		column = "FULL_COLLATION_NAME" // MariaDB since 10.10
	}
	for _, row := range s.query("SELECT " + column + " FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY " +
		"WHERE CHARACTER_SET_NAME = '" + charset + "'") {
		names = append(names, row[0])
	}
	return names
}

// compareTexts compares the encodings of neighbours in the server's order.
func (s session) compareTexts(charset string, typ dep.Type) {
	table := "language_" + charset
	if *every || isRoot(typ.Collation) {
		table = "root_" + charset
	}
	rows := s.query(fmt.Sprintf(`SELECT HEX(v), v COLLATE %[1]s = LAG(v COLLATE %[1]s) OVER (ORDER BY v COLLATE %[1]s) FROM %[2]s`,
		typ.Collation, table))
	var before []byte
	wrong := 0
	for i, row := range rows {
		raw, _ := hex.DecodeString(row[0])
		code, ok := typ.AppendImage(nil, raw, dep.Field{})
		if !ok && isASCII(raw) {
			s.Errorf("%s: no encoding for %q", typ.Collation, raw)
		}
		s.compareLiteral(typ, charset, raw, code, ok)
		if i > 0 && row[1] == "1" && ok && before != nil && string(code) != string(before) {
			if wrong++; wrong <= 5 {
				s.Errorf("%s: %q is equal to %s, but encoded as %x and %x", typ.Collation, raw, rows[i-1][0], code, before)
			}
		}
		if before = code; !ok {
			before = nil
		}
	}
	if len(rows) < 128 {
		s.Errorf("%s: only %d texts were compared", typ.Collation, len(rows))
	}
}

// compareLiteral: a literal is encoded as the same text in an image.
func (s session) compareLiteral(typ dep.Type, charset string, raw, code []byte, ok bool) {
	text := string(raw)
	if charset == "latin1" && !isASCII(raw) {
		return // the literal comes in UTF-8, see TestPitfall23CharacterSets
	}
	literal, known := typ.AppendLiteral(nil, dep.Literal{Kind: dep.TextLiteral, Text: text, UTF8: true})
	if known != ok || ok && string(literal) != string(code) {
		s.Errorf("%s: %q is encoded as %x, %v as a literal and as %x, %v in an image", typ.Collation, raw, literal, known, code, ok)
	}
}

// isRoot is for collations that are for no language, and for those which sort Chinese and Japanese.
func isRoot(collation string) bool {
	_, rest, _ := strings.Cut(collation, "_")
	switch rest {
	case "general_ci", "unicode_ci", "unicode_520_ci", "0900_ai_ci", "0900_as_cs", "ja_0900_as_cs_ks", "zh_0900_as_cs":
		return true
	}
	return false
}

func isASCII(raw []byte) bool {
	for _, b := range raw {
		if b >= 0x80 {
			return false
		}
	}
	return true
}
