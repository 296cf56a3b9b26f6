package proxy

import (
	"testing"

	"weir/proxy/wire"
)

func TestSettingsHaveANormalForm(t *testing.T) {
	type set struct{ name, value string }
	cases := []struct {
		name string
		sets []set
		sql  string
	}{
		{"nothing", nil, ""},
		{"one", []set{{"time_zone", "'+00:00'"}}, "SET SESSION time_zone = '+00:00'"},
		{"by name, whatever the order", []set{{"time_zone", "'+00:00'"}, {"sql_mode", "''"}}, "SET SESSION sql_mode = '', SESSION time_zone = '+00:00'"},
		{"the last one wins", []set{{"sql_mode", "'ANSI'"}, {"sql_mode", "''"}}, "SET SESSION sql_mode = ''"},
		{"a collation brings its character set", []set{{"character_set_connection", "utf8mb4"}, {"collation_connection", "utf8mb4_bin"}}, "SET SESSION collation_connection = utf8mb4_bin"},
		{"a character set brings its collation", []set{{"collation_connection", "utf8mb4_bin"}, {"character_set_connection", "latin1"}}, "SET SESSION character_set_connection = latin1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var s settings
			for _, a := range c.sets {
				s = s.with(a.name, a.value)
			}
			if got := s.sql(); got != c.sql {
				t.Errorf("got %q, want %q", got, c.sql)
			}
		})
	}
}

func TestSettingsAreNotChangedInPlace(t *testing.T) {
	a := settings(nil).with("sql_mode", "''")
	b := a.with("sql_mode", "'ANSI'").with("time_zone", "'UTC'")
	if a.sql() != "SET SESSION sql_mode = ''" || b.sql() != "SET SESSION sql_mode = 'ANSI', SESSION time_zone = 'UTC'" {
		t.Errorf("got %q and %q", a.sql(), b.sql())
	}
}

// Two lists of settings with one normal form would share entries.
func TestNormalFormTellsSettingsApart(t *testing.T) {
	a := settings(nil).with("a", "1\x00b=2")
	b := settings(nil).with("a", "1").with("b", "2")
	sa, sb := session{server: &Server{}, account: &account{}}, session{server: &Server{}, account: &account{}}
	sa.state.settings, sb.state.settings = a, b
	sa.makePrefix()
	sb.makePrefix()
	if string(sa.prefix) == string(sb.prefix) {
		t.Error("different settings have the same key")
	}
}

func TestUnsafeSettings(t *testing.T) {
	cases := []struct {
		name, value string
		unsafe      bool
	}{
		{"transaction_isolation", "'READ-UNCOMMITTED'", true},
		{"tx_isolation", `"read-uncommitted"`, true},
		{"transaction_isolation", "'READ-COMMITTED'", false},
		{"sql_auto_is_null", "1", true},
		{"sql_auto_is_null", "ON", true},
		{"sql_auto_is_null", "0", false},
		{"time_zone", "'+00:00'", false},
	}
	for _, c := range cases {
		if got := settings(nil).with(c.name, c.value).unsafeReason() != ""; got != c.unsafe {
			t.Errorf("%s = %s: unsafe is %v", c.name, c.value, got)
		}
	}
}

func TestSQLModeOfASession(t *testing.T) {
	const initial = "ANSI_QUOTES"
	cases := []struct{ set, want string }{{"", initial}, {"''", ""}, {"DEFAULT", initial}, {"'PIPES_AS_CONCAT'", "PIPES_AS_CONCAT"}}
	for _, c := range cases {
		var s settings
		if c.set != "" {
			s = s.with("sql_mode", c.set)
		}
		if got := s.sqlMode(initial); got != c.want {
			t.Errorf("after sql_mode = %s it is %q, want %q", c.set, got, c.want)
		}
	}
}

func TestLiteralsMeanTheSameInEveryMode(t *testing.T) {
	text := wire.Column{Name: "a", Type: wire.TypeVarString}
	for _, c := range []struct {
		column wire.Column
		value  string
		want   string // empty: refused
	}{
		{text, "", "''"},
		{text, "ANSI_QUOTES,PIPES_AS_CONCAT", "'ANSI_QUOTES,PIPES_AS_CONCAT'"},
		{text, "it's", "'it''s'"},
		{text, `a "b"`, `'a "b"'`},
		{text, `a\'b`, "_utf8mb4 0x615c2762"},
		{text, "a@[b]", "_utf8mb4 0x61405b625d"},
		{text, "é", ""},
		{text, "a\x00b", ""},
		{wire.Column{Type: wire.TypeLongLong}, "18446744073709551615", "18446744073709551615"},
		{wire.Column{Type: wire.TypeDouble}, "-1.5e-7", "-1.5e-7"},
		{wire.Column{Type: wire.TypeLongLong}, "1; DROP", ""},
	} {
		got, err := literal(c.column, []byte(c.value))
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: got %q and %v, want %q", c.value, got, err, c.want)
		}
	}
	if got, _ := literal(text, nil); got != "NULL" {
		t.Errorf("NULL: got %q", got)
	}
}
