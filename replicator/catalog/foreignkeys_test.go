package catalog

import "testing"

func TestDecodeFilename(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		ok         bool
	}{
		{"orders", "orders", true},
		{"we@002dird@002edb", "we-ird.db", true},
		{"@0024", "$", true},
		{"a@002fb", "a/b", true},
		{"@65e5@672c", "日本", true},
		{"#sql-alter-1dbc-71", "#sql-alter-1dbc-71", true},
		{"caf@0p", "", false}, // é, from the server's table
		{"@00", "", false},
		{"a@", "", false},
	} {
		got, ok := decodeFilename(tt.name)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q is %q, %v, want %q, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// The types are those that the servers print for the action in the comment.
func TestPitfall4ActingKeys(t *testing.T) {
	for _, tt := range []struct {
		kind string
		want bool
	}{
		{"0", false},  // MariaDB: RESTRICT; SET DEFAULT
		{"48", false}, // MySQL: NO ACTION on both
		{"32", false}, // MySQL: ON DELETE SET DEFAULT
		{"1", true},   // MariaDB: ON DELETE CASCADE
		{"33", true},  // MySQL: the same
		{"2", true},   // ON DELETE SET NULL
		{"4", true},   // ON UPDATE CASCADE
		{"20", true},  // MySQL: the same
		{"8", true},   // ON UPDATE SET NULL
		{"64", true},  // nobody knows
		{"", true},
	} {
		got := len(actingKeys([][]string{{"s/k", "s/child", "s/parent", "1", tt.kind}}, nil)) == 1
		if got != tt.want {
			t.Errorf("type %q acts: %v", tt.kind, got)
		}
	}
}

// MySQL prints the table `a/b` in schema l as l/a/b.
func TestNamesWithSlashesAreReadInAllWays(t *testing.T) {
	keys := innodbKey{child: "l/a/b", parent: "l/p"}.split()
	s := (&facts{foreignKeys: keys}).assemble()
	if got := namesText(s.Cascades(nameOf("l.p"))); got != "l.a/b l/a.b" {
		t.Errorf("got %q", got)
	}
}
