package virtual

import (
	"errors"
	"strings"
	"testing"

	"weir/proxy/statement"
)

// A text may name a table as often as it likes: the text for a server is bounded, and the source is asked once for each name.
func TestMentionsAreBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT 1 FROM weir.things" + strings.Repeat(", weir.things", 4000),
		"WITH a AS (SELECT 1) SELECT 1 FROM things" + strings.Repeat(", things", 4000),
	} {
		r, ok := NewReader(shelf(), Schema, text, statement.Env{})
		if !ok {
			t.Fatal("the text cannot be read")
		}
		asked := 0
		r.Theirs = func(string, string) bool { asked++; return false }
		if n := len(r.Tables()); n != 1 || asked != 1 {
			t.Errorf("%d tables, and the source was asked %d times", n, asked)
		}
		if _, err := r.Derive(1000, func(*Table) [][]any { return [][]any{{strings.Repeat("x", 600)}} }); !errors.Is(err, ErrTooLarge) {
			t.Errorf("rows of 600 bytes in a text of 1000: %v", err)
		}
		long := strings.Repeat("x", 1000)
		if got, err := r.Derive(1<<20, func(*Table) [][]any { return [][]any{{long}} }); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a text of %d bytes, %v", len(got), err)
		}
	}
}

// A number that would have a million digits, or that servers refuse, is left to them.
func TestNumbersAreBounded(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"7": true, "-7.50": true, "1e3": true, "1.5e-300": true, "18446744073709551616": true,
		"1e400": false, "1e999999": false, "1e-999999": false, "0x7": false, strings.Repeat("1", 65): false,
	} {
		r, ok := NewReader(shelf(), Schema, "SELECT * FROM things WHERE "+numeric(t)+" = "+value, statement.Env{})
		if got := ok && r.Parse() != nil; got != want {
			t.Errorf("Weir compares with %s itself: %v", value, got)
		}
	}
}

// numeric is a column of numbers.
func numeric(t *testing.T) string {
	t.Helper()
	for _, c := range shelf().Find(Schema, "things").Columns {
		if c.Kind == Double || c.Kind == Unsigned {
			return c.Name
		}
	}
	t.Fatal("there is none")
	return ""
}
