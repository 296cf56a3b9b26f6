package pace

import (
	"testing"

	"weir/cache/dep"
)

// BenchmarkEnter is what a miss pays when no gate is up.
func BenchmarkEnter(b *testing.B) {
	two := []dep.Name{orders, items}
	for name, names := range map[string][]dep.Name{"one table": two[:1], "two tables": two} {
		b.Run(name, func(b *testing.B) {
			g := newGates(DefaultConfig())
			b.ReportAllocs()
			for b.Loop() {
				enterAndLeave(b, g, names)
			}
		})
		b.Run(name+" in parallel", func(b *testing.B) {
			g := newGates(DefaultConfig())
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					enterAndLeave(b, g, names)
				}
			})
		})
	}
}

func enterAndLeave(b *testing.B, g *Gates, names []dep.Name) {
	leave, err := g.Enter(b.Context(), names)
	if err != nil {
		b.Error(err)
		return
	}
	leave()
}

// TestEnterAllocates: a read of one table without a gate allocates nothing.
func TestEnterAllocates(t *testing.T) {
	g := newGates(DefaultConfig())
	names := []dep.Name{orders}
	allocs := testing.AllocsPerRun(100, func() {
		leave, err := g.Enter(t.Context(), names)
		if err != nil {
			t.Error(err)
			return
		}
		leave()
	})
	if allocs != 0 {
		t.Errorf("it allocates %v times", allocs)
	}
}
