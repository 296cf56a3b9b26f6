package proxy

import (
	"errors"
	"net"
	"testing"
)

// deadListener fails at once, as a listener does whose socket was taken away.
type deadListener struct{ net.Listener }

var errDead = errors.New("the socket is gone")

func (deadListener) Accept() (net.Conn, error) { return nil, errDead }
func (deadListener) Close() error              { return nil }

// A listener that fails ends Serve with its error; nothing that Serve has started keeps it from returning.
func TestServeEndsWithItsListener(t *testing.T) {
	s, _, _ := hitSession(t)
	if err := s.server.Serve(t.Context(), deadListener{}); !errors.Is(err, errDead) {
		t.Errorf("Serve returned %v", err)
	}
}
