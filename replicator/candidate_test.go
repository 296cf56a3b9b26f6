package replicator

import (
	"errors"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"

	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// seen makes a sighting from what a table says: "ro", "from X" or "follows" (whom it cannot tell), "down", and what it has
// written.
func seenAs(t *testing.T, name, what, written string) sighting {
	t.Helper()
	s := sighting{candidate: &candidate{addr: name}, id: identity.Identity{Flavor: gtid.MariaDB, ID: name}}
	for _, word := range strings.Fields(what) {
		switch from, found := strings.CutPrefix(word, "from-"); {
		case found:
			s.replicates, s.from = true, from
		case word == "follows":
			s.replicates = true
		case word == "ro":
			s.readOnly = true
		case word == "promoted":
			s.candidate.promotable = true
		case word == "down":
			s.err = errors.New("down")
		case word == "refused":
			s.err = &gomysql.MyError{Code: erAccessDenied, Message: "Access denied"}
		}
	}
	var err error
	if s.written, err = gtid.ParseState(gtid.MariaDB, written); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name     string
		a, b     string // what they are
		wa, wb   string // what they have written
		followed string
		want     string // a, b, or a part of the error
	}{
		{"one takes writes", "", "ro from-a", "0-1-9", "0-1-9", "a", "a"},
		{"the other one was promoted", "ro", "promoted", "0-1-9", "0-1-9", "a", "b"},
		{"promoted, and the old one is dead", "down", "promoted", "", "0-1-9", "a", "b"},
		{"promoted, and still asks the old one", "down", "promoted follows", "", "0-1-9", "a", "b"},
		{"no longer a replica, and the old one is dead", "down", "", "", "0-1-9", "a", "b"},
		{"a replica that was never read-only, and the source is away", "down", "follows", "", "0-1-9", "a", "may not have been promoted"},
		{"the same at the start", "down", "follows", "", "0-1-9", "", "may not have been promoted"},
		{"the source replicates itself, and another one is away", "follows", "down", "0-1-9", "", "a", "a"},
		{"all others answer and are read-only", "ro", "follows", "0-1-9", "0-1-9", "a", "b"},
		{"none takes writes", "ro", "ro", "", "", "a", "all servers in source.addrs are read-only (a is read-only; b is read-only); set read_only=OFF on the one that is the source"},
		{"none answers", "down", "down", "", "", "a", "none of the servers in source.addrs answers (a does not answer: down; b does not answer: down); check that they run, and the addresses"},
		{"one is away, and the other one is read-only", "down", "ro", "", "", "a", "mend the one that is the source, or set read_only=OFF on the one that takes its place"},
		{"one refuses, and the other one is away", "refused", "down", "", "", "a", "a refuses to be looked at: ERROR 1045 (): Access denied; b does not answer: down); check source.user and source.password"},
		{"one refuses, and the other one is read-only", "ro", "refused", "", "", "a", "b refuses to be looked at"},
		{"both, one replicates from the other", "", "from-a", "0-1-9", "0-1-8", "a", "a"},
		{"both, one replicates from the other, also if that was not followed", "from-b", "", "0-1-9", "0-1-9", "a", "b"},
		{"both, one replicates from nobody knows whom", "", "follows", "0-1-9", "0-1-8", "a", "a"},
		{"both, and the replica has more", "", "from-a", "0-1-9", "0-1-9,0-2-10", "a", "more than one server takes writes: a and b; make all but one of them read-only"},
		{"both, one replicates from a stranger", "", "from-x", "0-1-9", "0-1-9", "a", "more than one server"},
		{"both, and none replicates", "", "", "0-1-9", "0-1-8", "a", "more than one server"},
		{"both, in a ring", "from-b", "from-a", "0-1-9", "0-1-9", "a", "more than one server"},
		{"both, maybe in a ring", "follows", "follows", "0-1-9", "0-1-9", "a", "more than one server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := sightings{seenAs(t, "a", c.a, c.wa), seenAs(t, "b", c.b, c.wb)}
			var followed *candidate
			if c.followed != "" {
				followed = all.of(c.followed).candidate
			}
			found, err := choose(all, all, followed)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = found.addr
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestChooseWhileItMoves: the first look found the old source before it was read-only, and the new one after it took
// writes. The second look shows what is.
func TestChooseWhileItMoves(t *testing.T) {
	first := sightings{seenAs(t, "a", "", "0-1-9"), seenAs(t, "b", "", "0-1-9")}
	later := sightings{seenAs(t, "a", "ro", "0-1-9"), seenAs(t, "b", "", "0-1-9")}
	if found, err := choose(first, later, first[0].candidate); err != nil || found.addr != "b" {
		t.Errorf("%v, %v", found, err)
	}
}

// TestPromotable: that a server takes writes which was read-only is a promotion, unless it was seen to do so while another
// one was the source.
func TestPromotable(t *testing.T) {
	s := seenAs(t, "b", "ro", "")
	if s.note(nil); !s.candidate.promotable {
		t.Error("read-only")
	}
	s.readOnly = false
	if s.note(nil); !s.candidate.promotable {
		t.Error("takes writes, and nobody knows who is the source")
	}
	if s.note(s.candidate); !s.candidate.promotable {
		t.Error("is the source")
	}
	if s.note(&candidate{}); s.candidate.promotable {
		t.Error("takes writes beside the source")
	}
	s.err = errors.New("down")
	if s.note(&candidate{}); !s.candidate.silent {
		t.Error("did not answer")
	}
}
