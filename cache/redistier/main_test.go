package redistier

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	LogTo(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m)
}
