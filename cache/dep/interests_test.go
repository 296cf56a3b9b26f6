package dep

import (
	"fmt"
	"testing"
	"time"
)

func TestInterestsAreHandedOver(t *testing.T) {
	w, _ := watching()
	w.Want(orders, []Want{byID, {Column: "id", Interest: InRange}, byState, {Interest: InChange}})
	w.Want(Fold("shop", "customers"), []Want{byID})
	w.Forget(Fold("shop", "customers"))
	all := w.Interests(time.Hour)
	if got, want := fmt.Sprint(all), "[{shop.orders [{ 4} {id 3} {state 4}]}]"; got != want {
		t.Fatalf("the interests are %s, want %s", got, want)
	}
	other, l := watching()
	other.TakeUp(all)
	wantSince(t, other, "taken up", 10, byID, byState)
	l.Restart(5)
	other.Restart()
	wantSince(t, other, "in the new epoch", 0, byID, byState, Want{Column: "id", Interest: InRange}, Want{Interest: InChange})
	l.Record(6, nil)
	other.Recorded(6)
	other.TakeUp([]Interests{{Table: orders, Wants: []Want{{Column: "id", Interest: InValue | InCell | 1<<7}}}})
	wantSince(t, other, "what was there is as it was", 0, byID)
	wantSince(t, other, "what is new is not", 6, Want{Column: "id", Interest: InCell})
}

// Two who tell each other of their interests forget them, when nobody has them any more.
func TestInterestsOfNobodyEnd(t *testing.T) {
	a, _ := watching()
	b, _ := watching()
	a.Want(orders, []Want{byID})
	b.TakeUp(a.Interests(time.Hour))
	if all := b.Interests(time.Hour); len(all) != 0 {
		t.Errorf("what was only taken up is handed on: %v", all)
	}
	a.TakeUp(b.Interests(time.Hour))
	if all := a.Interests(-1); len(all) != 0 {
		t.Errorf("what was wanted long ago is handed on: %v", all)
	}
	a.Prune(0)
	b.Prune(0)
	wantColumns(t, a, "pruned", nil)
	wantColumns(t, b, "pruned", nil)
	if all := a.Interests(time.Hour); len(all) != 0 {
		t.Errorf("what was pruned is handed on: %v", all)
	}
	b.TakeUp([]Interests{{Table: orders, Wants: []Want{byID}}})
	b.Recorded(20)
	wantColumns(t, b, "taken up again", map[string]Interest{"id": InValue})
	b.Want(orders, []Want{byID})
	if all := b.Interests(time.Hour); len(all) != 1 {
		t.Errorf("what was taken up, and then wanted, is handed on: %v", all)
	}
}
