package ddlwatch

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changing are the first words of texts that change rows or definitions.
var changing = regexp.MustCompile(`(?i)^(DROP|ALTER|TRUNCATE|RENAME|CREATE|INSERT|UPDATE|DELETE|REPLACE|LOAD)[ \t\n]`)

// harmless are the kinds of what changes neither, and a word that such a text cannot do without.
var harmless = map[string]string{
	"temporary_table": `TEMPORARY`,
	"routine":         `PROCEDURE|FUNCTION|PACKAGE|LIBRARY`,
	"event":           `EVENT`,
	"storage":         `TABLESPACE|LOGFILE|RESOURCE|INSTANCE`,
}

func FuzzRead(f *testing.F) {
	for _, r := range every() {
		f.Add("shop", r.sql)
		f.Add("", r.sql)
	}
	f.Fuzz(func(t *testing.T, schema, sql string) {
		e := Read(schema, sql, known)
		checkEffect(t, schema, sql, e)
		if more := Read(schema, sql, nil); more.Empty() && !e.Empty() {
			t.Errorf("%q: knowing less touches less", sql)
		}
	})
}

func checkEffect(t *testing.T, schema, sql string, e Effect) {
	t.Helper()
	if e.Kind == "" {
		t.Errorf("%q has no kind", sql)
	}
	if e.Empty() && changing.MatchString(sql) && !isHarmless(e.Kind, sql) {
		t.Errorf("%q (schema %q) touches nothing: %+v", sql, schema, e)
	}
	if e.Unsure && e.Everything == "" {
		t.Errorf("%q is unsure and does not touch everything", sql)
	}
	checkClass(t, sql, e)
	for _, n := range e.Tables {
		if n.Schema == "" || n.Table == "" {
			t.Errorf("%q touches a table without a name: %v", sql, n)
		}
	}
}

// notLayout are reserved words that nothing of class None has outside of names, strings and parentheses.
var notLayout = set("COLUMN", "CONVERT", "FOREIGN", "REFERENCES", "PRIMARY", "SELECT", "ORDER", "IGNORE")

// checkClass: what is of class None changes no row, and has no specification that is not known.
func checkClass(t *testing.T, sql string, e Effect) {
	t.Helper()
	if !slices.Contains(Classes(), e.Class) {
		t.Errorf("%q is of class %q", sql, e.Class)
	}
	if e.Class != None || len(e.Tables) == 0 {
		return
	}
	if e.Everything != "" || len(e.Schemas) > 0 || e.ForeignKeys || e.Moves || e.Rows || e.Unsure {
		t.Errorf("%q is of class none and does more: %+v", sql, e)
	}
	for _, q := range readings(sql) {
		if w := foreign(sql, q); w != "" {
			t.Errorf("%q is of class none and says %s", sql, w)
		}
	}
}

// foreign returns a word of notLayout that the text has behind its first verb, read with these quotes.
func foreign(sql string, q quoting) string {
	c, depth := cursor{lexer: lexer{sql: sql, quoting: q}}, 0
	for c.advance(); c.tok.kind != end; c.advance() {
		switch {
		case c.tok.isMark('('):
			depth++
		case c.tok.isMark(')'):
			depth--
		case depth == 0 && c.tok.kind == word && !c.before[0].isMark('.') && notLayout[strings.ToUpper(c.tok.src)]:
			return c.tok.src
		}
	}
	return ""
}

func isHarmless(kind, sql string) bool {
	word := harmless[kind]
	return word != "" && regexp.MustCompile(`(?i)`+word).MatchString(sql)
}

// What a table statement touches does not change when comments, blanks and case do.
func TestSpellingDoesNotMatter(t *testing.T) {
	for _, rows := range [][]row{tableRows, dropRows, renameRows, partitionRows, dataRows, queryRows} {
		for _, r := range rows {
			if strings.ContainsAny(r.sql, "`'\"-#") || strings.Contains(r.sql, "/*") {
				continue // The text has strings or comments of its own.
			}
			spelled := strings.ReplaceAll(strings.ToLower(r.sql), " ", " /* DROP TABLE x */\t-- y\n")
			if got := brief(read(spelled)); got != r.want {
				t.Errorf("%s\n got %s\nwant %s", spelled, got, r.want)
			}
		}
	}
}
