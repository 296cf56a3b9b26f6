package dep

import (
	"slices"
	"strings"
)

// knownBy is how Weir knows what is equal under a collation.
type knownBy uint8

const (
	notKnown  knownBy = iota
	byBytes           // the bytes are compared
	byWeights         // Vitess has the server's weights
	byFolding         // ASCII only, see appendFolded
)

// knownAs says how the collation charset_rest is known. Whatever is here is compared with the servers, character by
// character, by TestPitfall18Collations.
func knownAs(charset, rest string, mariaDB bool) knownBy {
	nopad := strings.Contains(rest, "nopad_")
	if nopad && !mariaDB {
		return notKnown
	}
	rest = strings.Replace(rest, "nopad_", "", 1)
	unicode := charset == "utf8mb4" || charset == "utf8mb3"
	switch {
	case rest == "bin", charset == "utf8mb4" && rest == "0900_bin" && !mariaDB:
		return byBytes
	case unicode && slices.Contains([]string{"general_ci", "unicode_ci", "unicode_520_ci"}, rest),
		charset == "utf8mb4" && !mariaDB && slices.Contains([]string{"0900_ai_ci", "0900_as_ci", "0900_as_cs"}, rest),
		charset == "latin1" && slices.Contains([]string{"swedish_ci", "general_ci"}, rest),
		charset == "ascii" && rest == "general_ci":
		return byWeights
	}
	return notKnown
}
