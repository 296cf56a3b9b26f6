package proxy

import "testing"

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
		{"names come first", []set{{"auto_increment_increment", "1"}, {"names", "utf8mb4"}}, "SET NAMES utf8mb4, SESSION auto_increment_increment = 1"},
		{"a part of names after it stays", []set{{"names", "utf8mb4"}, {"character_set_results", "NULL"}}, "SET NAMES utf8mb4, SESSION character_set_results = NULL"},
		{"a part of names before it is undone", []set{{"character_set_results", "NULL"}, {"names", "latin1"}}, "SET NAMES latin1"},
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
	sa, sb := session{server: &Server{}}, session{server: &Server{}}
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
