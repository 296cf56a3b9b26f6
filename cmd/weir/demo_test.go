package main

import (
	"os"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"weir/deployments/sandbox"
)

func TestDemoCommand(t *testing.T) {
	for _, c := range []struct {
		name     string
		args     []string
		env      map[string]string
		flavor   sandbox.Flavor
		duration time.Duration
		fails    bool
	}{
		{name: "nothing said", flavor: sandbox.MariaDB},
		{name: "flags", args: []string{"--flavor", "mysql", "--seconds", "20"}, flavor: sandbox.MySQL, duration: 20 * time.Second},
		{name: "environment", env: map[string]string{"DEMO_FLAVOR": "mysql", "DEMO_SECONDS": "1.5"}, flavor: sandbox.MySQL, duration: 1500 * time.Millisecond},
		{name: "no limit, from a Makefile", env: map[string]string{"DEMO_SECONDS": ""}, flavor: sandbox.MariaDB},
		{name: "unknown flavor", args: []string{"--flavor", "oracle"}, fails: true},
		{name: "no number", args: []string{"--seconds", "long"}, fails: true},
		{name: "no time", args: []string{"--seconds", "0"}, fails: true},
		{name: "not a number", args: []string{"--seconds", "NaN"}, fails: true},
		{name: "for ever", args: []string{"--seconds", "Inf"}, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"DEMO_FLAVOR", "DEMO_SECONDS"} {
				t.Setenv(name, c.env[name]) // and back, after the test
				if _, given := c.env[name]; !given {
					os.Unsetenv(name)
				}
			}
			var all commands
			_, err := kong.Must(&all).Parse(append([]string{"demo"}, c.args...))
			if (err != nil) != c.fails {
				t.Fatalf("got error %v, want one: %v", err, c.fails)
			}
			if o := all.Demo.options(); !c.fails && (o.Flavor != c.flavor || o.Duration != c.duration) {
				t.Errorf("got %s for %v, want %s for %v", o.Flavor, o.Duration, c.flavor, c.duration)
			}
		})
	}
}
