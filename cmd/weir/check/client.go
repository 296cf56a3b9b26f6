package check

import (
	"fmt"
	"slices"
	"strings"
)

func clientRules() []rule {
	return []rule{
		{id: "users", server: judgeUsers},
		{id: "account-plugins", server: judgePlugins},
		{id: "accounts-differ", where: aboutServers, world: judgeAccounts},
	}
}

// judgeUsers: a client whom Weir lets in by its list, and a server does not, gets an error with the first statement.
func judgeUsers(_ *World, s *Server) verdict {
	if !s.asked() || len(s.Logins) == 0 {
		return verdict{}
	}
	var refused []string
	for name, err := range s.Logins {
		if err != nil {
			refused = append(refused, name)
		}
	}
	if refused == nil {
		return fine("%s let in", plural(len(s.Logins), "account"))
	}
	slices.Sort(refused)
	return fail("it refuses "+strings.Join(refused, ", ")+" of users: "+s.Logins[refused[0]].Error(),
		"Clients with these accounts get the server's error as soon as Weir asks it. The server sees Weir's address as the host of each client.",
		fmt.Sprintf("See that the password under users is right; or CREATE USER %s@'%%' IDENTIFIED BY '...'; for the host that Weir connects from.", quote(refused[0])))
}

// knownPlugins are those that Weir can log in with for a client that has revealed its password.
var knownPlugins = []string{"", "mysql_native_password", "caching_sha2_password", "sha256_password", "ed25519"}

func judgePlugins(_ *World, s *Server) verdict {
	if !s.asked() || s.Accounts == nil {
		return verdict{}
	}
	var names []string
	for _, a := range s.Accounts {
		if !slices.Contains(knownPlugins, a.Plugin) && a.client() {
			names = append(names, a.String()+" ("+a.Plugin+")")
		}
	}
	if names == nil {
		return fine("all accounts can log in through Weir")
	}
	return note(some(names).of("account"), "Weir cannot log in to the server with that plugin, so that these accounts cannot use Weir.",
		"Give accounts that are to read through Weir a password: mysql_native_password, caching_sha2_password, sha256_password and ed25519 are known.")
}

// client leaves out the accounts that servers make for themselves.
func (a Account) client() bool {
	return !strings.HasPrefix(a.Name, "mysql.") && !strings.HasPrefix(a.Name, "mariadb.") && a.Name != "PUBLIC" && a.Name != "root" && a.Name != "mysql"
}

func (a Account) String() string { return quote(a.Name) + "@" + quote(a.Host) }

func judgeAccounts(w *World) verdict {
	var first *Server
	for _, s := range w.eachAsked() {
		switch {
		case s.Accounts == nil:
			return verdict{}
		case first == nil:
			first = s
			continue
		}
		if extra := append(without(s.Accounts, first.Accounts), without(first.Accounts, s.Accounts)...); extra != nil {
			return warn(fmt.Sprintf("%s and %s do not have the same: %s", first.Addr, s.Addr, some(extra).of("account")),
				"A client gets in, or sees rows, depending on which server answers; and what one answered is served to the other's clients of that name.",
				"Create and drop accounts on the source, so that they replicate.")
		}
	}
	if first == nil || len(w.eachAsked()) < 2 {
		return verdict{}
	}
	return fine("the same names, hosts and plugins on all servers; passwords and privileges were not compared")
}

// without are the accounts of a that b lacks, or has with another plugin.
func without(a, b []Account) (extra []string) {
	for _, one := range a {
		if one.client() && !slices.Contains(b, one) {
			extra = append(extra, one.String())
		}
	}
	return extra
}

// quote makes a string literal of a name.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + "'"
}
