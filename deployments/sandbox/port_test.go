package sandbox

import (
	"errors"
	"net"
	"testing"
)

func TestReserve(t *testing.T) {
	t.Setenv("WEIR_SANDBOX_CACHE", t.TempDir())
	first, err := reserve(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reserve(first.port); !errors.Is(err, errPortTaken) {
		t.Errorf("reserved twice: error is %v, want %v", err, errPortTaken)
	}
	first.release()
	again, err := reserve(first.port)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	again.release()
}

// TestReserveListening takes a port that a program without a reservation listens on.
func TestReserveListening(t *testing.T) {
	t.Setenv("WEIR_SANDBOX_CACHE", t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := reserve(l.Addr().(*net.TCPAddr).Port); !errors.Is(err, errPortTaken) {
		t.Errorf("error is %v, want %v", err, errPortTaken)
	}
}
