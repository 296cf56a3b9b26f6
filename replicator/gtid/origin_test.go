package gtid

import "testing"

func TestForeignTo(t *testing.T) {
	for _, tt := range []struct {
		name       string
		flavor     Flavor
		text, have string
		want       string
	}{
		{"both are known", MySQL, textA + ":9," + textB + ":9", textA + ":1-3," + textB + ":1", ""},
		{"a tag is new", MySQL, textA + ":tag:1", textA + ":1-3", ""},
		{"only a tagged one is known", MySQL, textA + ":1", textA + ":tag:1", ""},
		{"one is not known", MySQL, textA + ":1," + textB + ":1", textA + ":1-3", textB},
		{"nothing is known", MySQL, textA + ":1", "", textA},
		{"nothing is asked", MySQL, "", "", ""},
		{"a new domain", MariaDB, "7-1-1", "0-1-5", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, foreign := mustParse(t, tt.flavor, tt.text).ForeignTo(mustParse(t, tt.flavor, tt.have))
			if got != tt.want || foreign != (tt.want != "") {
				t.Errorf("got %q, %v, want %q", got, foreign, tt.want)
			}
		})
	}
}
