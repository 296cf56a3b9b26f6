package trouble

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// tells is how often an error is told that comes five times a second for so long; each says which text it has this time.
func tells(of *Trouble, lasting time.Duration, text func(n int) string) (told, counted int) {
	for n := range int(lasting / (200 * time.Millisecond)) {
		untold, tell := of.Tell(errors.New(text(n)))
		if tell {
			told, counted = told+1, counted+1+untold
		}
		time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the clock is synctest's
	}
	return told, counted
}

func TestTroubleThatLasts(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(n int) string
		want int
	}{
		{"the same", func(int) string { return "refused" }, 3},
		{"from another port each time", func(n int) string { return fmt.Sprintf("read tcp 127.0.0.1:%d->127.0.0.1:3306: reset", 40000+n) }, 3},
		{"two that take turns", func(n int) string { return []string{"refused", "reset"}[n%2] }, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var of Trouble
				if told, _ := tells(&of, 3*time.Minute, c.text); told != c.want {
					t.Errorf("in three minutes it is told %d times, want %d", told, c.want)
				}
			})
		})
	}
}

// TestTroubleIsCounted: each time is either told or among those of which the next telling says how many they were.
func TestTroubleIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of Trouble
		told, counted := tells(&of, 2*time.Minute+time.Second/5, func(int) string { return "refused" })
		if told != 3 || counted != 601 {
			t.Errorf("told %d times, of %d; want 3, of 601", told, counted)
		}
	})
}

func TestTroubleThatIsNews(t *testing.T) {
	var of Trouble
	for _, c := range []struct {
		text string
		over bool
		want bool
	}{
		{"refused", false, true}, {"refused", false, false}, {"reset", false, true}, {"refused", false, false},
		{"refused", true, true}, {"refused", false, false},
	} {
		if c.over {
			of.Over()
		}
		if _, tell := of.Tell(errors.New(c.text)); tell != c.want {
			t.Errorf("%s (after it went well: %v) is told: %v", c.text, c.over, tell)
		}
	}
}

// TestTroubleIsBounded: what never comes twice is told, and not remembered for ever.
func TestTroubleIsBounded(t *testing.T) {
	var of Trouble
	for n := range 10 * most {
		if _, tell := of.Tell(fmt.Errorf("number %d", n)); !tell {
			t.Errorf("number %d is not told", n)
		}
		if len(of.told) > most {
			t.Fatalf("%d are remembered", len(of.told))
		}
	}
}
