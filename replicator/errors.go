package replicator

import (
	"errors"
	"fmt"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	pingcap "github.com/pingcap/errors"
)

// errLostPlace says that the stream cannot be continued where it was left. The reader then starts from now.
var errLostPlace = errors.New("the place in the binlog is lost")

func lostPlace(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errLostPlace, fmt.Sprintf(format, args...))
}

// Error numbers of the server that the replicator tells apart.
const (
	erFatalReadingBinlog = 1236
	erAccessDenied       = 1045
	erSpecificAccess     = 1227
	erSecureTransport    = 3159
)

// cause strips the stack traces that go-mysql wraps its errors in, and leaves the error itself.
func cause(err error) error { return pingcap.Cause(err) }

// serverSaid reports whether the server answered with an error, so that the connection can be used again.
func serverSaid(err error) bool {
	_, ok := serverCode(err)
	return ok
}

func serverCode(err error) (uint16, bool) {
	var e *gomysql.MyError
	if errors.As(err, &e) || errors.As(pingcap.Cause(err), &e) {
		return e.Code, true
	}
	return 0, false
}
