package catalog

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzGrants: only what is granted on everything counts.
func FuzzGrants(f *testing.F) {
	for _, grant := range []string{
		"GRANT SELECT, PROCESS, SHOW VIEW ON *.* TO `weir`@`%`", "GRANT ALL PRIVILEGES ON `shop`.* TO `weir`@`%`",
		"REVOKE SELECT ON `my``sql`.* FROM `weir`@`%`", "GRANT `role`@`%` TO `weir`@`%`", "GRANT SELECT (a, b) ON *.* TO x",
	} {
		f.Add(grant)
	}
	f.Fuzz(func(t *testing.T, grant string) {
		r := parseGrants([][]string{{grant}})
		if r.check() == nil && !(strings.HasPrefix(grant, "GRANT ") && strings.Contains(grant, " ON *.*")) {
			t.Fatalf("%q gives %+v", grant, r)
		}
		if len(r.revoked) > 0 && !strings.HasPrefix(grant, "REVOKE ") {
			t.Fatalf("%q takes %v away", grant, r.revoked)
		}
	})
}

// FuzzFilename: a name is decoded to characters, or the server is asked.
func FuzzFilename(f *testing.F) {
	for _, name := range []string{"shop", "odd@0020name", "@0g00", "@", "a@002fb", "@00fc@00e9", "#sql-1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		decoded, ok := decodeFilename(name)
		switch {
		case !ok && !strings.Contains(name, "@"):
			t.Fatalf("%q cannot be decoded", name)
		case ok && utf8.ValidString(name) && !utf8.ValidString(decoded):
			t.Fatalf("%q is %q", name, decoded)
		case ok && !strings.Contains(name, "@") && decoded != name:
			t.Fatalf("%q is %q", name, decoded)
		}
	})
}

// FuzzShape: whatever the server says, a shape is nil or has all columns in order, and keys over columns that it has.
func FuzzShape(f *testing.F) {
	f.Add("1 a int\n2 b int VIRTUAL", "PRIMARY 1 a\nk 1 b\nk 2 a")
	f.Add("2 a int\n1 A int", "K 1 a 5")
	f.Add("1 \u212A int\nx b int", "K 1 k\n- - -")
	f.Fuzz(func(t *testing.T, columns, keys string) {
		s := shapeOf(columns, keys)
		if s == nil {
			return
		}
		if lines := strings.Count(strings.TrimSuffix(columns, "\n"), "\n") + 1; len(s.Columns) != lines {
			t.Fatalf("%q gives %s", columns, shapeText(s))
		}
		for i, c := range s.Columns {
			if at, found := s.Find(c.Name); !found || at != i {
				t.Fatalf("%q: column %d is found at %d, %v", columns, i, at, found)
			}
		}
		for i, k := range s.Keys {
			if k.Primary && (i > 0 || !k.Unique) || len(k.Columns) == 0 {
				t.Fatalf("%q gives %s", keys, shapeText(s))
			}
			keyText(s, k)
		}
	})
}
