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
		long := strings.Repeat("x", 1000)
		if got, err := r.Derive(1<<20, func(*Table) [][]any { return [][]any{{long}} }); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a text of %d bytes, %v", len(got), err)
		}
	}
}
