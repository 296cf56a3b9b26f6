package daemon

import (
	"reflect"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/proxy/statement"
)

// everywhere is a catalog in which every name is that of a table with the columns of the table every.
type everywhere struct{ times []string }

func (everywhere) Relation(dep.Name) dep.Relation {
	return dep.Relation{Kind: dep.BaseTable, Versioned: true}
}

func (e everywhere) TimeColumns(dep.Name) []string { return e.times }

func timesOfEvery(flavor sandbox.Flavor) (names []string) {
	for _, c := range everyColumns(flavor) {
		if c.class == ofClock {
			names = append(names, c.name)
		}
	}
	return names
}

// What is found out about a statement by way of another one that differs in its literals is what is found out about it
// alone. This is in a program that imports canal, whose values are empty.
func TestTemplatesOfDifferentStatements(t *testing.T) {
	for flavor, server := range map[sandbox.Flavor]statement.Env{
		sandbox.MySQL:   {Flavor: statement.MySQL, Version: 907},
		sandbox.MariaDB: {Flavor: statement.MariaDB, Version: 1011},
	} {
		env := server
		env.Schema, env.UTF8, env.Catalog = "differ", true, everywhere{timesOfEvery(flavor)}
		cache, alone, m := statement.NewCache(statement.Limits{}), statement.NewAnalyzer(), newMaker(flavor, *differSeed)
		for _, s := range shapes() {
			for range 20 {
				m.made = 0 // the names that make each statement a new one are the same, too
				q := m.make(s)
				for _, sql := range []string{q.sql, q.prepared} {
					if got, want := cache.Analyze(sql, env), alone.Analyze(sql, env); !reflect.DeepEqual(got, want) {
						t.Errorf("%s: %s\n with others %+v\n alone       %+v", s.name, sql, got, want)
					}
				}
			}
		}
		st := cache.Stats()
		t.Logf("%s: %d known texts, %d known templates, %d parsed", flavor, st.Hits, st.TemplateHits, st.Misses)
		if st.TemplateHits < 200 {
			t.Errorf("%s: only %d statements were analysed by way of a template", flavor, st.TemplateHits)
		}
	}
}
