package replicator

import "strings"

// controlVerb recognises the statements by which the binlog marks transactions, as the servers write them: capital
// letters, one space. It returns the verb and what follows it. Any other text has an empty verb.
//
//	BEGIN | COMMIT | ROLLBACK                      both flavours
//	SAVEPOINT `x` | ROLLBACK TO `x`                both; MariaDB quotes the name
//	XA START X'..',X'..',1 | XA END .. | XA COMMIT .. | XA ROLLBACK ..
func controlVerb(sql string) (verb, rest string) {
	for _, v := range [...]string{
		"BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK TO", "ROLLBACK", "SAVEPOINT", "RELEASE SAVEPOINT",
		"XA START", "XA BEGIN", "XA END", "XA COMMIT", "XA ROLLBACK",
	} {
		if rest, ok := cutWord(sql, v); ok && (rest == "" || takesArgument(v)) {
			return v, rest
		}
	}
	return "", ""
}

// cutWord cuts v off the front of sql, in any case, if a word ends there.
func cutWord(sql, v string) (rest string, ok bool) {
	if len(sql) < len(v) || !strings.EqualFold(sql[:len(v)], v) {
		return "", false
	}
	rest = sql[len(v):]
	if rest != "" && rest[0] != ' ' && rest[0] != '`' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// takesArgument keeps BEGIN NOT ATOMIC, or COMMIT of what will be invented, from being taken for the plain form.
func takesArgument(verb string) bool {
	switch verb {
	case "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK":
		return false
	}
	return true
}
