package replicator

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"weir/cache"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

func TestWhatIsLeftToRead(t *testing.T) {
	p := &pursuit{
		to:    Position{Pos: 300, Seq: cache.At(9, 300)},
		sizes: map[string]uint64{"binlog.000006": 5000, "binlog.000007": 1000, "binlog.000008": 2000, "binlog.000009": 300, "binlog.000010": 9},
	}
	for _, c := range []struct {
		at   cache.Seq
		want uint64
	}{
		{cache.At(7, 100), 900 + 2000 + 300},
		{cache.At(7, 1000), 2000 + 300},
		{cache.At(7, 1010), 2000 + 300}, // the list was older than the place
		{cache.At(8, 500), 1500 + 300},
		{cache.At(9, 200), 100},
		{cache.At(9, 300), 0},
		{cache.At(9, 301), 0},
		{cache.At(10, 4), 0},
	} {
		if got := p.left(c.at); got != c.want {
			t.Errorf("at %s %d bytes are left, want %d", c.at, got, c.want)
		}
	}
}

// The steps of the comment on conduct.
func TestPitfall15WhatIsAppliedWithoutBeingLogged(t *testing.T) {
	set := func(text string) *gtid.Set {
		s, err := gtid.Parse(gtid.MySQL, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const own, other = "3e11fa47-71ca-11e1-9e33-c80aa9429562:", "9e11fa47-71ca-11e1-9e33-c80aa9429562:"
	p := &pursuit{to: Position{GTIDs: set(own + "1-20," + other + "5")}}
	mysql := identity.Identity{Flavor: gtid.MySQL}
	for _, c := range []struct {
		name string
		at   checkpoint
		lost bool
	}{
		{"all of it was read", checkpoint{identity: mysql, done: set(own + "1-20," + other + "5")}, false},
		{"and more", checkpoint{identity: mysql, done: set(own + "1-21," + other + "1-5")}, false},
		{"one was not logged", checkpoint{identity: mysql, done: set(own + "1-20")}, true},
	} {
		if err := p.complete(&c.at); errors.Is(err, errLostPlace) != c.lost {
			t.Errorf("%s: %v; lost is to be %v", c.name, err, c.lost)
		}
	}
	for _, c := range []struct {
		then, now string
		lost      bool
	}{
		{"", "", false},
		{"0-2-50", "0-2-50", false},
		{"0-2-50", "0-2-51", true},
		{"", "0-2-51", true},
		{logsAll, logsAll, false},
		{"", logsAll, true}, // it may have applied something before it began to log
		{logsAll, "", true},
	} {
		at := checkpoint{conduct: conduct{unlogged: c.then}}
		if err := at.keeps(conduct{unlogged: c.now}); errors.Is(err, errLostPlace) != c.lost {
			t.Errorf("from %q to %q: %v; lost is to be %v", c.then, c.now, err, c.lost)
		}
	}
}

// What is wrong with a place is taken for wrong with its file, and a hole for wrong with all that are left.
func TestPlacesThatAreNotTriedAgain(t *testing.T) {
	places := func() []Checkpoint {
		return []Checkpoint{{File: "binlog.000007", Begun: 10, Pos: 400}, {File: "binlog.000007", Begun: 11, Pos: 500}, {File: "binlog.000008", Begun: 12}}
	}
	for _, c := range []struct {
		err  error
		at   *checkpoint
		left int
	}{
		{lostPlace("purged"), &checkpoint{file: "binlog.000007", begun: 10}, 2},
		{lostPlace("purged"), nil, 3},
		{fmt.Errorf("%w: %w", errHole, lostPlace("a hole")), &checkpoint{file: "binlog.000007", begun: 10}, 0},
	} {
		r := &Reader{untried: places(), at: c.at}
		if r.forgetPlaces(c.err); len(r.untried) != c.left {
			t.Errorf("%v: %d places are left, want %d", c.err, len(r.untried), c.left)
		}
	}
}

func TestWindowEndsEverythingOnce(t *testing.T) {
	fell := true
	var seen []*change.Transaction
	w := NewWindow(func() bool { was := fell; fell = false; return was }, &collector{&seen})
	w.Apply(t.Context(), &change.Transaction{Seq: 1})
	w.Apply(t.Context(), &change.Transaction{Seq: 2})
	fell = true
	w.Apply(t.Context(), &change.Transaction{Seq: 3, Everything: "a reason"})
	if len(seen) != 3 || seen[0].Everything == "" || seen[1].Everything != "" || seen[2].Everything != "a reason" {
		t.Errorf("passed on: %+v", seen)
	}
}

type collector struct{ seen *[]*change.Transaction }

func (c *collector) Apply(_ context.Context, t *change.Transaction) { *c.seen = append(*c.seen, t) }
