package catalog

import (
	"testing"

	"weir/cache/dep"
)

// TestBlank: an epoch is blank until its schema was read, or what rows are told by was foreseen; a change that makes foreign
// keys uncertain makes it no blank one.
func TestBlank(t *testing.T) {
	run(t, func(t *testing.T, f *fakeSource, c *Catalog) {
		blank := func(want bool, when string) {
			t.Helper()
			if got := c.Rows().Blank(); got != want {
				t.Errorf("%s: blank: %v", when, got)
			}
		}
		blank(true, "before the first epoch")
		f.at(10)
		c.Restart(10)
		blank(true, "before the schema was read")
		settle()
		blank(false, "once it was")
		f.set(func() { f.position = 20 })
		c.Changed(20, []dep.Name{tableT}, nil, false, true)
		if blank(false, "while foreign keys are being changed"); !c.Uncertain() {
			t.Error("foreign keys are certain")
		}
		f.at(30)
		if err := c.Foresee(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Restart(25)
		blank(false, "in an epoch for which it was foreseen")
		c.Restart(30)
		blank(true, "in the next one")
	})
}
