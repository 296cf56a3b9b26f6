package gtid

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name   string
		flavor Flavor
		text   string
		want   string
	}{
		{"empty", MySQL, "", ""},
		{"white space", MySQL, " \n", ""},
		{"one", MySQL, textA + ":1", textA + ":1"},
		{"a range of one", MySQL, textA + ":4-4", textA + ":4"},
		{"gaps", MySQL, textA + ":1-5:7:9-10", textA + ":1-5:7:9-10"},
		{"touching intervals merge", MySQL, textA + ":1-5:6-7:8", textA + ":1-8"},
		{"overlapping intervals merge", MySQL, textA + ":3-9:1-5:2", textA + ":1-9"},
		{"unsorted", MySQL, textA + ":9:1:5", textA + ":1:5:9"},
		{"the largest number", MySQL, textA + ":9223372036854775806", textA + ":9223372036854775806"},
		{"upper case", MySQL, strings.ToUpper(textA) + ":1", textA + ":1"},
		{"as gtid_executed prints", MySQL, textA + ":1-5,\n" + textB + ":1:bar:1:foo_1:1-2",
			textA + ":1-5," + textB + ":1:bar:1:foo_1:1-2"},
		{"UUIDs unsorted", MySQL, textB + ":1," + textA + ":1", textA + ":1," + textB + ":1"},
		{"a UUID twice", MySQL, textA + ":1-3," + textA + ":4:6", textA + ":1-4:6"},
		{"tag only", MySQL, textA + ":tag:1", textA + ":tag:1"},
		{"tags in any case", MySQL, textA + ":TAG:1:tag:2-3:b:1", textA + ":b:1:tag:1-3"},
		{"tag of 32", MySQL, textA + ":_2345678901234567890123456789012:1",
			textA + ":_2345678901234567890123456789012:1"},
		{"spaces", MySQL, " " + textA + " : 4 - 5 : Tag_ : 6 ", textA + ":4-5:tag_:6"},
		{"empty", MariaDB, "", ""},
		{"one", MariaDB, "0-1-100", "0-1-100"},
		{"domains", MariaDB, "7-2-3,0-1-100", "0-1-100,7-2-3"},
		{"spaces and lines", MariaDB, "0-1-5, 2-1-7,\n3-1-1", "0-1-5,2-1-7,3-1-1"},
		{"largest numbers", MariaDB, "4294967295-4294967295-18446744073709551615",
			"4294967295-4294967295-18446744073709551615"},
		{"nothing yet in the domain", MariaDB, "0-1-0,1-1-1", "1-1-1"},
	} {
		t.Run(string(tt.flavor)+" "+tt.name, func(t *testing.T) {
			s := mustParse(t, tt.flavor, tt.text)
			if got := s.String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if s.IsEmpty() != (tt.want == "") {
				t.Errorf("IsEmpty is %v", s.IsEmpty())
			}
			if s.Flavor() != tt.flavor {
				t.Errorf("Flavor is %q", s.Flavor())
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		flavor Flavor
		text   string
		want   string
	}{
		{"postgres", "", `unknown flavour "postgres"`},
		{MySQL, "0-1-100", `"0-1-100" is not a UUID`},
		{MySQL, textA, "no interval after UUID"},
		{MySQL, textA + ":", "an interval is missing"},
		{MySQL, textA + ":1:", "an interval is missing"},
		{MySQL, textA + ":1,", `"" is not a UUID`},
		{MySQL, textA + ":0", `"0" does not lie in 1-9223372036854775806`},
		{MySQL, textA + ":5-3", `"5-3" does not lie in`},
		{MySQL, textA + ":9223372036854775807", "does not lie in"},
		{MySQL, textA + ":9223372036854775808", "want a number of 63 bits"},
		{MySQL, textA + ":1-", `interval "1-"`},
		{MySQL, textA + ":1-2-3", `interval "1-2-3"`},
		{MySQL, textA + ":-1", "neither an interval nor a tag"},
		{MySQL, textA + ":tag", `no interval after tag "tag"`},
		{MySQL, textA + ":tag:other:1", `no interval after tag "tag"`},
		{MySQL, textA + ":t-g:1", "neither an interval nor a tag"},
		{MySQL, textA + ":_23456789012345678901234567890123:1", "neither an interval nor a tag"},
		{MySQL, strings.Replace(textA, "-", "_", 1) + ":1", "is not a UUID"},
		{MySQL, strings.Replace(textA, "e", "g", 1) + ":1", "is not a UUID"},
		{MariaDB, textA + ":1", "domain of"},
		{MariaDB, "0-1", "sequence number of"},
		{MariaDB, "0-1-2-3", "sequence number of"},
		{MariaDB, "0--2", "server id of"},
		{MariaDB, "0-1-+2", "sequence number of"},
		{MariaDB, "4294967296-1-2", "want a number of 32 bits"},
		{MariaDB, "0-1-2,", "domain of"},
		{MariaDB, "0-1-18446744073709551616", "want a number of 64 bits"},
		// What gtid_binlog_state prints: the larger number need not be the later one.
		{MariaDB, "0-1-5,0-2-7", "domain 0 is there twice"},
	} {
		s, err := Parse(tt.flavor, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: got %v and error %v, want an error with %q", tt.flavor, tt.text, s, err, tt.want)
		}
	}
}
