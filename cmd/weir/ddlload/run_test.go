package ddlload

import (
	"context"
	"testing"
	"time"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// bound ends a run that hangs.
const bound = 40 * time.Minute

// TestLoad measures changes under load, with Weir and without, on both flavors: at a small scale as one more test of
// soundness, and with -full for figures. It fails if an answer is wrong or missing, or if more reads are at the server than
// Weir says it lets in; never because something is slow.
func TestLoad(t *testing.T) {
	o := chosen()
	if !*full {
		sandboxtest.Each(t, func(t *testing.T, f sandbox.Flavor) { runOne(t, o, f) })
		return
	}
	for _, f := range flavors() { // one after the other: each wants the machine for itself
		t.Run(string(f), func(t *testing.T) { runOne(t, o, f) })
	}
}

func runOne(t *testing.T, o options, f sandbox.Flavor) {
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	b, err := newBench(ctx, t, o, f)
	if err != nil {
		t.Fatal(err)
	}
	b.seesWrongRows(ctx)
	r, err := b.measure(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.text())
	if err := r.herd.check(); err != nil {
		t.Error(err)
	}
	dir := *out
	if dir == "" {
		dir = t.TempDir()
	}
	if err := r.write(dir); err != nil {
		t.Error(err)
	}
}

// seesWrongRows: an answer with other rows than expected ends a load.
func (b *bench) seesWrongRows(ctx context.Context) {
	b.t.Helper()
	wrong := statement{text: "SELECT k FROM big WHERE id = 1", want: b.hot[2].want}
	l := newLoad(b.server.Addr(), []statement{wrong}, 1, 0)
	if err := l.run(ctx, func(ctx context.Context) error { return nil }); err == nil {
		b.t.Error("an answer with wrong rows was not noticed")
	}
}
