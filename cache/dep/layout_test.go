package dep

import (
	"slices"
	"testing"

	"weir/cache"
)

// The tags of layouts come last, where they are no anchors and no table's share; and they stay whatever becomes of the rest
// of a dependency.
func TestLayout(t *testing.T) {
	a, b := Fold("shop", "a"), Fold("shop", "b")
	all := []Dependency{{Table: a, Layout: true, Grain: ByRow, Tags: []cache.Tag{7}}, {Table: b}}
	tags, anchors := TagsOf(all)
	want := []cache.Tag{Everything(), Schema("shop"), a.Anchor(), b.Anchor(), 7, b.Tag(), a.Layout()}
	if !slices.Equal(tags, want) || anchors != 4 {
		t.Errorf("got %v, %d of them anchors, want %v and 4", tags, anchors, want)
	}
	if c := all[0].Coarse(); !c.Layout || c.Grain != ByTable || all[1].Coarse().Layout {
		t.Errorf("as wholes they are %+v and %+v", c, all[1].Coarse())
	}
	others := []cache.Tag{a.Tag(), a.Anchor(), a.Definition(), a.Rowset(), a.Column("x"), b.Layout()}
	if slices.Contains(others, a.Layout()) {
		t.Error("the layout's tag stands for something else, too")
	}
}
