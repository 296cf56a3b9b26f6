package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Ports come from a range below the ones that systems hand out to outgoing connections (32768 and up on Linux, 49152
// and up elsewhere), because a port must stay free while its server is down for a restart.
const (
	firstPort = 21000
	ports     = 2000
)

var errPortTaken = errors.New("port is taken")

// reservation keeps a port for one server, against every other sandbox of this user.
type reservation struct {
	port int
	lock *os.File
}

// reserve takes the wanted port, or any free one for 0.
func reserve(wanted int) (*reservation, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	if wanted != 0 {
		return tryReserve(dir, wanted)
	}
	start := rand.IntN(ports)
	for i := range ports {
		r, err := tryReserve(dir, firstPort+(start+i)%ports)
		if !errors.Is(err, errPortTaken) {
			return r, err
		}
	}
	return nil, fmt.Errorf("no free port between %d and %d: stop some servers", firstPort, firstPort+ports-1)
}

func tryReserve(dir string, port int) (*reservation, error) {
	f, err := openLockFile(filepath.Join(dir, "ports", strconv.Itoa(port)+".lock"))
	if err != nil {
		return nil, fmt.Errorf("reserve port %d: %w", port, err)
	}
	if err := take(f, port); err != nil {
		f.Close()
		return nil, fmt.Errorf("reserve port %d: %w", port, err)
	}
	return &reservation{port: port, lock: f}, nil
}

// take locks f, against other sandboxes, and makes sure that no other program listens on the port.
func take(f *os.File, port int) error {
	err := tryLock(f)
	if errors.Is(err, errLocked) {
		return errPortTaken
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return l.Close()
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func (r *reservation) release() { r.lock.Close() }
