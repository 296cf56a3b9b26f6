package virtual

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrTooLarge says that a text would be larger than it may.
var ErrTooLarge = errors.New("what the statement reads is larger than max_allowed_packet")

// Derive returns the text with each table replaced by a derived table that has the rows which rows returns for it. With
// no rows it is a text of the same columns, to be prepared. The new names are those of the tables, so that what the text
// says of weir.statements.calls still holds. A text may name a table as often as it likes; it returns [ErrTooLarge] as soon as
// that comes to limit bytes.
func (r *Reader) Derive(limit int, rows func(*Table) [][]any) (string, error) {
	var b strings.Builder
	literals := map[*Table]string{}
	at := 0
	if r.word(0) == "TABLE" { // MariaDB has no such statement, and MySQL none of a derived table
		b.WriteString("SELECT * FROM")
		at = r.lex[0].End
	}
	for _, m := range r.mentions() {
		b.WriteString(r.text[at:m.start])
		if m.column {
			at = m.qualifier // the schema goes, the table's name stays
			continue
		}
		literal, ok := literals[m.table]
		if !ok {
			list := rows(m.table)
			if sizeOf(list) >= limit/2 {
				return "", ErrTooLarge
			}
			text, err := json.Marshal(m.table.arrays(list))
			if err != nil {
				return "", fmt.Errorf("write %s.%s: %w", m.table.Schema, m.table.Name, err)
			}
			literal = hex.EncodeToString(text)
			literals[m.table] = literal
		}
		if b.Len()+len(literal)+len(r.text) >= limit {
			return "", ErrTooLarge
		}
		b.WriteString(r.derived(m, literal))
		at = m.end
	}
	b.WriteString(r.text[at:])
	return b.String(), nil
}

// sizeOf is how many bytes of text are in the rows: a literal has two digits for each.
func sizeOf(rows [][]any) (n int) {
	for _, row := range rows {
		for _, v := range row {
			if text, ok := v.(string); ok {
				n += len(text)
			}
		}
	}
	return n
}

// derived is a table reference with the rows. They are a literal in hexadecimal, which means the same in every sql_mode
// and for every character set of the client.
func (r *Reader) derived(m mention, literal string) string {
	var b strings.Builder
	for i, c := range m.table.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s` %s PATH '$[%d]'", c.Name, c.Kind.declared(), i)
	}
	from := fmt.Sprintf("SELECT * FROM JSON_TABLE(_utf8mb4 0x%s, '$[*]' COLUMNS (%s)) AS `rows`", literal, b.String())
	if m.alias {
		return "(" + from + ")"
	}
	return "(" + from + ") AS `" + m.table.Name + "`"
}

// declared is the type in a column list. Names are compared as in information_schema: without regard to case.
func (k Kind) declared() string {
	switch k {
	case Text, Flag, Long:
		return strings.ToUpper(k.Type()) + " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
	}
	return strings.ToUpper(k.Type())
}

// arrays are the rows as JSON has them.
func (t *Table) arrays(rows [][]any) [][]any {
	out := make([][]any, len(rows))
	for i, row := range rows {
		out[i] = make([]any, len(row))
		for j, v := range row {
			if text, ok := asText(v); isNumber(v) {
				out[i][j] = v
			} else if ok {
				out[i][j] = text
			}
		}
	}
	return out
}
