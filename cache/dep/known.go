package dep

import "strings"

// knownBy is how Weir knows what is equal under a collation.
type knownBy uint8

const (
	notKnown  knownBy = iota
	byBytes           // the bytes are compared
	byWeights         // Vitess has the servers' weights
	byFolding         // ASCII only, see appendFolded
)

// knownAs says how the collation charset_rest is known. Package proof compares whatever is known with what servers say.
//
// The Unicode collations of before MySQL 8.0 are the same on both flavors. Those with 0900 in their names are MySQL's;
// MariaDB 11.4 takes the names, for collations of UCA 14.0.0. Those with nopad in their names are MariaDB's.
func knownAs(charset, rest string, mariaDB bool) knownBy {
	if mariaDB {
		rest = strings.Replace(rest, "nopad_", "", 1)
	}
	unicode := charset == "utf8mb4" || charset == "utf8mb3"
	switch {
	case rest == "bin":
		return byBytes
	case unicode && isLegacy(rest), charset == "latin1" && isLatin(rest), charset == "ascii" && rest == "general_ci":
		return byWeights
	case !unicode:
	case mariaDB && isRoot1400(rest):
		return byFolding
	case !mariaDB && rest == "0900_bin":
		return byBytes
	case !mariaDB && strings.Contains(rest, "0900_a"):
		return byWeights
	}
	return notKnown
}

// isLegacy knows the Unicode collations of UCA 4.0.0 and 5.2.0, and general_ci, which is simpler.
func isLegacy(rest string) bool {
	switch rest {
	case "general_ci", "unicode_ci", "unicode_520_ci", "icelandic_ci", "latvian_ci", "romanian_ci", "slovenian_ci",
		"polish_ci", "estonian_ci", "spanish_ci", "swedish_ci", "turkish_ci", "czech_ci", "danish_ci", "lithuanian_ci",
		"slovak_ci", "spanish2_ci", "roman_ci", "persian_ci", "esperanto_ci", "hungarian_ci", "sinhala_ci", "german2_ci",
		"croatian_ci", "vietnamese_ci":
		return true
	}
	return false
}

// isLatin leaves out german2_ci, where one character is equal to two.
func isLatin(rest string) bool {
	switch rest {
	case "swedish_ci", "general_ci", "general_cs", "german1_ci", "danish_ci", "spanish_ci":
		return true
	}
	return false
}

// isRoot1400 knows the collations of UCA 14.0.0 that are for no language.
func isRoot1400(rest string) bool {
	switch rest {
	case "uca1400_ai_ci", "uca1400_ai_cs", "uca1400_as_ci", "uca1400_as_cs":
		return true
	}
	return false
}
