package catalog

import (
	"fmt"
	"testing"

	"weir/cache/dep"
)

func TestMarks(t *testing.T) {
	a, b, other := nameOf("s.a"), nameOf("s.b"), nameOf("t.a")
	for _, tt := range []struct {
		name string
		m    marks
		has  []dep.Name
		not  []dep.Name
	}{
		{"none", marks{}, nil, []dep.Name{a, b, other}},
		{"a name", marks{}.with(alteration{names: []dep.Name{a}}), []dep.Name{a}, []dep.Name{b, other}},
		{"a schema, in any case", marks{}.with(alteration{schemas: []string{"S"}}), []dep.Name{a, b}, []dep.Name{other}},
		{"all", marks{}.with(alteration{all: true}), []dep.Name{a, b, other}, nil},
		{"settled", marks{}.with(alteration{names: []dep.Name{a}, schemas: []string{"t"}, all: true}).without(1), nil, []dep.Name{a, b, other}},
		{"marked again", marks{}.with(alteration{names: []dep.Name{a, b}}).with(alteration{names: []dep.Name{a}}).without(1),
			[]dep.Name{a}, []dep.Name{b, other}},
		{"another since", marks{}.with(alteration{all: true}).with(alteration{schemas: []string{"t"}}).without(1),
			[]dep.Name{other}, []dep.Name{a, b}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range tt.has {
				if !tt.m.has(n) {
					t.Errorf("%v is not marked", n)
				}
			}
			for _, n := range tt.not {
				if tt.m.has(n) {
					t.Errorf("%v is marked", n)
				}
			}
			if got := len(tt.has) == 0; tt.m.empty() != got {
				t.Errorf("empty is %v", tt.m.empty())
			}
		})
	}
}

func TestMarksOfForeignKeys(t *testing.T) {
	m := marks{}.with(alteration{keys: true}).with(alteration{names: []dep.Name{nameOf("s.a")}})
	if m.keys == 0 || m.empty() {
		t.Errorf("got %+v", m)
	}
	if m = m.without(1); m.keys != 0 {
		t.Errorf("after the first change settled: %+v", m)
	}
}

// However many names change, marks stay few and forget nothing.
func TestMarksAreBounded(t *testing.T) {
	var m marks
	for i := range 3 * maxMarks {
		m = m.with(alteration{names: []dep.Name{nameOf(fmt.Sprintf("s.t%d", i))}})
	}
	if len(m.names) > maxMarks || !m.has(nameOf("s.t0")) || !m.has(nameOf("s.t1500")) || m.has(nameOf("other.t")) {
		t.Errorf("%d names marked, schemas %v", len(m.names), m.schemas)
	}
	for i := range 2 * maxMarks {
		m = m.with(alteration{schemas: []string{fmt.Sprintf("s%d", i)}})
	}
	if len(m.schemas) > maxMarks || !m.has(nameOf("s.t0")) || !m.has(nameOf("s700.t")) {
		t.Errorf("%d schemas marked, all: %d", len(m.schemas), m.all)
	}
	for i := range 2 * maxMarks {
		m = m.with(alteration{indexes: []dep.Name{nameOf(fmt.Sprintf("x.t%d", i))}})
	}
	if first := nameOf("x.t0"); len(m.indexes) > maxMarks || !m.reindexed(first) && !m.has(first) || !m.reindexed(nameOf("x.t1000")) {
		t.Errorf("%d tables with other indexes marked, schemas %v", len(m.indexes), m.schemas)
	}
	if !m.without(m.last).empty() {
		t.Errorf("left after all settled: %+v", m.without(m.last))
	}
}

func TestMarksDoNotChange(t *testing.T) {
	m := marks{}.with(alteration{names: []dep.Name{nameOf("s.a")}})
	m.with(alteration{names: []dep.Name{nameOf("s.b")}, indexes: []dep.Name{nameOf("s.a")}, all: true})
	m.without(1)
	if !m.has(nameOf("s.a")) || m.has(nameOf("s.b")) || m.reindexed(nameOf("s.a")) {
		t.Errorf("got %+v", m)
	}
}
