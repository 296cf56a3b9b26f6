package replicator

import (
	"errors"
	"fmt"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	pingcap "github.com/pingcap/errors"
)

// errLostPlace says that the stream cannot be continued where it was left. The reader then starts from now.
var errLostPlace = errors.New("the place in the binlog is lost")

// errHole says that the binlog does not tell of everything between the place and now; the place is lost, and so is every
// other from before.
var errHole = errors.New("the binlog has a hole")

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

// unanswered is why a server could not be asked: it cannot be reached, or was silent.
type unanswered struct{ error }

func (u unanswered) Unwrap() error { return u.error }

func connectError(err error) error {
	if serverSaid(err) {
		return err
	}
	return unanswered{err}
}

// Unanswered reports whether the error means that the server did not answer, whatever it may be that it did not answer.
func Unanswered(err error) bool {
	var u unanswered
	return errors.As(err, &u)
}

// LacksBase reports whether the error is that of a sampler whose server lacks what the source had when the epoch began.
func LacksBase(err error) bool { return errors.Is(err, errForeign) }
