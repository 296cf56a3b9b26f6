package statement

import (
	"errors"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// notAsked cannot be asked for with nine arguments: names that are the parser's own, and a constructor that is built in
// with two arguments only, see constructs.
func notAsked(f *functions, name string) bool { return f.internal[name] || name == "point" }

// What counts as built in is built in: a stored function could have the name otherwise, and do anything.
func TestPitfall26BuiltInFunctionsAreTheServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		s := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		db := sandboxtest.RootDB(t, s, "mysql")
		env := &Env{Flavor: MySQL, Version: 907}
		if flavor == sandbox.MariaDB {
			env = &Env{Flavor: MariaDB, Version: 1011}
		}
		f := newFunctions()
		for name := range f.native {
			if notAsked(f, name) || !f.deterministic(name, env) {
				continue
			}
			_, err := db.Exec("SELECT " + name + "(1, 2, 3, 4, 5, 6, 7, 8, 9)")
			var said *mysql.MySQLError
			if errors.As(err, &said) && slices.Contains([]uint16{errNoFunction, errNoSchemaFunction}, said.Number) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// ER_SP_DOES_NOT_EXIST and ER_FUNC_INEXISTENT_NAME_COLLISION: it is not built in.
const (
	errNoFunction       = 1305
	errNoSchemaFunction = 1630
)
