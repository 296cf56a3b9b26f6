package catalog

import (
	"fmt"
	"strings"
)

// moodyTables are those with a virtual column whose value may differ from one read to the next, though no row
// changed, and why. MariaDB allows NOW() or CURRENT_USER() there; MySQL does not.
func (f *facts) moodyTables() map[rawName]string {
	moody := map[rawName]string{}
	if !f.mayDiffer {
		return moody
	}
	for _, c := range f.virtual {
		if timed := len(f.times[c.rawName]) > 0; !steady(c.expression, timed) {
			moody[c.rawName] = fmt.Sprintf("its virtual column %s may differ from one read to the next", c.name)
		}
	}
	return moody
}

// steady reports whether an expression, as MariaDB prints it, surely depends on nothing but the row and the session
// settings that are part of every key: it calls only functions that are known, and reads no variable. Columns are
// always printed in backticks, so that a bare word is a function, a keyword or a type. In a timed table a TIME may
// become a date, for which the server takes the current one.
func steady(expression string, timed bool) bool {
	for rest := expression; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		if !steadyWord(strings.ToLower(word), strings.HasPrefix(strings.TrimLeft(rest, " "), "("), timed) {
			return false
		}
	}
	return true
}

// steadyWord judges one word of an expression, called if a parenthesis follows.
func steadyWord(word string, called, timed bool) bool {
	switch {
	case word == "":
		return true
	case isDateWord(word):
		return !timed
	case called:
		return isSteadyFunction(word)
	}
	return !isUnsteadyWord(word)
}

// nextWord cuts a word, a quoted text or one other character from the front of an expression. Words and @ are
// returned, the rest is "". A quote that does not end is taken for @.
func nextWord(text string) (word, rest string) {
	switch c := text[0]; {
	case c == '`' || c == '\'' || c == '"':
		return skipQuoted(text)
	case c == '@':
		return "@", text[1:]
	case !isWordByte(c):
		return "", text[1:]
	}
	end := 1
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	return text[:end], text[end:]
}

// skipQuoted drops a text in quotes. A doubled quote ends one and starts another, which comes to the same.
func skipQuoted(text string) (word, rest string) {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return "", text[i+1:]
		}
	}
	return "@", ""
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// isUnsteadyWord tells variables, the functions that are called without parentheses, and the literal TIME'...'.
func isUnsteadyWord(word string) bool {
	switch word {
	case "@", "time", "current_date", "current_time", "current_timestamp", "current_user", "current_role", "localtime",
		"localtimestamp", "session_user", "system_user", "user", "utc_date", "utc_time", "utc_timestamp":
		return true
	}
	return false
}

// isDateWord tells the functions and types that complete a TIME with the current date, and else are steady.
func isDateWord(word string) bool {
	switch word {
	case "date", "datetime", "timestamp", "date_add", "date_sub", "datediff", "day", "dayofmonth", "dayofweek",
		"dayofyear", "extract", "last_day", "month", "quarter", "timestampdiff", "to_days", "weekday", "weekofyear",
		"year":
		return true
	}
	return false
}

// isSteadyFunction tells functions of their arguments alone, and keywords that a parenthesis may follow.
func isSteadyFunction(word string) bool {
	switch word {
	case "and", "or", "xor", "not", "in", "between", "case", "when", "then", "else", "div", "mod", "is", "like", "as",
		"char", "binary", "decimal", "varchar", "signed", "unsigned":
		return true
	case "abs", "ascii", "bit_length", "cast", "ceil", "ceiling", "char_length", "character_length", "coalesce",
		"concat", "concat_ws", "convert", "crc32", "elt", "field", "find_in_set", "floor", "greatest", "hex", "hour",
		"if", "ifnull", "inet6_aton", "inet6_ntoa", "inet_aton", "inet_ntoa", "insert", "instr", "isnull", "lcase",
		"least", "left", "length", "locate", "lower", "lpad", "ltrim", "md5", "microsecond", "mid", "minute", "nullif",
		"octet_length", "ord", "position", "pow", "power", "quote", "regexp_instr", "regexp_replace", "regexp_substr",
		"repeat", "replace", "reverse", "right", "round", "rpad", "rtrim", "second", "sha", "sha1", "sha2", "sign",
		"sqrt", "strcmp", "substr", "substring", "substring_index", "trim", "truncate", "ucase", "unhex", "upper":
		return true
	case "json_array", "json_compact", "json_contains", "json_contains_path", "json_depth", "json_exists",
		"json_extract", "json_keys", "json_length", "json_object", "json_query", "json_quote", "json_search",
		"json_type", "json_unquote", "json_valid", "json_value":
		return true
	}
	return false
}
