package proxy

import (
	"strings"
	"testing"

	"weir/proxy/statement"
	"weir/proxy/virtual"
)

// withoutWeir is a source without a schema of the name of Weir's.
type withoutWeir struct{ anyTable }

func (withoutWeir) HasSchema(string) bool { return false }

func (w withoutWeir) Snapshot() (statement.Catalog, uint64) { return w, 1 }

// TestExplainOfWeirsOwnTables: a server that is asked about these says that there is no such table, or no such schema.
func TestExplainOfWeirsOwnTables(t *testing.T) {
	s, _ := explainSession(t)
	s.server.schema = withoutWeir{}
	s.server.tables = virtual.NewSet([]virtual.Table{{Schema: virtual.Schema, Name: "things", Columns: []virtual.Column{{Name: "a"}}}})
	for text, want := range map[string]bool{
		"SELECT * FROM weir.things":                                     true,
		"SELECT COUNT(*) FROM shop.items i JOIN weir.things t USING(a)": true,
		"SELECT * FROM things":                                          false,
		"SELECT 'weir.things' FROM shop.items":                          false,
		"INSERT INTO shop.items VALUES (1)":                             false,
	} {
		refusal := s.refuseExplain(statement.ExplainCache{Text: text}, s.analyze(text))
		if got := refusal != nil && strings.Contains(refusal.Error(), "weir.things is Weir's own"); got != want {
			t.Errorf("%s: %v", text, refusal)
		}
	}
}
