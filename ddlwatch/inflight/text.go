package inflight

import (
	"regexp"
	"strings"
)

// statementLimit bounds the texts that are handed out, in bytes.
const statementLimit = 1024

// secret finds what may introduce a password or a key: IDENTIFIED BY, PASSWORD = and PASSWORD(, and the CONNECTION of a
// FEDERATED table, which is a URL with a password. A column of the name password is followed by its type.
var secret = regexp.MustCompile(`(?i)\b(identified\s+(by|with|via|as)|(\w*password|connection)\s*(=|\(|'|"|for\b|to\b))`)

// public is a text as it may be handed out.
func public(sql string) string {
	if at := secret.FindStringIndex(sql); at != nil {
		sql = sql[:at[0]] + "..."
	}
	if len(sql) > statementLimit {
		sql = strings.ToValidUTF8(sql[:statementLimit], "")
	}
	return sql
}

// head finds the first words of a statement: comments in front of them are passed over, and what the servers execute
// of them is looked into.
var head = regexp.MustCompile(`(?is)^(?:\s+|/\*M?!\d*|/\*[^!].*?\*/|(?:--\s|#)[^\n]*\n)*(\w+)(?:\s+or\s+replace)?\s+(\w+)?`)

// mayBeDDL says whether the first words of a text that is not understood are those of DDL. Those of statements about
// accounts are not, whose texts hold passwords.
func mayBeDDL(sql string) bool {
	words := head.FindStringSubmatch(sql)
	if words == nil {
		return false
	}
	switch strings.ToUpper(words[2]) {
	case "USER", "ROLE", "SERVER":
		return false
	}
	switch strings.ToUpper(words[1]) {
	case "ALTER", "CREATE", "DROP", "TRUNCATE", "RENAME", "OPTIMIZE", "REPAIR":
		return true
	}
	return false
}

// mentions says whether a text has a word in it, in any case. A word is what names consist of unless they are quoted.
func mentions(sql, word string) bool {
	sql, word = strings.ToLower(sql), strings.ToLower(word)
	for from := 0; word != ""; {
		at := strings.Index(sql[from:], word)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(word)
		if !(from > 0 && inName(sql[from-1])) && !(end < len(sql) && inName(sql[end])) {
			return true
		}
		from++
	}
	return false
}

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}
