package catalog

import (
	"slices"
	"testing"
)

// TestDivide: whatever a schema is divided into begins with its first name and ends with its last, and each range ends
// where the next begins.
func TestDivide(t *testing.T) {
	names := func(schema string, tables ...string) []rawName {
		var all []rawName
		for _, table := range tables {
			all = append(all, rawName{schema, table})
		}
		return all
	}
	const notSystem = "S NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
	for _, tt := range []struct {
		name       string
		names, but []rawName
		want       []string
	}{
		{"none", nil, nil, []string{notSystem}},
		{"few", names("a", "x", "y"), nil, []string{notSystem}},
		{"few, and some locked", names("a", "x"), names("b", "it's"), []string{notSystem + " AND NOT (S = 'b' AND T = 'it''s')"}},
		{"one schema", names("a", "z", "Y", "x", "w", "V"), nil, []string{"S = 'a' AND T < 'x'", "S = 'a' AND T >= 'x' AND T < 'z'", "S = 'a' AND T >= 'z'"}},
		{"two that fit together", append(names("a", "x", "y", "z"), names("b", "x")...), nil, []string{"S = 'a' AND T < 'z'", "S = 'a' AND T >= 'z' UNION ALL ? WHERE S = 'b'"}},
		{"two that do not", append(names("b", "x", "y"), names("a", "x")...), nil, []string{"S = 'a'", "S = 'b'"}},
		{"one locked", append(names("b", "x", "y"), names("a", "x")...), names("a", "l"), []string{"S = 'a' AND NOT (S = 'a' AND T = 'l')", "S = 'b'"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range divide(tt.names, tt.but, 2) {
				got = append(got, p.query("?", "S", "T"))
			}
			for i, want := range tt.want {
				tt.want[i] = "? WHERE " + want
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("asks for %q, want %q", got, tt.want)
			}
		})
	}
}

func TestConditionsAreBounded(t *testing.T) {
	var names []rawName
	for i := range 3*maxConditions + 1 {
		names = append(names, rawName{string(rune('a' + i)), "t"})
	}
	for _, portions := range [][]portion{divide(names, nil, 3*maxConditions), each(names, true)} {
		if len(portions) != 4 || len(portions[0]) != maxConditions || len(portions[3]) != 1 {
			t.Errorf("%d portions, the first of %d and the last of %d conditions", len(portions), len(portions[0]), len(portions[len(portions)-1]))
		}
	}
}

func TestEach(t *testing.T) {
	names := []rawName{{"b", "it's"}, {"a", "x"}, {"b", "e"}}
	for bytes, want := range map[bool]string{
		true:  "? WHERE S = 'a' AND T = 'x' UNION ALL ? WHERE S = 'b' AND BINARY T IN ('e', 'it''s')",
		false: "? WHERE S = 'a' AND T = 'x' UNION ALL ? WHERE S = 'b' AND T IN ('e', 'it''s')",
	} {
		if got := each(names, bytes); len(got) != 1 || got[0].query("?", "S", "T") != want {
			t.Errorf("asks for %q, want %q", got[0].query("?", "S", "T"), want)
		}
	}
	if got := each(nil, true); len(got) != 0 {
		t.Error("asks for something")
	}
}
