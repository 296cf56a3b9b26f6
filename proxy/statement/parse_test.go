package statement

import (
	"fmt"
	"sync"
	"testing"
)

// TestParserIsGivenBackLast: while one text is analysed, the parser that has read it reads no other one. It would change
// where the last value of the first text stands, and with that which literal a condition is about.
func TestParserIsGivenBackLast(t *testing.T) {
	catalog, a := readShapes(t), NewAnalyzer()
	var texts, want []string
	for i := range 40 {
		sql := fmt.Sprintf("SELECT id FROM orders WHERE %*s id = %d", 40-i, "", 1000+i)
		texts, want = append(texts, sql), append(want, fmt.Sprintf("orders row id = %d, of it id", 1000+i))
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 800 {
				n := (i*7 + g*11) % len(texts)
				if got := (dependsCase{sql: texts[n]}).says(a, catalog); got != want[n] {
					t.Errorf("%s: %s, want %s", texts[n], got, want[n])
				}
			}
		})
	}
	all.Wait()
}
