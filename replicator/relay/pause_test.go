package relay

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

var errRefused = errors.New("WRONGPASS")

func TestPauseTellsNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		var p pause
		log := slog.New(slog.NewTextHandler(&text, nil))
		for began := time.Now(); time.Since(began) < 3*time.Minute-time.Second; { // it comes and goes
			p.failed(t.Context(), log, "trouble", errRefused)
			p.succeeded()
		}
		wantTold(t, &text, 3)
		for began := time.Now(); time.Since(began) < time.Hour; { // it stays
			p.failed(t.Context(), log, "trouble", errRefused)
		}
		wantTold(t, &text, 4)
	})
}

// TestRefusedInterestsAreToldOnce: that there is nothing to leave for a while does not say that Redis is well.
func TestRefusedInterestsAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		client := redis.NewClient(&redis.Options{MaxRetries: -1, DialerRetries: 1, Dialer: func(context.Context, string, string) (net.Conn, error) {
			return nil, errRefused
		}})
		c := newConsuming(t, DefaultConfig(), client)
		c.log = slog.New(slog.NewTextHandler(&text, nil))
		c.watch.Restart()
		c.watch.Want(orders, byID)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		c.leaveInterests(ctx)
		wantTold(t, &text, 1)
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		<-time.After(time.Minute) // until its goroutines have seen that
	})
}

func wantTold(t *testing.T, log *bytes.Buffer, want int) {
	t.Helper()
	if n := strings.Count(log.String(), errRefused.Error()); n != want {
		t.Errorf("told %d times, want %d:\n%s", n, want, log)
	}
}
