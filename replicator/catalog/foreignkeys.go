package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir/cache/dep"
)

// Bits of TYPE in InnoDB's list of foreign keys. The others mean that rows of the child change: 1 and 2 are ON DELETE
// CASCADE and SET NULL, 4 and 8 the same ON UPDATE. RESTRICT has no bit. SET DEFAULT has none either: MySQL and
// MariaDB accept the words and refuse the change of the parent, as RESTRICT does.
const (
	deleteNoAction = 16
	updateNoAction = 32
)

// maxAsked is how many names the server decodes in one query.
const maxAsked = 200

// readForeignKeys reads InnoDB's own lists. They are complete whatever the account may see, a parent that does not
// exist (foreign_key_checks=0) included, and take milliseconds. REFERENTIAL_CONSTRAINTS and KEY_COLUMN_USAGE leave out,
// silently, what the account has no right to; MariaDB opens every table for them. It adds to what was read before.
func (l *loader) readForeignKeys(ctx context.Context) (int, error) {
	list := "information_schema.INNODB_FOREIGN"
	if l.legacy {
		list = "information_schema.INNODB_SYS_FOREIGN"
	}
	rows, err := l.query(ctx, 5, "SELECT ID, FOR_NAME, REF_NAME, N_COLS, TYPE FROM "+list)
	if err != nil {
		return 0, err
	}
	columns, err := l.query(ctx, 2, "SELECT ID, REF_COL_NAME FROM "+list+"_COLS")
	if err != nil {
		return 0, err
	}
	acting := actingKeys(rows, columns)
	if l.legacy {
		if err := l.decode(ctx, acting); err != nil {
			return 0, err
		}
	}
	for _, k := range acting {
		l.foreignKeys = append(l.foreignKeys, k.split()...)
	}
	return len(rows) + len(columns), nil
}

// innodbKey is a foreign key in InnoDB's names, schema/table. Columns are named as in the parent's definition, on
// MariaDB too, in lower case here; nil if they are not known.
type innodbKey struct {
	child, parent string
	columns       []string
}

// actingKeys leaves out keys that only forbid. A type that is not a number counts as acting.
func actingKeys(rows, columnRows [][]string) []innodbKey {
	columns := map[string][]string{}
	for _, r := range columnRows {
		columns[r[0]] = append(columns[r[0]], strings.ToLower(r[1]))
	}
	var keys []innodbKey
	for _, r := range rows {
		bits, err := strconv.ParseUint(r[4], 10, 64)
		if err != nil || bits&^(deleteNoAction|updateNoAction) != 0 {
			keys = append(keys, innodbKey{child: r[1], parent: r[2], columns: wholeList(columns[r[0]], r[3])})
		}
	}
	return keys
}

// wholeList returns the columns if they are as many as they must be: between the two queries the key may have gone, and
// on MySQL two keys may look as if they had one ID, if there is a slash in a name.
func wholeList(columns []string, want string) []string {
	if n, err := strconv.Atoi(want); err != nil || n != len(columns) {
		return nil
	}
	return columns
}

// split returns the foreign key. MySQL 8 prints names as they are: where one has a slash in it there is more than one
// way to read it, and all of them count.
func (k innodbKey) split() []foreignKey {
	var keys []foreignKey
	for _, parent := range splitName(k.parent) {
		for _, child := range splitName(k.child) {
			keys = append(keys, foreignKey{parent: parent, child: child, columns: k.columns})
		}
	}
	return keys
}

func splitName(name string) []dep.Name {
	var names []dep.Name
	for i := range len(name) {
		if name[i] == '/' {
			names = append(names, dep.Fold(name[:i], name[i+1:]))
		}
	}
	return names
}

// decode replaces the names by what they stand for. MariaDB and MySQL 5.7 print them as file names are written:
// @0024 is a dollar sign.
func (l *loader) decode(ctx context.Context, keys []innodbKey) error {
	var parts []string
	for _, k := range keys {
		parts = append(parts, strings.Split(k.child, "/")...)
		parts = append(parts, strings.Split(k.parent, "/")...)
	}
	decoded, err := l.decodeParts(ctx, parts)
	if err != nil {
		return err
	}
	for i, k := range keys {
		keys[i].child, keys[i].parent = decodeName(decoded, k.child), decodeName(decoded, k.parent)
	}
	return nil
}

func decodeName(decoded map[string]string, name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = decoded[p]
	}
	return strings.Join(parts, "/")
}

// decodeParts decodes what it can and asks the server for the rest.
func (l *loader) decodeParts(ctx context.Context, parts []string) (map[string]string, error) {
	decoded := map[string]string{}
	var ask []string
	for _, p := range parts {
		if _, seen := decoded[p]; seen {
			continue
		}
		name, ok := decodeFilename(p)
		if !ok {
			ask = append(ask, p)
		}
		decoded[p] = name
	}
	for some := range slices.Chunk(ask, maxAsked) {
		if err := l.askFilenames(ctx, some, decoded); err != nil {
			return nil, fmt.Errorf("decode names: %w", err)
		}
	}
	return decoded, nil
}

// decodeFilename turns @ and four hexadecimal digits into the character with that code. Letters of some scripts have
// shorter codes, from a table that only the server has; the first two characters of those are never both digits of
// that kind. It returns false if there is one.
func decodeFilename(name string) (string, bool) {
	before, rest, more := strings.Cut(name, "@")
	var b strings.Builder
	for b.WriteString(before); more; {
		if len(rest) < 4 {
			return "", false
		}
		code, err := strconv.ParseUint(rest[:4], 16, 16)
		if err != nil {
			return "", false
		}
		b.WriteRune(rune(code))
		before, rest, more = strings.Cut(rest[4:], "@")
		b.WriteString(before)
	}
	return b.String(), true
}

// askFilenames lets the server decode, all names as columns of one row.
func (l *loader) askFilenames(ctx context.Context, names []string, decoded map[string]string) error {
	columns := make([]string, len(names))
	for i, n := range names {
		columns[i] = "CONVERT(_filename" + literal(n) + " USING utf8mb4)"
	}
	rows, err := l.query(ctx, len(names), "SELECT "+strings.Join(columns, ", "))
	if err != nil {
		return err
	}
	for i, n := range names {
		if len(rows) != 1 || rows[0][i] == "" {
			return fmt.Errorf("the server does not know what %q stands for", n)
		}
		decoded[n] = rows[0][i]
	}
	return nil
}
