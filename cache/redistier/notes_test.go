package redistier

import (
	"bytes"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// Notes are found by other Weirs of the same source, and by nobody else.
func TestNotes(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{})
	h, ctx := newHistory(), t.Context()
	one, other := startTier(t, testConfig(r), h), startTier(t, testConfig(r), newHistory())
	if left, err := other.Left(ctx, "positions"); err != nil || len(left) != 0 {
		t.Errorf("before: %v, %v", left, err)
	}
	must(t, one.Leave(ctx, "positions", "a", []byte("here"), time.Minute))
	must(t, one.Leave(ctx, "positions", "b", []byte("there\x00"), time.Minute))
	must(t, one.Leave(ctx, "interests", "a", []byte("all"), time.Minute))
	must(t, one.Leave(ctx, "positions", "a", []byte("further"), time.Minute))
	must(t, one.Drop(ctx, "positions", "none"))
	must(t, one.Drop(ctx, "positions"))
	left, err := other.Left(ctx, "positions")
	must(t, err)
	if len(left) != 2 || string(left["a"]) != "further" || string(left["b"]) != "there\x00" {
		t.Errorf("left are %q", left)
	}
	must(t, one.Drop(ctx, "positions", "a", "b"))
	if left, err := one.Left(ctx, "positions"); err != nil || len(left) != 0 {
		t.Errorf("dropped, and still there: %q, %v", left, err)
	}
	if left, err := one.Notes("server-two").Left(ctx, "interests"); err != nil || len(left) != 0 {
		t.Errorf("another source has %q, %v", left, err)
	}
	h.change(func(h *history) { h.source = "" })
	if err := one.Leave(ctx, "positions", "a", nil, time.Minute); err == nil {
		t.Error("a note about no source")
	}
}

// Notes that have expired are left out, and removed once that is certain by any clock.
func TestNotesExpire(t *testing.T) {
	now := time.UnixMilli(1e12)
	left, gone := openNotes(map[string]string{
		"fresh":   string(sealNote([]byte("a"), now.Add(time.Second))),
		"expired": string(sealNote([]byte("b"), now.Add(-time.Second))),
		"old":     string(sealNote([]byte("c"), now.Add(-2*noteGrace))),
		"strange": "x",
	}, now)
	if len(left) != 1 || !bytes.Equal(left["fresh"], []byte("a")) {
		t.Errorf("left are %q", left)
	}
	if len(gone) != 2 {
		t.Errorf("gone are %q", gone)
	}
}
