package proxy

import (
	"testing"
	"time"
)

// A pool gives a connection up before the server does: what the server closes counts as an aborted client there.
func TestPitfall53PoolsAreEarlierThanTheServer(t *testing.T) {
	for _, c := range []struct {
		wait, idle    time.Duration
		keep, expired bool
	}{
		{8 * time.Hour, 9 * time.Minute, true, false},
		{8 * time.Hour, 11 * time.Minute, true, true},
		{time.Minute, 29 * time.Second, true, false},
		{time.Minute, 31 * time.Second, true, true},
		{4 * time.Second, 3 * time.Second, true, true},
		{3 * time.Second, 0, false, false},
	} {
		now := time.Now()
		p := &pool{}
		conn := &conn{until: now.Add(time.Hour), waitTimeout: c.wait}
		if got := p.keep(conn); got != c.keep {
			t.Errorf("wait_timeout %s: kept: %v, want %v", c.wait, got, c.keep)
		}
		conn.idle = now.Add(-c.idle)
		if got := conn.expired(now); got != c.expired {
			t.Errorf("wait_timeout %s, idle for %s: expired: %v, want %v", c.wait, c.idle, got, c.expired)
		}
	}
}

func TestWaitTimeoutOfASession(t *testing.T) {
	s, _, _ := hitSession(t)
	for value, want := range map[string]time.Duration{
		"60": time.Minute, "0": time.Second, "-5": time.Second, "DEFAULT": 8 * time.Hour, "99999999999": 8 * time.Hour, "31536000": 31536000 * time.Second,
	} {
		settings := settings(nil).with("wait_timeout", value)
		s.setState(state{settings: settings})
		if got := time.Duration(s.silence.limit.Load()); got != want {
			t.Errorf("wait_timeout = %s: the client may be idle for %s, want %s", value, got, want)
		}
		c := &conn{state: s.state, waitTimeout: time.Hour}
		c.takeSettings()
		if known := value != "DEFAULT" && value != "99999999999"; known != (c.waitTimeout == want) {
			t.Errorf("wait_timeout = %s: the connection may be idle for %s", value, c.waitTimeout)
		}
	}
	s.setState(state{settings: settings(nil).with("interactive_timeout", "1")})
	if got := time.Duration(s.silence.limit.Load()); got != 8*time.Hour {
		t.Errorf("SET interactive_timeout changes the session's own limit to %s; it does not on servers", got)
	}
}
