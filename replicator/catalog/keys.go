package catalog

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"weir/cache/dep"
)

// keyPart is a row of information_schema.STATISTICS: one column of an index, or a part of one, or an expression.
type keyPart struct {
	rawName
	index    string
	unique   bool
	position int    // from 1; 0 if the server gave no number
	column   string // empty for an expression
	prefix   bool   // only the first characters count
}

// listKeys asks for nothing that makes MariaDB open tables: not for the kind of index, so that a FULLTEXT index looks
// like any other that is not unique.
const listKeys = "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, NON_UNIQUE, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS"

func (l *loader) readKeys(ctx context.Context, p portion) ([]keyPart, error) {
	rows, err := l.ask(ctx, 7, p, listKeys, "TABLE_SCHEMA", "TABLE_NAME")
	parts := make([]keyPart, 0, len(rows))
	for _, r := range rows {
		parts = append(parts, readKeyPart(r))
	}
	return parts, err
}

func readKeyPart(r []string) keyPart {
	position, err := strconv.Atoi(r[4])
	if err != nil {
		position = 0
	}
	return keyPart{rawName: rawName{r[0], r[1]}, index: r[2], unique: r[3] == "0", position: position, column: r[5], prefix: r[6] != ""}
}

// keysOver makes the keys of one table: the primary key first, then the unique ones, then the others. An index of
// which a part is an expression or the beginning of a column is left out, since it says nothing of whole columns: two
// rows may be alike in all columns that its parts name.
func keysOver(columns map[string]int, parts []keyPart) []dep.Key {
	slices.SortFunc(parts, func(a, b keyPart) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.index, b.index), cmp.Compare(a.position, b.position))
	})
	var keys []dep.Key
	for len(parts) > 0 {
		end := slices.IndexFunc(parts, func(p keyPart) bool { return p.index != parts[0].index })
		if end < 0 {
			end = len(parts)
		}
		if k, ok := keyOver(columns, parts[:end]); ok {
			keys = append(keys, k)
		}
		parts = parts[end:]
	}
	return keys
}

// isPrimary: no other index can have this name.
func (p keyPart) isPrimary() bool { return p.index == "PRIMARY" && p.unique }

func (p keyPart) rank() int {
	switch {
	case p.isPrimary():
		return 0
	case p.unique:
		return 1
	}
	return 2
}

// keyOver makes a key of all its parts.
func keyOver(columns map[string]int, parts []keyPart) (dep.Key, bool) {
	k := dep.Key{Primary: parts[0].isPrimary(), Unique: parts[0].unique}
	for i, p := range parts {
		at, known := columns[strings.ToLower(p.column)]
		if p.position != i+1 || p.prefix || !known {
			return dep.Key{}, false
		}
		k.Columns = append(k.Columns, at)
	}
	return k, true
}
