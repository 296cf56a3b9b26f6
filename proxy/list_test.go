package proxy

import (
	"strings"
	"testing"

	"weir/proxy/virtual"
)

func TestLike(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"query_cache_size": true, "query%": true, "%size": true, "%cache%": true, "%": true, "%%": true, "q%y%e": true, "_uery_cache_size": true,
		`query\_cache\_size`: true, "%_": true, "%c%c%": true, "________________": true, "%_______________": true, "%________________%": true,
		"": false, "query": false, "size%": false, `%\%`: false, `query\%`: false, "_": false, "%z": false, "%________________ ": false, `query_cache_siz\`: false,
		"_________________": false, "%c%c%c%c%": false, `\q%`: true, `%\e`: true,
	} {
		if like("query_cache_size", pattern) != want {
			t.Errorf("query_cache_size LIKE %q is not %v", pattern, want)
		}
	}
	if like("", "%") != true || like("", "_") || !like("", "") {
		t.Error("an empty name")
	}
	// One that went back to each of the percent signs would take years.
	if like("query_cache_wlock_invalidate", strings.Repeat("%_", 10)+strings.Repeat("%", 30)+"zz") {
		t.Error("query_cache_wlock_invalidate ends with zz")
	}
}

// A long text that has Weir's name in its data is not taken apart.
func TestLongTextsAreNotVirtual(t *testing.T) {
	t.Parallel()
	s := &session{server: &Server{tables: virtual.NewSet([]virtual.Table{{Schema: virtual.Schema, Name: "things"}})}, within: virtual.Schema}
	for text, want := range map[string]bool{"SELECT * FROM weir.things": true, "INSERT INTO t VALUES ('weir" + strings.Repeat("x", maxCachedText) + "')": false} {
		if s.mayBeVirtual([]byte(text)) != want {
			t.Errorf("a text of %d bytes: not %v", len(text), want)
		}
	}
}
