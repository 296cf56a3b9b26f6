package replicator

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// lookedAt are candidates whose looks a test makes up. told is what OnMove was told.
type lookedAt struct {
	*Candidates
	t    *testing.T
	log  bytes.Buffer
	told []string
}

func newLookedAt(t *testing.T, addrs ...string) *lookedAt {
	l := &lookedAt{t: t}
	l.Candidates = NewCandidates(Config{}, addrs, func(string) TLS { return TLS{} }, slog.New(slog.NewTextHandler(&l.log, nil)), nil)
	l.OnMove = func(addr string, silent bool) { l.told = append(l.told, fmt.Sprint(addr, " ", silent)) }
	return l
}

// look gives each candidate a sighting, as [seenAs] has it, and returns to where sessions lead from then on.
func (l *lookedAt) look(whats ...string) *endpoint {
	l.t.Helper()
	var seen sightings
	for i, one := range l.all {
		s := seenAs(l.t, one.addr, whats[i], "0-1-9")
		s.candidate = one
		seen = append(seen, s)
	}
	found, err := choose(seen, seen, l.followed)
	l.settle(seen, found, err)
	return l.endpoint()
}

func (l *lookedAt) expect(when, addr string, told ...string) {
	l.t.Helper()
	if l.Addr() != addr || !slices.Equal(l.told, told) {
		l.t.Errorf("%s: statements go to %s, and it was told %q; want %s, and %q", when, l.Addr(), l.told, addr, told)
	}
	l.told = nil
}

// TestStandIn: as long as nobody can tell which server is the source, and none was, statements go to one that takes writes,
// and stay there; what is under way ends only if they go elsewhere.
func TestStandIn(t *testing.T) {
	l := newLookedAt(t, "a", "b", "c")
	first := l.look("ro", "", "")
	l.expect("b and c take writes", "b", "b false")
	if again := l.look("ro", "", ""); again != first || first.left.Err() != nil {
		t.Error("a second look that shows the same ends what is under way")
	}
	l.look("", "", "")
	l.expect("a does, too", "b")
	l.look("", "down", "")
	l.expect("b is away", "a", "a true")
	l.look("ro", "ro", "")
	l.expect("it is clear", "c", "c false")
	if l.Doubt() != "" || testutil.ToFloat64(l.metrics.moves) != 0 || strings.Contains(l.log.String(), "another server is the source now") {
		t.Errorf("the first source that is found counts as a move: %s", l.log.String())
	}
	l.look("", "ro", "ro")
	l.expect("it moves", "a", "a false")
	l.look("", "ro", "")
	l.expect("nobody can tell again", "a")
	l.look("down", "", "")
	l.expect("nobody can tell, and the one before is away", "a")
	if testutil.ToFloat64(l.metrics.moves) != 1 || strings.Count(l.log.String(), "another server is the source now") != 1 {
		t.Errorf("one move is told so: %s", l.log.String())
	}
	if n := strings.Count(l.log.String(), "nobody can tell which server"); n != 2 {
		t.Errorf("the two times at which nobody could tell are told %d times: %s", n, l.log.String())
	}
	if !strings.Contains(l.log.String(), "statements_go_to=b") {
		t.Errorf("where statements go is told wrong: %s", l.log.String())
	}
}
