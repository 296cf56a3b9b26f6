package statement

import (
	"strings"

	"weir/cache/dep"
)

// Catalog answers what a name stands for. An analysis asks it for every table that the statement reads, and for
// those that their views read. It must answer at once, from one snapshot, and from any goroutine.
type Catalog interface {
	Relation(dep.Name) dep.Relation
}

// TimeColumns is what a [Catalog] may offer on top: the names, in lower case, of the table's columns of type TIME.
// A TIME that meets a date is completed with the current date, so these columns decide whether DATE(c) may be kept.
// Without it, a column is taken for a TIME only where it is cast to DATETIME or TIMESTAMP.
type TimeColumns interface {
	TimeColumns(dep.Name) []string
}

// Flavor is the kind of server.
type Flavor uint8

// Flavors of servers.
const (
	// AnyFlavor is for a server that is not known: only what both flavors agree on is cached.
	AnyFlavor Flavor = iota
	MySQL
	MariaDB
)

// Env is what the meaning of a text depends on besides the text.
type Env struct {
	// Schema is the session's default database, or "".
	Schema string
	// SQLMode is @@sql_mode as the server prints it; also in the short form that clients set, such as ANSI.
	SQLMode string
	// Charset is @@character_set_client; "" stands for utf8mb4.
	Charset string
	// UTF8 says that both @@character_set_client and @@character_set_connection are utf8mb4 or utf8mb3.
	UTF8 bool
	// Flavor and Version tell which functions are built in; every other one may be a stored function. Version is
	// 100 * major + minor: 804, 1011. Zero is the oldest that Weir supports, MySQL 8.0 or MariaDB 10.6.
	Flavor  Flavor
	Version int
	// Catalog may be nil; then no table is known and nothing is cacheable.
	Catalog Catalog
	// CatalogVersion tells a [Cache] apart what was said on the strength of different catalogs.
	CatalogVersion uint64
}

// sqlModes is what of sql_mode concerns the reading of a text.
type sqlModes struct {
	ansiQuotes, pipesAsConcat, noBackslash, ignoreSpace, highNot bool
	// foreign names a mode that changes the grammar in ways that the TiDB parser does not follow, or an unknown one.
	foreign string
}

func parseModes(list string) sqlModes {
	var m sqlModes
	for mode := range strings.SplitSeq(list, ",") {
		m.add(strings.ToUpper(strings.TrimSpace(mode)))
	}
	return m
}

// add takes one mode in. DB2 and its siblings are MariaDB's; each contains the three of ANSI and more.
func (m *sqlModes) add(mode string) {
	switch mode {
	case "ANSI_QUOTES":
		m.ansiQuotes = true
	case "PIPES_AS_CONCAT":
		m.pipesAsConcat = true
	case "NO_BACKSLASH_ESCAPES":
		m.noBackslash = true
	case "IGNORE_SPACE":
		m.ignoreSpace = true
	case "HIGH_NOT_PRECEDENCE":
		m.highNot = true
	case "ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL":
		m.ansiQuotes, m.pipesAsConcat, m.ignoreSpace = true, true, true
		if mode != "ANSI" {
			m.foreign = mode
		}
	default:
		if !harmlessMode(mode) {
			m.foreign = mode
		}
	}
}

// harmlessMode tells whether the mode is known to leave the reading of a SELECT alone.
func harmlessMode(mode string) bool {
	switch mode {
	case "", "REAL_AS_FLOAT", "IGNORE_BAD_TABLE_OPTIONS", "ONLY_FULL_GROUP_BY", "NO_UNSIGNED_SUBTRACTION",
		"NO_DIR_IN_CREATE", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS", "NO_FIELD_OPTIONS", "MYSQL323", "MYSQL40",
		"NO_AUTO_VALUE_ON_ZERO", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE",
		"ALLOW_INVALID_DATES", "ERROR_FOR_DIVISION_BY_ZERO", "TRADITIONAL", "NO_AUTO_CREATE_USER",
		"NO_ENGINE_SUBSTITUTION", "PAD_CHAR_TO_FULL_LENGTH", "TIME_TRUNCATE_FRACTIONAL", "TIME_ROUND_FRACTIONAL",
		"EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT":
		return true
	}
	return false
}

func (m sqlModes) lexing(charset string) lexMode {
	return lexMode{ansiQuotes: m.ansiQuotes, noBackslash: m.noBackslash, wide: wideFirst(charset)}
}
