package daemon

import (
	"slices"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// differSettings are what sessions set one after another, each on connections of its own: the same statements get
// another answer under most of them, or another description.
var differSettings = []string{
	"SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'",
	"SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
	"SET sql_mode = ''",
	"SET sql_mode = 'REAL_AS_FLOAT,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION'",
	"SET time_zone = '+05:30'",
	"SET time_zone = '-11:00'",
	"SET NAMES latin1",
	"SET collation_connection = utf8mb4_bin",
	"SET NAMES utf8mb4 COLLATE utf8mb4_bin",
	"SET NAMES latin1 COLLATE latin1_german1_ci",
	"SET character_set_results = binary",
	"SET NAMES utf8mb3",
	"SET character_set_results = NULL",
	"SET character_set_results = latin1",
	"SET group_concat_max_len = 16",
	"SET sql_select_limit = 3",
	"SET div_precision_increment = 9",
	"SET lc_time_names = 'de_DE'",
	"SET default_week_format = 3, time_zone = '+01:00'",
}

// settingShapes are of which a setting may change something.
var settingShapes = []string{
	"projection", "arithmetic", "logic", "unsigned", "decimal", "date functions", "date arithmetic", "string functions", "collations",
	"group_concat", "group by", "limit", "union of types", "quoted identifiers", "literals", "precedence", "view", "json",
}

// The same texts under different settings are different statements: to each session its own bytes, from the server and
// from the cache.
func TestDifferPitfall25Settings(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := differWorld(t, flavor)
		queries := settingQueries(newMaker(flavor, *differSeed+1))
		newDiffer(t, w).form(forms[0], shape{name: "no settings", hits: 95}, queries)
		for _, say := range differSettings {
			d := newDiffer(t, w)
			for _, c := range []*dialogue{d.server, d.filler, d.hitter} {
				c.mustQuery(say)
			}
			for _, f := range forms {
				d.form(f, shape{name: say, hits: 70}, queries)
			}
		}
	})
}

// settingQueries are in ASCII, so that they mean the same in all character sets.
func settingQueries(m *maker) (queries []query) {
	for _, s := range shapes() {
		if !slices.Contains(settingShapes, s.name) {
			continue
		}
		for made := 0; made < 3; {
			if q := m.make(s); !strings.ContainsFunc(q.sql, func(r rune) bool { return r > 0x7e }) {
				queries = append(queries, q)
				made++
			}
		}
	}
	return queries
}
