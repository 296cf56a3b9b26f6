package sandbox_test

import (
	"bufio"
	"io"
	"net"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// ask sends one inline command on a connection of its own and returns the first line of the reply.
func ask(t *testing.T, r *sandbox.Redis, commands ...string) (reply string) {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := bufio.NewReader(conn)
	for _, command := range commands {
		if _, err := io.WriteString(conn, command+"\r\n"); err != nil {
			t.Fatal(err)
		}
		if reply, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return reply
}

func TestRedis(t *testing.T) {
	r := sandboxtest.Redis(t, sandbox.RedisOptions{Password: "secret", MaxMemory: 8 << 20})
	for _, c := range []struct {
		name     string
		commands []string
		want     string
	}{
		{"ping", []string{"AUTH secret", "PING"}, "+PONG\r\n"},
		{"set", []string{"AUTH secret", "SET k v"}, "+OK\r\n"},
		{"get", []string{"AUTH secret", "GET k"}, "$1\r\n"},
		{"no password", []string{"PING"}, "-NOAUTH Authentication required.\r\n"},
	} {
		if got := ask(t, r, c.commands...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}

	r.Kill()
	if err := r.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, r, "AUTH secret", "GET k"); got != "$-1\r\n" {
		t.Errorf("after a restart: %q, want nothing", got)
	}
	if err := r.Suspend(); err != nil {
		t.Fatal(err)
	}
	r.Stop() // also ends a suspended server
	r.Stop()
}
