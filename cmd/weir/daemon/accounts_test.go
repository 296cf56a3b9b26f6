package daemon

import (
	"os/exec"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// newAccountsWorld is a Weir without a users list, in front of a server with some accounts.
func newAccountsWorld(t *testing.T, flavor sandbox.Flavor, configure func(*Config)) (w *world, root *client) {
	t.Helper()
	w = newSource(t, sandbox.Options{Flavor: flavor})
	for _, user := range []string{"u", "v", "w"} {
		w.must(w.source.CreateUser(t.Context(), user, user+"-secret", "SELECT ON *.*"))
	}
	w.start(func(c *Config) {
		c.Users = nil
		if configure != nil {
			configure(c)
		}
	})
	root, _ = w.shop()
	return w, root
}

// as logs in through Weir.
func (w *world) as(user, password string) *client {
	w.t.Helper()
	return w.connect(w.weir.Addr(), user, password, "shop")
}

func (w *world) proofs(how string) float64 {
	w.t.Helper()
	return w.counter("weir_login_proofs_total", "how", how)
}

// Without a users list the servers say who is let in, and Weir remembers what they said until something about accounts
// changes.
func TestPitfall37AccountsOfTheServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, root := newAccountsWorld(t, flavor, nil)
		t.Run("fast path", func(t *testing.T) {
			before := w.proofs("remembered")
			if got := w.as("u", "u-secret").ask("SELECT 1"); got != "1\n1\n" {
				t.Fatalf("first login: %s", got)
			}
			if w.proofs("remembered") != before {
				t.Error("a password is remembered that nobody has proved")
			}
			revealed := w.proofs("revealed")
			if got := w.as("u", "u-secret").ask("SELECT 1"); got != "1\n1\n" {
				t.Fatalf("second login: %s", got)
			}
			if w.proofs("remembered") != before+1 || w.proofs("revealed") != revealed {
				t.Error("the second login does not take the fast path")
			}
		})
		t.Run("refused", func(t *testing.T) {
			root.run("CREATE USER open@'%' IDENTIFIED BY ''")
			for _, c := range []struct{ user, password, want string }{
				{"u", "wrong", "Error 1045 (28000): Access denied for user 'u'@'127.0.0.1' (using password: YES)"},
				{"u", "", "Error 1045 (28000): Access denied for user 'u'@'127.0.0.1' (using password: NO)"},
				{"nobody", "x", "Error 1045 (28000): Access denied for user 'nobody'@'127.0.0.1' (using password: YES)"},
				{"open", "x", "Error 1045 (28000): Access denied for user 'open'@'127.0.0.1' (using password: YES)"},
			} {
				got := w.connect(w.weir.Addr(), c.user, c.password, "")
				if got.refused == nil || got.refused.Error() != c.want {
					t.Errorf("%s with %q: %v, want %s", c.user, c.password, got.refused, c.want)
				}
			}
			if got := w.connect(w.weir.Addr(), "open", "", "").ask("SELECT 1"); got != "1\n1\n" {
				t.Errorf("without a password: %s", got)
			}
			if got := w.connect(w.weir.Addr(), "u", "u-secret", "nowhere").ask("SELECT 1"); got != "error 1049" {
				t.Errorf("unknown database: %s", got)
			}
		})
		t.Run("plugins", func(t *testing.T) { pluginsOfTheServers(t, w, root) })
		t.Run("mariadb", func(t *testing.T) {
			mariadbClient(t, w, "v", "v-secret")
			mariadbClient(t, w, "v", "v-secret", "--default-auth=mysql_native_password")
			mariadbClient(t, w, "v", "v-secret", "--skip-ssl")
			mariadbClient(t, w, "v", "v-secret", "--default-auth=mysql_clear_password")
		})
	})
}

// pluginsOfTheServers: Weir logs in with whatever plugin the account has.
func pluginsOfTheServers(t *testing.T, w *world, root *client) {
	statements := map[string]string{
		"sha": "CREATE USER sha@'%' IDENTIFIED WITH sha256_password BY 'sha-secret'",
		"csh": "CREATE USER csh@'%' IDENTIFIED WITH caching_sha2_password BY 'csh-secret'",
	}
	if w.flavor == sandbox.MariaDB {
		root.run("INSTALL SONAME 'auth_ed25519'")
		statements = map[string]string{
			"ed":  "CREATE USER ed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('ed-secret')",
			"nat": "CREATE USER nat@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('nat-secret')",
		}
	}
	for user, statement := range statements {
		root.run(statement)
		for range 2 {
			if got := w.connect(w.weir.Addr(), user, user+"-secret", "").ask("SELECT CURRENT_USER()"); got != answer("CURRENT_USER()\n"+user+"@%\n") {
				t.Errorf("%s: %s", user, got)
			}
		}
		if got := w.connect(w.weir.Addr(), user, "wrong", "").ask("SELECT 1"); got != "error 1045" {
			t.Errorf("%s with a wrong password: %s", user, got)
		}
	}
}

// mariadbClient logs in with the command line client of MariaDB, and is told so if the password is wrong.
func mariadbClient(t *testing.T, w *world, user, password string, more ...string) {
	t.Helper()
	host, port, _ := strings.Cut(w.weir.Addr(), ":")
	run := func(password string) string {
		args := append([]string{"--no-defaults", "--protocol=tcp", "--host=" + host, "--port=" + port, "--user=" + user,
			"--password=" + password, "--skip-column-names", "--batch", "--execute=SELECT v FROM shop.t WHERE id = 1"}, more...)
		out, _ := exec.CommandContext(t.Context(), "mariadb", args...).CombinedOutput()
		return strings.TrimSpace(string(out))
	}
	for range 2 {
		if got := run(password); got != "old" {
			t.Errorf("mariadb %v prints %q", more, got)
		}
	}
	want := "ERROR 1045 (28000): Access denied for user '" + user + "'@'127.0.0.1' (using password: YES)"
	if got := run("wrong"); got != want {
		t.Errorf("mariadb %v with a wrong password prints %q", more, got)
	}
}

// MariaDB's command line client with a users list, too.
func TestPitfall37MariaDBClientAndAList(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, nil)
		w.shop()
		mariadbClient(t, w, "app", "app-secret")
		mariadbClient(t, w, "app", "app-secret", "--default-auth=caching_sha2_password")
	})
}

// The interleavings of the comment at account in proxy/accounts.go: two sessions of one user with different passwords.
func TestPitfall31PasswordChanged(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, root := newAccountsWorld(t, flavor, nil)
		old, other := w.as("u", "u-secret"), w.as("v", "v-secret")
		old.warm(one)
		other.warm(one)
		root.run("ALTER USER u@'%' IDENTIFIED BY 'changed'")
		w.caughtUp()
		changed := w.as("u", "changed")
		changed.warm(one)
		if a, hit := old.asked(one); a != "error 1045" || hit {
			t.Errorf("with the old password on an open connection: %s, hit %v", a, hit)
		}
		if got := w.as("u", "u-secret").ask(one); got != "error 1045" {
			t.Errorf("a login with the old password: %s", got)
		}
		if a, hit := changed.asked(one); a != "v\nold\n" || !hit {
			t.Errorf("with the new password, after the old one was refused: %s, hit %v", a, hit)
		}
		if a, hit := old.asked(one); a != "error 1045" || hit {
			t.Errorf("with the old password, once more: %s, hit %v", a, hit)
		}
		other.warm(one) // it has proved its password again, and gets hits

		root.run("ALTER USER u@'%' IDENTIFIED BY 'u-secret'") // and back: the old session is right again
		w.caughtUp()
		old.warm(one)
		if got := changed.ask(one); got != "error 1045" {
			t.Errorf("with the password that has been taken back: %s", got)
		}
	})
}

// An account that is dropped, or loses a right, is felt on an open connection and at the next login.
func TestPitfall31AccountDropped(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, root := newAccountsWorld(t, flavor, nil)
		u, v, x := w.as("u", "u-secret"), w.as("v", "v-secret"), w.as("w", "w-secret")
		for _, c := range []*client{u, v, x} {
			c.warm(one)
		}
		root.run("REVOKE SELECT ON *.* FROM v@'%'")
		root.run("DROP USER u@'%'")
		w.caughtUp()
		for range 2 {
			if a, hit := u.asked(one); a != "error 1045" || hit {
				t.Errorf("dropped, on an open connection: %s, hit %v", a, hit)
			}
			if a, hit := v.asked(one); !strings.HasPrefix(string(a), "error 1") || hit {
				t.Errorf("without the right, on an open connection: %s, hit %v", a, hit)
			}
		}
		if got := w.as("u", "u-secret").ask(one); got != "error 1045" {
			t.Errorf("dropped, a login: %s", got)
		}
		x.warm(one)
		root.run("CREATE USER u@'%' IDENTIFIED BY 'another'")
		root.run("GRANT SELECT ON *.* TO u@'%'")
		w.caughtUp()
		again := w.as("u", "another")
		again.warm(one)
		if a, hit := u.asked(one); a != "error 1045" || hit {
			t.Errorf("the one that was dropped, after another with its name came: %s, hit %v", a, hit)
		}
	})
}

// Two users never share results, whatever each may see.
func TestPitfall31AccountsShareNothing(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, root := newAccountsWorld(t, flavor, nil)
		root.run("CREATE USER blind@'%' IDENTIFIED BY 'blind-secret'")
		w.caughtUp()
		u, blind := w.as("u", "u-secret"), w.connect(w.weir.Addr(), "blind", "blind-secret", "")
		u.warm("SELECT v FROM shop.t WHERE id = 1")
		if a, hit := blind.asked("SELECT v FROM shop.t WHERE id = 1"); a != "error 1142" || hit {
			t.Errorf("an account without rights: %s, hit %v", a, hit)
		}
	})
}
