package proxy

import (
	"testing"
	"time"
)

// The interleavings of globals.go: which connections are taken again after which look at the globals.
func TestGenerationsOfGlobals(t *testing.T) {
	now := time.Unix(1000, 0)
	var g globals
	if _, look := g.now(now); !look {
		t.Error("nobody has looked, and nobody is told to")
	}
	if _, look := g.now(now); look {
		t.Error("two look at one time")
	}
	before, _ := g.now(now)
	g.saw("a") // the first time that anything is known
	if after, _ := g.now(now); after != before {
		t.Error("a connection from before the first look is not taken again")
	}
	g.saw("a")
	if after, _ := g.now(now); after != before {
		t.Error("nothing has changed, but connections are not taken again")
	}
	g.saw("b")
	after, _ := g.now(now)
	if after == before {
		t.Error("after SET GLOBAL a connection from before it is taken again")
	}
	g.again()
	if _, look := g.now(now); !look {
		t.Error("nobody looks after a SET GLOBAL that was seen")
	}
}

func TestLifetimesDiffer(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 20 {
		d := lifetime()
		if d < minLifetime || d >= maxLifetime {
			t.Errorf("a lifetime of %v", d)
		}
		seen[d] = true
	}
	if len(seen) < 2 {
		t.Error("all connections end at one time")
	}
}
