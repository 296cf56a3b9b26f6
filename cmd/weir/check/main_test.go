package check

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"weir/cache/redistier"
)

func TestMain(m *testing.M) {
	redistier.LogTo(slog.New(slog.DiscardHandler))
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}
