package virtual

import (
	"testing"

	"go.uber.org/goleak"
)

// The collation tables bring a logger along, which keeps a goroutine from the start.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}
