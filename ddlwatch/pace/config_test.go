package pace

import (
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the defaults are wrong: %v", err)
	}
	tests := []struct {
		set  func(*Config)
		want string
	}{
		{func(c *Config) { c.Min = 0 }, "ddl.pace.min 0"},
		{func(c *Config) { c.Limit = 1 }, "ddl.pace.limit 1 is below"},
		{func(c *Config) { c.Max = 7 }, "ddl.pace.max 7 is below"},
		{func(c *Config) { c.Wait = 0 }, "ddl.pace.wait 0s"},
		{func(c *Config) { c.Stall = 0 }, "ddl.pace.stall 0s"},
		{func(c *Config) { c.StallReads = 0 }, "ddl.pace.stall_reads 0"},
	}
	for _, tt := range tests {
		cfg := DefaultConfig()
		tt.set(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("the error is %v, want one with %q", err, tt.want)
		}
	}
}
