package demo

import (
	"strings"
	"testing"
)

var smallShop = Sizes{Customers: 200, Products: 100, Orders: 1000, Items: 2000}

// TestShares: what pick chooses by is a hundred in all.
func TestShares(t *testing.T) {
	asked, done := 0, 0
	for _, k := range kinds {
		asked += k.share
	}
	for _, a := range actions {
		done += a.share
	}
	if asked != 100 || done != 100 {
		t.Errorf("kinds have %d, actions %d; want 100 each", asked, done)
	}
}

// TestDice: the same number gives the same questions, another one gives others, and the popular ones come often.
func TestDice(t *testing.T) {
	one, same, other := newDice(smallShop, 1), newDice(smallShop, 1), newDice(smallShop, 2)
	times, differ := map[string]int{}, false
	for range 1000 {
		q := one.question()
		if again := same.question(); again != q {
			t.Fatalf("dice with one number ask %q and %q", q.text, again.text)
		}
		differ = differ || other.question() != q
		times[q.text]++
	}
	if !differ {
		t.Error("dice with different numbers ask the same")
	}
	if first, last := times[productByID(smallShop, 0).text], times[productByID(smallShop, 99).text]; first < 20 || first < 5*last {
		t.Errorf("of 1000 questions, %d are about the most popular product and %d about the least", first, last)
	}
}

func TestDiceOfSmallShop(t *testing.T) {
	d := newDice(Sizes{Customers: 1, Products: 1, Orders: 1, Items: 1}, 1)
	for range 1000 {
		if q := d.question(); strings.Contains(q.text, "products WHERE id") && q.first != "1" {
			t.Fatalf("there is one product, and the question is %q", q.text)
		}
	}
}

func TestPopular(t *testing.T) {
	all := popular(smallShop, 60)
	seen := map[string]bool{}
	for _, q := range all {
		seen[q.text] = true
	}
	if want := 4*60 + categories + 2; len(all) != want || len(seen) != want {
		t.Errorf("%d questions, %d different ones; want %d", len(all), len(seen), want)
	}
}

func TestAnswerFirst(t *testing.T) {
	for a, want := range map[answer]string{
		"id|name\n7|x\n8|y\n": "7",
		"id\n7\n":             "7",
		"id\n":                "",
		"id|name\nNULL|x\n":   "NULL",
	} {
		if got := a.first(); got != want {
			t.Errorf("first of %q is %q, want %q", a, got, want)
		}
	}
}
