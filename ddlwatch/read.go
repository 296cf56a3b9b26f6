package ddlwatch

import "strings"

// Read says what a statement in the binlog changes.
//
// Schema is the default database that the statement ran in, empty if none; sql its text, as MySQL from 5.7 and
// MariaDB from 10.2 write it into Query and Execute_load_query events. Transaction control (BEGIN, COMMIT, SAVEPOINT,
// XA) is not expected and is taken for unknown text. Read cannot fail: a text that it does not understand changes
// everything.
func Read(schema, sql string, known Known) Effect {
	var all *Effect
	for _, q := range readings(sql) {
		e, possible := newReader(schema, sql, q, known).read()
		switch {
		case !possible:
		case all == nil:
			all = &e
		default:
			e = all.or(e)
			all = &e
		}
	}
	if all == nil {
		return notUnderstood("no server would accept it")
	}
	return *all
}

// readings are the ways in which the text can be quoted. Most texts have one.
func readings(sql string) []quoting {
	all := []quoting{{backslash: true}}
	if strings.Contains(sql, `\`) {
		all = append(all, quoting{})
	}
	if strings.Contains(sql, `"`) {
		for _, q := range all {
			q.ansi = true
			all = append(all, q)
		}
	}
	return all
}

// notUnderstood is the effect of a text that may have done anything.
func notUnderstood(reason string) Effect {
	return Effect{
		Everything:  "text not understood: " + reason,
		Schema:      true,
		ForeignKeys: true,
		Unsure:      true,
		Kind:        "unknown",
		Class:       Unknown,
	}
}
