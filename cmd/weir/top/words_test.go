package top

import (
	"testing"

	"weir/cmd/weir/status"
)

// TestUptime: nobody asks for the hundredths of a second that a Weir has been running.
func TestUptime(t *testing.T) {
	for f, want := range map[status.Figure]string{.4: "0 s", 4.0123: "4 s", 69.9: "69 s", 348.2: "5m48s", 93784: "26h3m4s"} {
		if got := uptime(f); got != want {
			t.Errorf("%v s: %s, want %s", float64(f), got, want)
		}
	}
}
