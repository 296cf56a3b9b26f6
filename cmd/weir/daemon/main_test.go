package daemon

import (
	"os"
	"testing"
)

// TestMain runs the tests; or a Weir, if a test has started this program again to have one as a process of its own.
func TestMain(m *testing.M) {
	if path := os.Getenv(processConfig); path != "" {
		os.Exit(runProcess(path))
	}
	os.Exit(m.Run())
}
